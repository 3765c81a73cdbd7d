// Recorded errors and results of gopkg.in/evanphx/json-patch.v4 v4.13.0 for patches of one document. "= " precedes a
// result.
import { expect, test } from "vitest";
import { freezeJson, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeJson, JsonSyntaxError } from "../../../../src/apimachinery/json/json-decode.ts";
import { encodeJson } from "../../../../src/apimachinery/json/json-encode.ts";
import {
  applyJsonPatch,
  decodePatch,
  PatchDecodeError,
} from "../../../../src/apimachinery/patch/json-patch.ts";
import { PatchDoesNotApply } from "../../../../src/apimachinery/patch/patch-errors.ts";

const DOCUMENT: JsonObject = freezeJson({ a: { b: "c" }, l: [1, 2, { x: "y" }], n: null, s: "t" });

const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

function outcomeOf(text: string): string {
  try {
    const operations = decodePatch(decodeJson(text, { keepsNumbers: true }).value);
    return `= ${encodeJson(sorted(applyJsonPatch(DOCUMENT, operations)))}`;
  } catch (error) {
    if (error instanceof PatchDoesNotApply) return error.why;
    if (error instanceof PatchDecodeError || error instanceof JsonSyntaxError)
      return `decode: ${error.message}`;
    throw error;
  }
}

