import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeJson, decodeJsonInTurns, JsonSyntaxError } from "../../src/apimachinery/json/json-decode.ts";
import { encodeJson } from "../../src/apimachinery/json/json-encode.ts";
import { encodeJsonInTurns } from "../../src/apimachinery/json/json-in-turns.ts";
import { decodeJsonValue } from "../../src/apimachinery/json/json-value.ts";
import { cidrContains, ipFromValue, parseCidr, parseIp } from "../../src/apimachinery/meta/ip.ts";

/** The common subset of both: no lone surrogates, no negative zero, numbers as doubles. */
function plain(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number" || typeof value === "bigint") return Number(value) + 0;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).map(([key, item]) => [key.toWellFormed(), plain(item)]);
}

describe("JSON", () => {
  test("what JSON.parse reads is read the same", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, 4), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), undefined, indent);
        expect(plain(decodeJson(Buffer.from(spaced)).value)).toEqual(plain(JSON.parse(spaced)));
        expect(decodeJson(Buffer.from(spaced)).duplicates).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("any string survives, apart from halves of surrogate pairs", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })), (value) => {
        expect(plain(decodeJson(JSON.stringify(value)).value)).toEqual(
          plain(JSON.parse(JSON.stringify(value))),
        );
      }),
    );
  });

  test("a text with one letter changed is read or refused as JSON.parse does", () => {
    const letters = fc.constantFrom(...'{}[],:"\\u0123456789.eE+-truefalsn \n\t/x');
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), letters, (text, at, letter) => {
        const cut = at % (text.length + 1);
        const changed = text.slice(0, cut) + letter + text.slice(cut + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(changed);
        } catch {
          expect(() => decodeJson(changed)).toThrow(JsonSyntaxError);
          return;
        }
        if (/[eE]\+?\d{3}/.test(changed)) return;
        expect(plain(decodeJson(changed).value)).toEqual(plain(expected));
      }),
      { numRuns: 2000 },
    );
  });

  test("a value that is read by V8 where it loses nothing is that of our own reader, or refused with its words", () => {
    const outcome = (read: () => unknown): unknown => {
      try {
        return read();
      } catch (error) {
        return String(error);
      }
    };
    const odd = fc.constantFrom(
      "-0",
      "1e400",
      "1E+99",
      "-1e-400",
      "9007199254740993",
      '"\\ud800"',
      '"\\u0041"',
      "[[",
      "}",
      ",",
      "01",
      "\n",
    );
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.oneof(fc.string({ maxLength: 3 }), odd),
        (text, at, more) => {
          const cut = at % (text.length + 1);
          for (const given of [text, `[${text},${more}]`, text.slice(0, cut) + more + text.slice(cut + 1)]) {
            const bytes = Buffer.from(given);
            const depth = { depthMax: 4 };
            expect(outcome(() => decodeJsonValue(bytes))).toStrictEqual(
              outcome(() => decodeJson(bytes).value),
            );
            expect(outcome(() => decodeJsonValue(bytes, depth))).toStrictEqual(
              outcome(() => decodeJson(bytes, depth).value),
            );
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("a text that is read in turns is read or refused as one that is read at once", async () => {
    const outcome = async (read: () => unknown) => {
      try {
        return await read();
      } catch (error) {
        return String(error);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 3 }), fc.nat(), fc.string(), async (text, at, odd) => {
        const cut = at % (text.length + 1);
        for (const bytes of [text, text.slice(0, cut) + odd].map((given) => Buffer.from(given))) {
          expect(await outcome(() => decodeJsonInTurns(bytes))).toEqual(
            await outcome(() => decodeJson(bytes)),
          );
        }
      }),
    );
  });

  test("a value is written in turns as it is at once", async () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 0 }),
        fc.constantFrom(undefined, 2n ** 60n, 1e21, Number.NaN, "\ud800", 'a"b', "<>"),
        fc.array(tie("any")),
        fc.dictionary(fc.string(), tie("any")),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        expect(await encodeJsonInTurns(given)).toBe(encodeJson(given));
      }),
    );
  });

  test("an int64 keeps every digit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        const { value } = decodeJson(`{"i":${integer}}`);
        expect(String((value as { i: unknown }).i)).toBe(String(integer));
      }),
    );
  });
});

describe("addresses", () => {
  test("an IPv6 text is canonical as a URL's host is", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const ip = parseIp(text);
        if (ip?.mapped) return;
        expect(`[${ip?.text}]`).toBe(new URL(`http://[${text}]/`).hostname);
      }),
    );
  });

  test("a canonical text is read as itself", () => {
    const groups = fc.array(fc.constantFrom(0n, 0n, 1n, 0xffffn, 0xabcdn), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (parts) => {
        const value = parts.reduce<bigint>((sum, part) => (sum << 16n) | part, 0n);
        if (value >> 32n === 0xffffn) return;
        expect(parseIp(ipFromValue(6, value).text)?.value).toBe(value);
      }),
    );
  });

  test("a network holds its ends and nothing beside them", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 1, max: 32 }), (text, prefix): void => {
        const cidr = parseCidr(`${text}/${prefix}`);
        if (!cidr) throw new Error("no network");
        const holds = (value: bigint): boolean => cidrContains(cidr, ipFromValue(4, value));
        expect(holds(cidr.first) && holds(cidr.last) && holds(cidr.address.value)).toBe(true);
        if (cidr.first > 0n) expect(holds(cidr.first - 1n)).toBe(false);
        if (cidr.last < 0xffffffffn) expect(holds(cidr.last + 1n)).toBe(false);
      }),
    );
  });
});
