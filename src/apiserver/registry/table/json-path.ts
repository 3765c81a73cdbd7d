// The JSONPath dialect of Kubernetes, used by additionalPrinterColumns: a text is parsed to steps, which find values.
//
//   .spec.nodeName   ['app\.kubernetes\.io/name']   .items[0]   .items[*].node   .items[-1:]   ..name
//   .status.conditions[?(@.type=="Ready")].status
//
// A CRD is accepted with any text as path, so a path that does not parse is an ordinary result: undefined. A path is
// evaluated over a list of values at once. Missing members yield no value. A step that does not fit its value (an index of
// a text, an index out of bounds, a comparison of different types) fails the whole search: undefined.
import { isObject, lookupTable } from "../../../apimachinery/json/json.ts";
import { append } from "../../../apimachinery/meta/lists.ts";

type Found = readonly unknown[] | undefined;

/** Maps the current values to the next ones. */
export interface Step {
  walk(values: readonly unknown[]): Found;
  /** The step never fails the search, so it can be evaluated value by value. */
  readonly neverSpoils?: boolean;
}

/** Parses a path of a CRD (without the braces of a template); undefined where it does not parse. */
export function parseJsonPath(text: string): readonly Step[] | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof PathSyntaxError) return undefined;
    throw error;
  }
}

class PathSyntaxError extends Error {}

/** Tokens of a path, each with the steps that its pattern's groups produce. */
const TOKENS: readonly (readonly [pattern: RegExp, toSteps: (found: RegExpExecArray) => readonly Step[]])[] =
  [
    // A filter ends with the first parenthesis outside of quotes.
    [
      /\[\?\(((?:\\.|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[^)"'\\\n])*)\)\]/sy,
      ([, condition = ""]) => [filter(condition)],
    ],
    [
      /\.\.([\p{L}\p{N}_](?:\\.?|[^ \t\r\n.,[\]$@{}\\])*)?/suy,
      ([, name]) => [RECURSIVE, ...(name ? [field(name)] : [])],
    ],
    [/[ @$]/y, () => []],
    [/\[([^\]]*)\]/y, ([, inner = ""]) => brackets(inner)],
    [
      /(?:"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)')/sy,
      ([, a, b = ""]) => [literal(withoutEscapes(a ?? b))],
    ],
    // A name extends to the next terminator; a backslash makes any character part of it.
    [/\.((?:\\.?|[^ \t\r\n.,[\]$@{}\\])*)/sy, ([, name = ""]) => [field(name)]],
    [/[+-]?\d+(?:\.\d*)?(?![.\d])/y, ([digits]) => [literal(Number(digits))]],
    [
      /[\p{L}_][^ \t\r\n.,[\]$@{}]*/uy,
      ([word]) => [/^(?:true|false)$/.test(word) ? literal(word === "true") : WORD],
    ],
  ];

function parse(text: string): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < text.length; ) {
    const [length, found] = tokenAt(text, at);
    if (found[0] === RECURSIVE && steps.at(-1) === RECURSIVE)
      throw new PathSyntaxError("two descents in a row");
    for (const step of found) steps.push(step);
    at += length;
  }
  return steps;
}

function tokenAt(text: string, at: number): readonly [length: number, steps: readonly Step[]] {
  for (const [pattern, toSteps] of TOKENS) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) return [match[0].length, toSteps(match)];
  }
  throw new PathSyntaxError(`a path cannot hold ${text.charAt(at)} here`);
}

const withoutEscapes = (text: string): string => text.replace(/\\(.)/gs, "$1");

const field = (name: string): Step => (name === "*" ? WILDCARD : member(name.replaceAll("\\", "")));

const QUOTED_KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;

/** [3], [-1], [1:3], [:2], [::2] and [*], a quoted name, or several of them; empty brackets are the first element. */
function brackets(inner: string): readonly Step[] {
  const parts = inner.split(",");
  if (parts.length > 1) return [union(parts.map((part) => parse(`[${part.trim()}]`)))];
  const key = QUOTED_KEY.exec(inner)?.[1];
  if (key !== undefined) return parse(`.${key}`);
  if (inner === "*") return [slice(undefined, undefined)];
  const match = SLICE.exec(inner);
  if (match === null) throw new PathSyntaxError(`[${inner}] is no index`);
  const [, first = "", second, third = ""] = match;
  if (second === undefined) return [elementAt(toInteger(first) ?? 0)];
  return [slice(toInteger(first), toInteger(second.slice(1)), toInteger(third.slice(1)))];
}

function toInteger(digits: string): number | undefined {
  if (digits === "") return undefined;
  if (digits === "-") throw new PathSyntaxError("a sign needs digits");
  return Number(digits);
}

const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+)$/s;

function filter(condition: string): Step {
  const [, left, operator, right] = COMPARISON.exec(condition) ?? [];
  return left !== undefined && operator !== undefined && right !== undefined
    ? comparison(parse(left), operator, parse(right))
    : exists(parse(condition));
}

/** All values at the path, in document order (members of objects in the order of their names), or undefined. */
export function findByPath(root: unknown, steps: readonly Step[]): Found {
  return walkAll([root], steps);
}

