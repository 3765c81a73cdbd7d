import { describe, expect, test, vi } from "vitest";
import {
  decodeJson,
  decodeJsonInTurns,
  JsonSyntaxError,
} from "../../../../src/apimachinery/json/json-decode.ts";
import { countTurns } from "../../../support/count-turns.ts";

describe("values", () => {
  test.each<[string, unknown]>([
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775808", 2 ** 63],
    ["-9223372036854775809", -(2 ** 63)],
    [`1${"0".repeat(300)}`, 1e300],
    ["1.0", 1],
    ["1.5e3", 1500],
    ["-0", 0],
    ['"\\u00e9\\n\\/\\ud83d\\ude00"', "é\n/😀"],
    ['"\\ud800x"', "\ufffdx"],
    [" [ true , false , null ] ", [true, false, null]],
    ["{}", {}],
  ])("%s is read with every digit and letter", (text, value) => {
    expect(decodeJson(text).value).toStrictEqual(value);
    expect(decodeJson(Buffer.from(text)).value).toStrictEqual(value);
  });

  test("of more digits than an int64 has no bigint is made, which would take the second power of their number", () => {
    const made = vi.spyOn(globalThis, "BigInt");
    try {
      expect(() => decodeJson(`[-${"9".repeat(5000)}]`)).toThrow(
        /^json: cannot unmarshal number -9+ into Go value of type float64$/,
      );
      expect(made).not.toHaveBeenCalled();
    } finally {
      made.mockRestore();
    }
  });

  test.each(["1.0", "1e3", "-0.0", "1.50", "9223372036854775808", "1e400", "1e-400", "0.0000001"])(
    "%s is kept as it is spelled where that is asked for",
    (text) => {
      const { value, isSpelled, tooGreat } = decodeJson(`[${text},${text}]`, { keepsNumbers: true });
      const [first, second] = value as unknown[];
      expect([typeof first, (first as symbol).description, second === first]).toEqual(["symbol", text, true]);
      expect([isSpelled, tooGreat]).toEqual([true, text === "1e400" ? text : undefined]);
    },
  );

  test("a number that is spelled as it is printed is a number", () => {
    const text = "[0,-0,-7,1.5,0.25,-1.375,0.1234567890123456,9007199254740993,1e+21,100000000000000000000]";
    const { value, isSpelled } = decodeJson(text, { keepsNumbers: true });
    expect(value).toStrictEqual(decodeJson(text).value);
    expect(isSpelled).toBeUndefined();
  });

  test("of very many spellings not all are kept", () => {
    const text = `[${Array.from({ length: 10_001 }, (_, index) => `${index}.0`).join()}]`;
    const { value } = decodeJson(text, { keepsNumbers: true });
    expect((value as unknown[]).slice(-2).map((item) => typeof item)).toEqual(["symbol", "number"]);
    expect(() => decodeJson(`${text.slice(0, -1)},1e400]`, { keepsNumbers: true })).toThrow(JsonSyntaxError);
  });

  test("a key __proto__ becomes an own member", () => {
    const { value } = decodeJson('{"__proto__":{"x":1},"constructor":2}');
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("nesting is read to 10000 levels and refused beyond", () => {
    expect(() => decodeJson("[".repeat(10_000) + "]".repeat(10_000))).not.toThrow();
    expect(() => decodeJson("[".repeat(10_001))).toThrow("invalid character '[' exceeded max depth");
  });
});

describe("duplicate keys", () => {
  test("are named by dotted path in the order found, and the last one wins", () => {
    const text =
      '{"metadata":{"labels":{"a":"1","a":"2"}},"spec":{"egressIPs":["x"],"egressIPs":["y"],"p":[{},{"n":1,"n":2}]},"kind":1,"kind":2}';
    expect(decodeJson(text)).toEqual({
      value: { metadata: { labels: { a: "2" } }, spec: { egressIPs: ["y"], p: [{}, { n: 2 }] }, kind: 2 },
      duplicates: ["metadata.labels.a", "spec.egressIPs", "spec.p[1].n", "kind"],
    });
  });

  test("a key named like a member of every object is no duplicate", () => {
    expect(decodeJson('{"toString":1,"__proto__":2}').duplicates).toEqual([]);
  });

  test("a path is named once and at most a hundred are kept", () => {
    expect(decodeJson('{"a":1,"a":2,"a":3}').duplicates).toEqual(["a"]);
    const many = Array.from({ length: 150 }, (_, index) => `"k${index}":1,"k${index}":1`).join(",");
    expect(decodeJson(`{${many}}`).duplicates).toHaveLength(100);
  });
});

describe("complaints", () => {
  test.each([
    ["", "unexpected end of JSON input"],
    ['[{"op":"add",', "unexpected end of JSON input"],
    ['"abc', "unexpected end of JSON input"],
    ["nul", "invalid character ' ' in literal null (expecting 'l')"],
    ["[] trailing", "invalid character 't' after top-level value"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["{,}", "invalid character ',' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["[01]", "invalid character '1' after array element"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["tru!", "invalid character '!' in literal true (expecting 'e')"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ["\u0001", "invalid character '\\x01' looking for beginning of value"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
    ["[1e400]", "json: cannot unmarshal number 1e400 into Go value of type float64"],
    ["[1e400", "unexpected end of JSON input"],
  ])("%j: %s", (text, message) => {
    expect(() => decodeJson(text)).toThrow(new JsonSyntaxError(message));
  });
});

test("others have their turn while a long text is read", async () => {
  const members = Array.from({ length: 100_000 }, (_, index) => `"key-${index}":{"a":[${index}]}`);
  const text = Buffer.from(`{${members.join(",")}}`);
  const { turns, done } = await countTurns(() => decodeJsonInTurns(text));
  expect(Object.keys(done.value as object)).toHaveLength(members.length);
  expect(turns).toBeGreaterThan(20);
});
