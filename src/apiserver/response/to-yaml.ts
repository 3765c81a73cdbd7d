// YAML as sigs.k8s.io/yaml writes it: keys sorted, lists not indented, lines never folded, and quotes as go-yaml sets them:
// double ones where bare text would be read as something else, single ones where it could not be read at all.
import { Document, visit } from "yaml";
import { decodeJson } from "../../meta/json-decode.ts";

const STYLE = { sortMapEntries: true, aliasDuplicateObjects: false } as const;
/** An indicator at the start, and what ends a key or begins a comment. */
const NOT_BARE = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[?:-](?: |$)| )|:(?: |$)| #| $/;
/** Takes a block, or an escape. */
const NOT_SINGLE = /[\n\t]/;

export function toYaml(json: string): string {
  const document = new Document(decodeJson(json).value, {
    ...STYLE,
    compat: "yaml-1.1", // for texts such as yes and no, which older readers take for something else
  });
  visit(document, {
    Scalar(_key, scalar) {
      const text = scalar.value;
      if (typeof text === "string" && NOT_BARE.test(text) && !NOT_SINGLE.test(text))
        scalar.type = "QUOTE_SINGLE";
    },
  });
  return document.toString({ indentSeq: false, lineWidth: 0 });
}