function walkAll(values: readonly unknown[], steps: readonly Step[]): Found {
  let found: Found = values;
  for (const step of steps) {
    if (found === undefined) return undefined;
    found = step.walk(found);
  }
  return found;
}

/** As findByPath, but only the first value. */
export function findFirst(root: unknown, steps: readonly Step[]): Found {
  const spoiling = steps.findLastIndex(({ neverSpoils }) => !neverSpoils);
  const found = findByPath(root, steps.slice(0, spoiling + 1));
  const rest = steps.slice(spoiling + 1);
  if (found === undefined || rest.length === 0) return found?.slice(0, 1);
  for (const value of found) {
    const first = firstBelow(value, rest);
    if (first !== undefined) return first;
  }
  return [];
}

function firstBelow(value: unknown, steps: readonly Step[], at = 0): readonly unknown[] | undefined {
  const step = steps[at];
  if (step === undefined) return [value];
  for (const next of step.walk([value]) ?? []) {
    const first = firstBelow(next, steps, at + 1);
    if (first !== undefined) return first;
  }
  return undefined;
}

const member = (name: string): Step => ({
  neverSpoils: true,
  walk(values) {
    const found: unknown[] = [];
    for (const value of values) if (isObject(value) && Object.hasOwn(value, name)) found.push(value[name]);
    return found;
  },
});

const WILDCARD: Step = {
  neverSpoils: true,
  walk: (values) => (values.length === 1 ? childrenOf(values[0]) : values.flatMap(childrenOf)),
};

const RECURSIVE: Step = { neverSpoils: true, walk: (values) => containersIn(values) };

/** A bare word. The dialect knows range and end, which do nothing in a column. */
const WORD: Step = { walk: () => undefined };

const literal = (value: string | number | boolean): Step => ({
  walk: (values) => (typeof value === "string" ? [value] : values.map(() => value)),
});

const union = (members: readonly (readonly Step[])[]): Step => ({
  walk: (values) => unite(members.map((steps) => walkAll(values, steps))),
});

/** Null has no elements; any other value that is no array cannot be indexed or filtered. */
const ofArray = (take: (array: readonly unknown[]) => Found): Step => ({
  walk: (values) =>
    unite(
      values.map((value) => {
        if (value === null) return [];
        return Array.isArray(value) ? take(value) : undefined;
      }),
    ),
});

const elementAt = (index: number): Step =>
  ofArray((array) => {
    const at = fromEnd(index, array.length);
    return at >= 0 && at < array.length ? [array[at]] : undefined;
  });

const slice = (first: number | undefined, last: number | undefined, step = 1): Step =>
  ofArray((array) => {
    const from = fromEnd(first ?? 0, array.length);
    const to = fromEnd(last ?? array.length, array.length);
    if (step <= 0) return undefined;
    if (from === to) return [];
    const fits = from >= 0 && from < to && to <= array.length;
    return fits ? array.slice(from, to).filter((_, index) => index % step === 0) : undefined;
  });

const exists = (path: readonly Step[]): Step =>
  ofArray((array) => array.filter((item) => findByPath(item, path)?.length));

const comparison = (left: readonly Step[], operator: string, right: readonly Step[]): Step =>
  ofArray((array) => {
    const out: unknown[] = [];
    for (const item of array) {
      const lefts = findByPath(item, left);
      const rights = findByPath(item, right);
      if (lefts === undefined || rights === undefined || lefts.length > 1 || rights.length > 1)
        return undefined;
      if (lefts.length === 0 || rights.length === 0) continue;
      const passes = compare(lefts[0], operator, rights[0]);
      if (passes === undefined) return undefined;
      if (passes) out.push(item);
    }
    return out;
  });

function unite(parts: readonly Found[]): Found {
  if (parts.length === 1) return parts[0];
  const out: unknown[] = [];
  for (const part of parts) {
    if (part === undefined) return undefined;
    append(out, part);
  }
  return out;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

/** The values and everything below them that has members. */
function containersIn(values: readonly unknown[], found: unknown[] = []): unknown[] {
  for (const value of values) {
    const children = childrenOf(value);
    if (children.length === 0) continue;
    found.push(value);
    containersIn(children, found);
  }
  return found;
}

const fromEnd = (at: number, length: number): number => (at < 0 ? at + length : at);

/** undefined: the values have different types or no order, or the operator is unknown. */
function compare(left: unknown, operator: string, right: unknown): boolean | undefined {
  const kind = comparisonKind(left);
  if (kind === undefined || kind !== comparisonKind(right)) return undefined;
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  const [a, b] = [left, right] as [number, number]; // both numbers or both strings, with the same operators
  return kind === "boolean" ? undefined : ORDER[operator]?.(a, b);
}

const ORDER: Readonly<Record<string, (a: number, b: number) => boolean>> = lookupTable({
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
});

/** Whole numbers and fractions are different types here, as in the dialect's Go types. */
function comparisonKind(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "bigint") return "integer";
  return typeof value === "string" || typeof value === "boolean" ? typeof value : undefined;
}
