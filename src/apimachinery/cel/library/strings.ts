// Functions on texts. Positions count code points. Regular expressions have RE2's syntax and guarantees: matching takes
// time linear in the text, whatever the pattern is.

import { compiledSize, compilePattern, patternError } from "../../go/pattern.ts";
import { patternSize } from "../../go/pattern-size.ts";
import { goQuote } from "../../go/strconv.ts";
import { trimSpace } from "../../go/white-space.ts";
import { ArrayList, itemsOf } from "../values/collections.ts";
import { countMatching, lengthOf } from "../values/inspect.ts";
import { CelError, CostExceeded, type ListValue, noSuchOverload, type Value } from "../values/value.ts";
import { TEXT_MAX, toText } from "./arithmetic.ts";
import { declare, declareOpen, type FunctionDecl } from "./declare.ts";
import {
  addSizes,
  costToTraverse,
  estimateMatch,
  fixedSize,
  matchCost,
  multiplyCosts,
  multiplySizes,
  type Operand,
  type Price,
  scan,
  scanAll,
  scanTwice,
  sizeAt,
  sizeOfArg,
  transform,
  traverse,
  UNKNOWN_SIZE,
} from "./price.ts";
import { formatText } from "./string-format.ts";

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): Value {
  const points = Array.from(text);
  if (index < 0n || index > BigInt(points.length)) throw outOfRange(index);
  return points[Number(index)] ?? "";
}

/** Converts a position from UTF-16 units to code points. */
const pointIndex = (text: string, unit: number): bigint =>
  unit < 0 ? -1n : BigInt(lengthOf(text.slice(0, unit)));

const unitIndex = (text: string, point: bigint): number =>
  Array.from(text).slice(0, Number(point)).join("").length;

function indexOf(text: string, part: string, from?: bigint): Value {
  if (part === "") return from ?? 0n;
  if (from === undefined && text === "") return -1n;
  const start = from ?? 0n;
  if (start < 0n || start >= BigInt(lengthOf(text))) throw outOfRange(start);
  return pointIndex(text, text.indexOf(part, unitIndex(text, start)));
}

function lastIndexOf(text: string, part: string, from?: bigint): Value {
  const length = BigInt(lengthOf(text));
  if (part === "") return from ?? length;
  if (from === undefined) return lengthOf(part) > length ? -1n : pointIndex(text, text.lastIndexOf(part));
  if (from < 0n || from >= length) throw outOfRange(from);
  return pointIndex(text, text.lastIndexOf(part, unitIndex(text, from)));
}

function substring(text: string, start: bigint, end?: bigint): Value {
  const points = Array.from(text);
  const length = BigInt(points.length);
  const stop = end ?? length;
  if (end !== undefined && start > end) {
    throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > length) throw outOfRange(start);
  if (stop < 0n || stop > length) throw outOfRange(stop);
  return points.slice(Number(start), Number(stop)).join("");
}

function replace(text: string, old: string, fresh: string, limit = -1n): Value {
  const parts = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  const count = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1);
  if (text.length + count * fresh.length > TEXT_MAX) throw new CostExceeded();
  const rest = parts.slice(count).join(old);
  return count === 0 ? text : parts.slice(0, count).join(fresh) + fresh + rest;
}

const replacing: Price = {
  ...scanTwice,
  estimate: (operands) => {
    const [text, old, fresh] = [sizeAt(operands, 0), sizeAt(operands, 1), sizeAt(operands, 2)];
    let count = 0;
    let kept = 0;
    if (old.min === 0) {
      count = text.max + 1;
      kept = text.max;
    } else if (fresh.max <= old.min) kept = text.max;
    else count = Math.ceil(text.max / old.min);
    const size = addSizes(multiplySizes({ min: 0, max: count }, fresh), { min: 0, max: kept });
    return { cost: costToTraverse(text, 2), size };
  },
};

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return new ArrayList([]);
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return new ArrayList(parts);
  const kept = Number(limit) - 1;
  return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

const splitting: Price = {
  ...scanTwice,
  estimate: (operands) => {
    const text = sizeAt(operands, 0);
    const limit = operands[2]?.constant ?? -1n;
    return { cost: costToTraverse(text, 2), size: { min: 0, max: limit < 0n ? text.max : Number(limit) } };
  },
};

function join(list: ListValue, separator = ""): Value {
  const parts = itemsOf(list).map(demandText);
  const size = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  if (size > TEXT_MAX) throw new CostExceeded();
  return parts.join(separator);
}

const joining: Price = {
  cost: () => 0,
  result: (text) => traverse(text, 2),
  estimate: (operands) => {
    const list = sizeAt(operands, 0);
    const items = operands[0]?.type.params[0] ? (operands[0].itemSize ?? UNKNOWN_SIZE) : fixedSize(0);
    let size = multiplySizes(list, items);
    if (operands.length > 1) {
      const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
      size = addSizes(size, multiplySizes(sizeAt(operands, 1), gaps));
    }
    return { cost: costToTraverse(size), size };
  },
};

