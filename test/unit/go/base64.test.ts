import { expect, test } from "vitest";
import { base64Error, canonicalBase64 } from "../../../src/go/base64.ts";

test.each(["", "YQ==", "YWI=", "YWJj", "YQ\n==", "YW\r\nJj"])("%j is base64", (text) => {
  expect(base64Error(text)).toBeUndefined();
});

test.each([
  ["!", 0],
  ["not base64!", 3],
  ["YQ", 0],
  ["YWJjYQ", 4],
  ["YQ=", 3],
  ["YQ=x", 2],
  ["Y===", 1],
  ["YQ==YQ==", 4],
  ["YWI=x", 4],
  ["é", 0],
])("%j is not, from byte %i on", (text, at) => {
  expect(base64Error(text)).toBe(`illegal base64 data at input byte ${at}`);
});

test("it is written without line ends and unused bits", () => {
  expect(["YQ\n==", "YR==", "YWJj"].map(canonicalBase64)).toEqual(["YQ==", "YQ==", "YWJj"]);
});