test.each<[patch: string, outcome: string]>([
  ['[{"op":"add","value":1}]', "add operation failed to decode path: missing value"],
  ['[{"op":"add","path":1,"value":1}]', "add operation failed to decode path: missing value"],
  [
    '[{"op":"add","path":"x","value":1}]',
    'add operation does not apply: doc is missing path: "x": missing value',
  ],
  [
    '[{"op":"add","path":"","value":{}}]',
    'add operation does not apply: doc is missing path: "": missing value',
  ],
  [
    '[{"op":"add","path":"/s/t","value":1}]',
    'add operation does not apply: doc is missing path: "/s/t": missing value',
  ],
  [
    '[{"op":"add","path":"/n/t","value":1}]',
    'add operation does not apply: doc is missing path: "/n/t": missing value',
  ],
  [
    '[{"op":"add","path":"/l/4","value":1}]',
    "error in add for path: '/l/4': Unable to access invalid index: 4: invalid index referenced",
  ],
  [
    '[{"op":"add","path":"/l/-5","value":1}]',
    "error in add for path: '/l/-5': Unable to access invalid index: -5: invalid index referenced",
  ],
  [
    '[{"op":"add","path":"/l/x","value":1}]',
    "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
  ],
  [
    '[{"op":"add","path":"/l/99999999999999999999","value":1}]',
    "error in add for path: '/l/99999999999999999999': value was not a proper array index: '99999999999999999999': strconv.Atoi: parsing \"99999999999999999999\": value out of range",
  ],
  [
    '[{"op":"add","path":"/l/9/x","value":1}]',
    'add operation does not apply: doc is missing path: "/l/9/x": missing value',
  ],
  ['[{"op":"remove"}]', "remove operation failed to decode path: missing value"],
  [
    '[{"op":"remove","path":"/q"}]',
    "error in remove for path: '/q': Unable to remove nonexistent key: q: missing value",
  ],
  [
    '[{"op":"remove","path":"/q/r"}]',
    'remove operation does not apply: doc is missing path: "/q/r": missing value',
  ],
  [
    '[{"op":"remove","path":"/l/3"}]',
    "error in remove for path: '/l/3': Unable to access invalid index: 3: invalid index referenced",
  ],
  [
    '[{"op":"remove","path":"/l/-"}]',
    "error in remove for path: '/l/-': strconv.Atoi: parsing \"-\": invalid syntax",
  ],
  [
    '[{"op":"remove","path":"/l/-4"}]',
    "error in remove for path: '/l/-4': Unable to access invalid index: -4: invalid index referenced",
  ],
  ['[{"op":"remove","path":""}]', 'remove operation does not apply: doc is missing path: "": missing value'],
  [
    '[{"op":"replace"}]',
    "replace operation failed to decode path: operation missing path field: missing value",
  ],
  [
    '[{"op":"replace","path":[]}]',
    "replace operation failed to decode path: json: cannot unmarshal array into Go value of type string",
  ],
  [
    '[{"op":"replace","path":"/q/r","value":1}]',
    "replace operation does not apply: doc is missing path: /q/r: missing value",
  ],
  [
    '[{"op":"replace","path":"/l/3","value":1}]',
    "replace operation does not apply: doc is missing key: /l/3: missing value",
  ],
  [
    '[{"op":"replace","path":"/l/-","value":1}]',
    "replace operation does not apply: doc is missing key: /l/-: missing value",
  ],
  ['[{"op":"replace","path":"","value":1}]', "replace operation value must be object or array: %!w(<nil>)"],
  [
    '[{"op":"replace","path":"","value":null}]',
    "replace operation value must be object or array: %!w(<nil>)",
  ],
  [
    '[{"op":"replace","path":"/q","value":1}]',
    '= {"a":{"b":"c"},"l":[1,2,{"x":"y"}],"n":null,"q":1,"s":"t"}',
  ],
  ['[{"op":"move"}]', "move operation failed to decode from: operation, missing from field: missing value"],
  [
    '[{"op":"move","from":true,"path":"/x"}]',
    "move operation failed to decode from: json: cannot unmarshal bool into Go value of type string",
  ],
  [
    '[{"op":"move","from":"/q","path":"/x"}]',
    "error in move for path: 'q': Unable to remove nonexistent key: q: missing value",
  ],
  [
    '[{"op":"move","from":"/q/r","path":"/x"}]',
    "move operation does not apply: doc is missing from path: /q/r: missing value",
  ],
  [
    '[{"op":"move","from":"/l/7","path":"/x"}]',
    "error in move for path: '7': Unable to access invalid index: 7: invalid index referenced",
  ],
  [
    '[{"op":"move","from":"/a"}]',
    "move operation failed to decode path: operation missing path field: missing value",
  ],
  [
    '[{"op":"move","from":"/a","path":"/a/b"}]',
    "move operation does not apply: doc is missing destination path: /a/b: missing value",
  ],
  [
    '[{"op":"move","from":"/s","path":"/l/9"}]',
    "error in move for path: '/l/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  ['[{"op":"copy"}]', "copy operation failed to decode from: operation, missing from field: missing value"],
  [
    '[{"op":"copy","from":"/q/r","path":"/x"}]',
    "copy operation does not apply: doc is missing from path: /q/r: missing value",
  ],
  [
    '[{"op":"copy","from":"/l/7","path":"/x"}]',
    "error in copy for from: '/l/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  ['[{"op":"copy","from":"/a"}]', "copy operation failed to decode path: missing value"],
  ['[{"op":"copy","from":"/a","path":1}]', "copy operation failed to decode path: missing value"],
  [
    '[{"op":"copy","from":"/a","path":"/q/r"}]',
    "copy operation does not apply: doc is missing destination path: /q/r: missing value",
  ],
  [
    '[{"op":"copy","from":"/a","path":"/l/9"}]',
    "error while adding value during copy: Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    '[{"op":"copy","from":"/q","path":"/x"}]',
    '= {"a":{"b":"c"},"l":[1,2,{"x":"y"}],"n":null,"s":"t","x":null}',
  ],
  ['[{"op":"test"}]', "test operation failed to decode path: operation missing path field: missing value"],
  [
    '[{"op":"test","path":"/q/r","value":1}]',
    "test operation does not apply: is missing path: /q/r: missing value",
  ],
  [
    '[{"op":"test","path":"/l/7","value":1}]',
    "error in test for path: '/l/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  ['[{"op":"test","path":"/l/0","value":1.0}]', "testing value /l/0 failed: test failed"],
  ['[{"op":"test","path":"/q","value":1}]', "testing value /q failed: test failed"],
  ['[{"op":"test","path":"/n"}]', '= {"a":{"b":"c"},"l":[1,2,{"x":"y"}],"n":null,"s":"t"}'],
  ['[{"op":"test","path":"/s"}]', "testing value /s failed: test failed"],
  ['[{"op":"test","path":"","value":{}}]', "testing value  failed: test failed"],
  ['[{"op":"test","path":"/s","value":"t"}]', '= {"a":{"b":"c"},"l":[1,2,{"x":"y"}],"n":null,"s":"t"}'],
  ["[{}]", "Unexpected kind: unknown"],
  ["[null]", "Unexpected kind: unknown"],
  ['[{"op":1,"path":"/a"}]', "Unexpected kind: unknown"],
  ['[{"op":"frob"}]', "Unexpected kind: frob"],
  ["{}", "decode: json: cannot unmarshal object into Go value of type jsonpatch.Patch"],
  ["[1]", "decode: json: cannot unmarshal number into Go value of type jsonpatch.Operation"],
  ["null", '= {"a":{"b":"c"},"l":[1,2,{"x":"y"}],"n":null,"s":"t"}'],
  ['"x"', "decode: json: cannot unmarshal string into Go value of type jsonpatch.Patch"],
  ["[[]]", "decode: json: cannot unmarshal array into Go value of type jsonpatch.Operation"],
  ["tru", "decode: invalid character ' ' in literal true (expecting 'e')"],
  ["", "decode: unexpected end of JSON input"],
])("%s", (patch, outcome) => {
  expect(outcomeOf(patch)).toBe(outcome);
});
