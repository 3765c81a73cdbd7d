// CEL: parser, checker, cost and evaluation. Any text is an expression or has a reported problem; nothing is thrown.
import { compileExpression, environmentOf } from "../../../../src/apimachinery/cel/evaluate.ts";
import { DYN } from "../../../../src/apimachinery/cel/language/types.ts";
import { valueOfJson } from "../../../../src/apimachinery/cel/values/collections.ts";
import { type ParserTarget, texts } from "../target.ts";

const environment = environmentOf(new Map([["self", DYN]]));
const SELF = valueOfJson({ items: ["a1", "b"], name: "n", text: "a,B,c", count: 5, map: { a: { b: [1] } } });
const COST_MAX = 100_000;

export const CEL_TARGET: ParserTarget = {
  seeds: () =>
    texts(
      "self.items.all(x, x.matches('^a[0-9]{1,3}$') && size(x) < 10) || has(self.name)",
      "[1, 2u, 3.5, 'a', b'b', null, true, {'k': [1]}].map(x, x).filter(x, type(x) == int).size() == 1",
      "duration('1h') + timestamp('2024-01-01T00:00:00Z') > timestamp('2023-01-01T00:00:00Z') ? 1 : -2 % 3",
      "self.text.split(',').exists_one(x, x.lowerAscii().find('[a-z]+') == 'a') && quantity('1Gi').isGreaterThan(quantity('1M'))",
    ),
  tokens: [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    "self",
    ".all(x, ",
    ".map(x, ",
    "matches('",
    "'",
    '"',
    "'''",
    "r'",
    "\\u",
    "?",
    ":",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "in ",
    "{1000}",
    "1e",
    "0x",
    "u",
    "9223372036854775808",
    "size(",
    "dyn(",
  ],
  run(input) {
    const compiled = compileExpression(input.toString("utf8"), environment);
    if (!("problem" in compiled)) compiled.evaluate([SELF], COST_MAX);
  },
  isExpected: () => false,
};
