// YAML of request bodies and files.
import { encodeJson } from "../../../../src/apimachinery/json/json-encode.ts";
import { decodeDocuments, decodeYaml, isUnreadable } from "../../../../src/apimachinery/yaml/decode-yaml.ts";
import { mustHold, type ParserTarget, texts } from "../target.ts";

export const YAML_TARGET: ParserTarget = {
  seeds: () =>
    texts(
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {a: b, 'c': \"d\\u00e4\"}\ndata:\n  k: |\n    one\n    two\n  f: >-\n    x\n",
      "a: &x [1, 2.5, 0x1F, ~, true, 2001-12-14]\nb: *x\n? c\n: - d\n  - e: f # comment\n<<: {g: h}\n",
      "--- !!map\na: !!str 1\n...\n---\n- - - a\n",
    ),
  tokens: [
    "- ",
    ": ",
    "? ",
    "&a ",
    "*a",
    "!!binary ",
    "!",
    "|",
    ">",
    "<<: ",
    "---\n",
    "...",
    "[",
    "]",
    "{",
    "}",
    "\n",
    "  ",
    "\t",
    "#",
    "'",
    '"',
    "%YAML 1.1\n",
    "\\x",
  ],
  run(input) {
    const { value } = decodeYaml(input);
    encodeJson(value);
    const documents = [...decodeDocuments(input.toString("utf8"))];
    mustHold(documents.length <= input.length + 1, "there are no more documents than letters");
  },
  isExpected: isUnreadable,
};
