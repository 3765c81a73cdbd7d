import fc from "fast-check";
import { expect, test } from "vitest";
import { compileExpression, environmentOf } from "../../src/apimachinery/cel/evaluate.ts";
import { DYN, INT, listOf, STRING } from "../../src/apimachinery/cel/language/types.ts";
import { parseAddress } from "../../src/apimachinery/cel/library/kubernetes/ip-address.ts";
import { ArrayList } from "../../src/apimachinery/cel/values/collections.ts";
import { ipFromValue } from "../../src/apimachinery/meta/ip.ts";

const environment = environmentOf(
  new Map([
    ["s", STRING],
    ["n", INT],
    ["l", listOf(INT)],
    ["d", DYN],
  ]),
);
const values = ["text", 3n, new ArrayList([1n, 2n]), "dyn"] as const;

function outcomeOf(text: string): string {
  const expression = compileExpression(text, environment);
  if ("problem" in expression) return expression.problem;
  const { value, error } = expression.evaluate(values, 20_000);
  return error ?? typeof value;
}

const TOKENS = [
  ..."[](){}.,:?!-+*/%<>=&|'\"`\\ \n".split(""),
  ...["==", "!=", "<=", ">=", "&&", "||", "in", "true", "null", "has", "all", "map", "x", "s", "n", "l", "d"],
  ...["1", "2.5", "0x1F", "3u", "'a'", "b'a'", "for", "optMap", "transformMap", "format", "size", "é", "😁"],
];

test("any text has a problem or an outcome", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.array(fc.constantFrom(...TOKENS)).map((t) => t.join(" ")),
      ),
      (text) => {
        expect(outcomeOf(text)).not.toBe("");
      },
    ),
    { numRuns: 1_000 },
  );
});

/** Expressions that parse, with or without valid types. */
const expressions = fc.letrec<{ e: string }>((tie) => ({
  e: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom("s", "n", "l", "d", "1", "2.5", "3u", "'a'", "true", "null", "[]", "{}", "b'x'"),
    fc
      .tuple(tie("e"), fc.constantFrom("+", "-", "*", "/", "%", "<", "==", "!=", "in", "&&", "||"), tie("e"))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie("e"), tie("e"), tie("e")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(
        tie("e"),
        fc.constantFrom("all", "exists", "exists_one", "filter", "map", "optMap", "sortBy"),
        tie("e"),
      )
      .map(([a, macro, b]) => `${a}.${macro}(x, ${b})`),
    fc
      .tuple(tie("e"), fc.constantFrom("size", "trim", "sum", "distinct", "flatten", "value", "reverse"))
      .map(([a, fn]) => `${a}.${fn}()`),
    fc
      .tuple(fc.constantFrom("string", "int", "double", "dyn", "type", "size", "quantity", "ip"), tie("e"))
      .map(([fn, a]) => `${fn}(${a})`),
    fc.tuple(tie("e"), tie("e")).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie("e"), tie("e")).map(([a, b]) => `{${a}: ${b}}`),
    fc.tuple(tie("e"), tie("e")).map(([a, b]) => `${a}[${b}]`),
    fc.tuple(tie("e"), tie("e")).map(([a, b]) => `dyn(${a}).?y[?${b}].orValue(n)`),
  ),
}));

test("any expression that parses is refused or evaluated within its budget", () => {
  fc.assert(
    fc.property(expressions.e, (text) => {
      expect(outcomeOf(text)).not.toContain("Syntax error");
    }),
    { numRuns: 1_000 },
  );
});

test("the cost of an evaluation that goes through is within the limit", () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), fc.integer({ min: 1, max: 5_000 }), (outer, inner, limit) => {
      const expression = compileExpression(
        `lists.range(${outer}).all(x, lists.range(${inner}).all(y, x + y >= 0))`,
        environment,
      );
      if ("problem" in expression) throw new Error(expression.problem);
      const { cost, exhausted } = expression.evaluate(values, limit);
      expect(exhausted === true).toBe(cost > limit);
    }),
  );
});

const bytes = (count: number) => fc.array(fc.nat(255), { minLength: count, maxLength: count });

test("an address is read back as it is written", () => {
  fc.assert(
    fc.property(fc.oneof(bytes(4), bytes(16)), (parts) => {
      const value = parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
      const { text } = ipFromValue(parts.length === 4 ? 4 : 6, value);
      expect(parseAddress(text)).toMatchObject({ ok: { address: { value }, zone: "" } });
    }),
  );
});

test("whatever is read as an address has one text, which is read as the same address", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF.::::...%") }), (text) => {
      const parsed = parseAddress(text);
      if (!("ok" in parsed)) return;
      const { address } = parsed.ok;
      expect(parseAddress(address.text)).toEqual({ ok: { address, zone: "" } });
    }),
    { numRuns: 2_000 },
  );
});
