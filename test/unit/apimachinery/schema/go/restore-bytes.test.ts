// Bytes in a merged document, as kube-apiserver 1.36.3 decodes them: a base64 string, or a list of numbers.
import { expect, test } from "vitest";
import { restoreError } from "../../../../../src/apimachinery/schema/go/restore-error.ts";
import { coreNode } from "../../patch/support.ts";

/** The complaint, and what has become of the bytes. */
function restored(bytes: unknown): unknown[] {
  const map = { binaryData: { a: "AQI=", b: bytes } };
  return [restoreError(coreNode("ConfigMap"), map), map.binaryData.b];
}

test.each<[unknown[], string]>([
  [[3, 4], "AwQ="],
  [[], ""],
  [[null], "AA=="],
  [[256, 300, -1, -129], "ACz/fw=="],
  [[2n ** 62n + 7n, 2 ** 63, 1e30], "BwAA"],
])("numbers become bytes by their lowest bits: %o", (given, text) => {
  expect(restored(given)).toEqual([undefined, text]);
});

test.each<[string, unknown]>([
  ["cannot convert float64 to uint8", [1, 1.5]],
  ["unrecognized type: uint8", [3, "x"]],
  ["unrecognized type: uint8", [true]],
  ["unrecognized type: uint8", [{}]],
  ["unrecognized type: uint8", [[1]]],
  ["cannot restore slice from int64", 5],
  ["cannot restore slice from map", {}],
  ["error decoding from json: illegal base64 data at input byte 0", "!!"],
])("%s: %o", (why, given) => {
  expect(restored(given)).toEqual([why, given]);
});
