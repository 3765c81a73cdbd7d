// Egret's JSON decoder compared with JSON.parse, on texts that a client may send: repeated keys, changed letters or bytes,
// arbitrary bytes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeJson, JsonSyntaxError } from "../../../src/apimachinery/json/json-decode.ts";
import { runs } from "../../support/fuzz-runs.ts";

/** The common subset of both: no lone surrogates, no negative zero, numbers as doubles. */
function plain(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number" || typeof value === "bigint") return Number(value) + 0;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).map(([key, item]) => [key.toWellFormed(), plain(item)]);
}

/** A value, its text, and the paths of its duplicate keys. */
interface Written {
  readonly text: string;
  readonly duplicates: readonly (readonly (string | number)[])[];
}

const key = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("a", "b", "c", "__proto__", "constructor", "", "0") },
  { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
);
const blank = fc.constantFrom("", "", " ", "\n", "\t ");
const leaf: fc.Arbitrary<Written> = fc
  .oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
  )
  .map((value) => ({ text: JSON.stringify(value), duplicates: [] }));

const { written } = fc.letrec<{ written: Written; list: Written; object: Written }>((tie) => ({
  written: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie("object"), tie("list")),
  list: fc.tuple(fc.array(tie("written"), { maxLength: 3 }), blank).map(([items, space]) => ({
    text: `[${space}${items.map(({ text }) => text).join(`${space},`)}]`,
    duplicates: items.flatMap(({ duplicates }, index) => duplicates.map((path) => [index, ...path])),
  })),
  object: fc
    .tuple(fc.array(fc.tuple(key, tie("written")), { maxLength: 5 }), blank)
    .map(([members, space]) => {
      const seen = new Set<string>();
      const duplicates: (string | number)[][] = [];
      for (const [name, { duplicates: below }] of members) {
        if (seen.has(name)) duplicates.push([name]);
        seen.add(name);
        duplicates.push(...below.map((path) => [name, ...path]));
      }
      const text = members
        .map(([name, item]) => `${JSON.stringify(name)}${space}:${item.text}`)
        .join(`,${space}`);
      return { text: `{${space}${text}${space}}`, duplicates };
    }),
}));

/** The path in the decoder's format, by a simple reference algorithm. */
function pathText(path: readonly (string | number)[]): string {
  const holders = path.slice(0, -1).reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
  return holders === "" ? String(path.at(-1)) : `${holders}.${path.at(-1)}`;
}

/** Both decode it to the same value, or both reject it. */
function expectAlike(text: string, given: string | Uint8Array = text): void {
  let expected: unknown;
  try {
    expected = JSON.parse(text);
  } catch {
    expect(() => decodeJson(given), JSON.stringify(text)).toThrow(JsonSyntaxError);
    return;
  }
  if (/\d[eE]\+?\d{3}|\d{300}/.test(text)) return; // numbers beyond a double are rejected, and are Infinity for JSON.parse
  expect(plain(decodeJson(given).value), JSON.stringify(text)).toEqual(plain(expected));
}

describe("the reader beside JSON.parse", () => {
  test("of keys that repeat the last one counts, and each is named once", () => {
    fc.assert(
      fc.property(written, ({ text, duplicates }) => {
        const decoded = decodeJson(text);
        expect(plain(decoded.value)).toEqual(plain(JSON.parse(text)));
        expect([...decoded.duplicates].sort()).toEqual([...new Set(duplicates.map(pathText))].sort());
      }),
      runs(1000),
    );
  });

  test("several letters changed", () => {
    const letters = fc.constantFrom(...'{}[],:"\\u0123456789.eE+-truefalsn \n\t/x\u0000\ud800😀');
    const change = fc.tuple(fc.nat(), fc.constantFrom("put", "insert", "cut"), letters);
    fc.assert(
      fc.property(written, fc.array(change, { minLength: 1, maxLength: 4 }), ({ text }, changes) => {
        let changed = text;
        for (const [number, how, letter] of changes) {
          const at = number % (changed.length + 1);
          changed =
            changed.slice(0, at) +
            (how === "cut" ? "" : letter) +
            changed.slice(how === "insert" ? at : at + 1);
        }
        expectAlike(changed);
      }),
      runs(3000),
    );
  });

  test("bytes changed, so that some make no letters", () => {
    fc.assert(
      fc.property(written, fc.nat(), fc.integer({ min: 0, max: 255 }), ({ text }, number, byte) => {
        const bytes = Buffer.from(text);
        if (bytes.length > 0) bytes[number % bytes.length] = byte;
        expectAlike(bytes.toString("utf8"), bytes);
      }),
      runs(2000),
    );
  });

  test("any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => expectAlike(text)),
      runs(1000),
    );
  });
});
