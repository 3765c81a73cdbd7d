// JSON request bodies: an accepted value is equal after encoding, and JSON.parse accepts it as well.
import { decodeJson, JsonSyntaxError } from "../../../../src/apimachinery/json/json-decode.ts";
import { encodeJson } from "../../../../src/apimachinery/json/json-encode.ts";
import { mustHold, type ParserTarget, texts } from "../target.ts";

export const JSON_TARGET: ParserTarget = {
  seeds: () =>
    texts(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"a":"b"}},"data":{"k":"\\u00e4\\n"}}',
      '[1,-2.5e3,9223372036854775807,true,false,null,"",{},[]]',
      '{"a":{"a":{"a":[[[]]]}},"a":1}',
    ),
  tokens: [
    '{"a":',
    "[",
    "]",
    "}",
    '"',
    "\\u",
    "\\ud83d",
    "\\",
    ",",
    ":",
    "null",
    "1e",
    "-",
    "0",
    " ",
    "\n",
    "\u0000",
    "\ufeff",
  ],
  run(input) {
    const { value } = decodeJson(input);
    const encoded = encodeJson(value);
    mustHold(encodeJson(decodeJson(encoded).value) === encoded, "decoding what was encoded gives the same");
  },
  isExpected: (error) => error instanceof JsonSyntaxError,
};