const quoting: Price = {
  ...scan,
  estimate: (operands) => {
    const { min, max } = sizeAt(operands, 0);
    const size = { min: min + 2, max: Math.min(max * 2 + 2, UNKNOWN_SIZE.max) };
    return { cost: costToTraverse({ min, max }), size };
  },
};

function demandText(value: Value): string {
  if (typeof value !== "string") throw noSuchOverload();
  return value;
}

/** For two texts, without a type check: other values give "no such overload". */
const textTest =
  (test: (text: string, part: string) => boolean) =>
  (text: Value, part: Value): Value =>
    test(demandText(text), demandText(part));

const beginning: Price = { ...scan, estimate: (operands) => ({ cost: costToTraverse(sizeAt(operands, 1)) }) };

export const textTestFunctions = (): FunctionDecl[] => [
  declareOpen(
    "string.contains(string) -> bool",
    textTest((text, part) => text.includes(part)),
    {
      cost: ([text, part]) => traverse(text) * traverse(part),
      estimate: (operands) => ({
        cost: multiplyCosts(costToTraverse(sizeAt(operands, 0)), costToTraverse(sizeAt(operands, 1))),
      }),
    },
  ),
  declareOpen(
    "string.endsWith(string) -> bool",
    textTest((text, part) => text.endsWith(part)),
    beginning,
  ),
  declareOpen(
    "string.startsWith(string) -> bool",
    textTest((text, part) => text.startsWith(part)),
    beginning,
  ),
];

const lower = (text: string): Value => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string): Value => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

export const stringFunctions = (): FunctionDecl[] => [
  declare("string.charAt(int) -> string", charAt),
  declare("string.indexOf(string, int?) -> int", indexOf, scanAll),
  declare("string.lastIndexOf(string, int?) -> int", lastIndexOf, scanAll),
  declare("string.lowerAscii() -> string", lower, transform),
  declare("string.upperAscii() -> string", upper, transform),
  declare("string.replace(string, string, int?) -> string", replace, replacing),
  declare("string.split(string, int?) -> list(string)", split, splitting),
  declare("string.substring(int, int?) -> string", substring, transform),
  declare("string.trim() -> string", trimSpace, transform),
  declare("list(string).join(string?) -> string", join, joining),
  declare(
    "string.format(list(dyn)) -> string",
    (template: string, args: ListValue) => toText(formatText(template, args)),
    { cost: ([template]) => 1 + traverse(template), result: (text) => traverse(text) },
  ),
  declare("strings.quote(string) -> string", goQuote, quoting),
];

/** Compiling an instruction takes about as long as so many matching steps. */
const COMPILING_STEPS = 50;

/** Compiles a pattern and applies it to a text. Throws a CelError for an invalid pattern. */
function matcherOf(text: string, pattern: string, prefix = "") {
  const size = compiledSize(pattern);
  if (size === undefined) countMatching(patternSize(pattern) * (text.length + COMPILING_STEPS));
  else countMatching(size * (text.length + 1));
  const problem = patternError(pattern);
  if (problem !== undefined) throw new CelError(prefix + problem);
  return compilePattern(pattern).matcher(text);
}

const matches = textTest((text, pattern) => matcherOf(text, pattern).find());

function find(text: string, pattern: string): Value {
  const matcher = matcherOf(text, pattern, "Illegal regex: ");
  return matcher.find() ? (matcher.group() ?? "") : "";
}

function findAll(text: string, pattern: string, limit = -1n): Value {
  const matcher = matcherOf(text, pattern, "Illegal regex: ");
  const found: Value[] = [];
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) found.push(matcher.group() ?? "");
  return new ArrayList(found);
}

const patternCost = ([text, pattern]: readonly Value[]): number => matchCost(text, sizeOfArg(pattern));
const estimatePattern = (operands: readonly Operand[]): number =>
  estimateMatch(addSizes(sizeAt(operands, 0), fixedSize(1)), sizeAt(operands, 1));

const matching: Price = {
  cost: patternCost,
  estimate: (operands, { isMember }) => ({ cost: isMember ? estimatePattern(operands) : 1 }),
};
const finding: Price = {
  cost: patternCost,
  estimate: (operands) => ({
    cost: estimatePattern(operands),
    size: { min: 0, max: sizeAt(operands, 0).max },
  }),
};

export const regularExpressionFunctions = (): FunctionDecl[] => [
  declareOpen("matches(string, string) -> bool", matches, matching),
  declareOpen("string.matches(string) -> bool", matches, matching),
  declare("string.find(string) -> string", find, finding),
  declare("string.findAll(string, int?) -> list(string)", findAll, finding),
];
