import fc from "fast-check";
import { expect, test } from "vitest";
import { base64Error, canonicalBase64, isBase64 } from "../../../../src/apimachinery/go/base64.ts";

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
  const texts = ["YQ\n==", "YR==", "YWJj", "YWJ=", "YWI=", "", "YWJj\n"];
  expect(texts.map(canonicalBase64)).toEqual(["YQ==", "YQ==", "YWJj", "YWI=", "YWI=", "", "YWJj"]);
});

test("what is base64, and how it is written, agrees with its grammar and with Node", async () => {
  const grammar = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const letters = fc.array(fc.constantFrom(..."ABQgwz09+/===\n\r!\u00e9-_"), { maxLength: 14 });
  await fc.assert(
    fc.property(
      letters.map((some) => some.join("")),
      (text) => {
        const isValid = grammar.test(text.replaceAll(/[\r\n]/g, ""));
        expect(isBase64(text)).toBe(grammar.test(text));
        expect(base64Error(text) === undefined).toBe(isValid);
        if (isValid) expect(canonicalBase64(text)).toBe(Buffer.from(text, "base64").toString("base64"));
      },
    ),
    { numRuns: 2000 },
  );
});
