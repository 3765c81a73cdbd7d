// Finds what a parsed JSONPath points at. A path is walked over a list of values at once; members that are missing
// give no value, while a step that does not fit its value (an index of a text, an index out of bounds, a comparison
// of different types) spoils the whole search: undefined.

import { isObject } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { Step } from "./json-path-parse.ts";

type Found = readonly unknown[] | undefined;

/** All values at the path, in document order (members of objects in the order of their names), or undefined. */
export function findByPath(root: unknown, steps: readonly Step[]): Found {
  let values: Found = [root];
  for (const step of steps) {
    values = walk(values, step);
    if (values === undefined) return undefined;
  }
  return values;
}

/** As findByPath, but of the values that are found only the first. */
export function findFirst(root: unknown, steps: readonly Step[]): Found {
  const spoiling = steps.findLastIndex(({ type }) => !NEVER_SPOILS.has(type));
  const found = findByPath(root, steps.slice(0, spoiling + 1));
  const rest = steps.slice(spoiling + 1);
  if (found === undefined || rest.length === 0) return found?.slice(0, 1);
  for (const value of found) {
    const first = firstBelow(value, rest);
    if (first !== undefined) return first;
  }
  return [];
}

const NEVER_SPOILS: ReadonlySet<Step["type"]> = new Set(["field", "wildcard", "recursive"]);

/** Steps that do not spoil a search can be taken from one value to the next. */
function firstBelow(value: unknown, steps: readonly Step[], at = 0): readonly unknown[] | undefined {
  const step = steps[at];
  if (step === undefined) return [value];
  for (const next of walk([value], step) ?? []) {
    const first = firstBelow(next, steps, at + 1);
    if (first !== undefined) return first;
  }
  return undefined;
}

function walk(values: readonly unknown[], step: Step): Found {
  switch (step.type) {
    case "field":
      return membersAt(values, step.name);
    case "wildcard":
      return values.length === 1 ? childrenOf(values[0]) : values.flatMap(childrenOf);
    case "recursive":
      return containersIn(values);
    case "index":
    case "slice":
    case "stepped":
      return eachArray(values, (array) => slice(array, step));
    case "union":
      return unite(step.members.map((member) => walkAll(values, member)));
    case "exists":
      return eachArray(values, (array) => array.filter((item) => findByPath(item, step.path)?.length));
    case "compare":
      return eachArray(values, (array) => filter(array, step));
    case "literal":
      return typeof step.value === "string" ? [step.value] : values.map(() => step.value);
    case "word":
      return undefined;
  }
}

function walkAll(values: readonly unknown[], steps: readonly Step[]): Found {
  let found: Found = values;
  for (const step of steps) {
    if (found === undefined) return undefined;
    found = walk(found, step);
  }
  return found;
}

function membersAt(values: readonly unknown[], name: string): unknown[] {
  const found: unknown[] = [];
  for (const value of values) if (isObject(value) && Object.hasOwn(value, name)) found.push(value[name]);
  return found;
}

function unite(parts: readonly Found[]): Found {
  if (parts.length === 1) return parts[0];
  const out: unknown[] = [];
  for (const part of parts) {
    if (part === undefined) return undefined;
    append(out, part);
  }
  return out;
}

/** Null has no elements; anything else that is no array cannot be indexed or filtered. */
function eachArray(values: readonly unknown[], take: (array: readonly unknown[]) => Found): Found {
  return unite(
    values.map((value) => {
      if (value === null) return [];
      return Array.isArray(value) ? take(value) : undefined;
    }),
  );
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

/** The values and everything below them that has members itself. */
function containersIn(values: readonly unknown[], found: unknown[] = []): unknown[] {
  for (const value of values) {
    const children = childrenOf(value);
    if (children.length === 0) continue;
    found.push(value);
    containersIn(children, found);
  }
  return found;
}

function slice(array: readonly unknown[], step: Step): Found {
  if (step.type === "index") {
    const at = step.at < 0 ? step.at + array.length : step.at;
    return at >= 0 && at < array.length ? [array[at]] : undefined;
  }
  if (step.type === "stepped") {
    const taken = step.step > 0 ? slice(array, step.slice) : undefined;
    return taken?.filter((_, index) => index % step.step === 0);
  }
  if (step.type !== "slice") return undefined;
  const from = fromEnd(step.from ?? 0, array.length);
  const to = fromEnd(step.to ?? array.length, array.length);
  if (from === to) return [];
  const fits = from >= 0 && from < to && to <= array.length;
  return fits ? array.slice(from, to) : undefined;
}

function fromEnd(at: number, length: number): number {
  return at < 0 ? at + length : at;
}

function filter(array: readonly unknown[], step: Step & { type: "compare" }): Found {
  const out: unknown[] = [];
  for (const item of array) {
    const lefts = findByPath(item, step.left);
    const rights = findByPath(item, step.right);
    if (lefts === undefined || rights === undefined || lefts.length > 1 || rights.length > 1)
      return undefined;
    if (lefts.length === 0 || rights.length === 0) continue;
    const passes = compare(lefts[0], step.operator, rights[0]);
    if (passes === undefined) return undefined;
    if (passes) out.push(item);
  }
  return out;
}

/** undefined: the values are of different types, have no order, or the operator is none. */
function compare(left: unknown, operator: string, right: unknown): boolean | undefined {
  const kind = comparisonKind(left);
  if (kind === undefined || kind !== comparisonKind(right)) return undefined;
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  if (kind === "boolean") return undefined;
  const [a, b] = [left, right] as [number, number]; // both numbers, or both texts, which compare alike
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    default:
      return undefined;
  }
}

/** Whole numbers and fractions are different types here, as in the Go types behind the dialect. */
function comparisonKind(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "bigint") return "integer";
  return typeof value === "string" || typeof value === "boolean" ? typeof value : undefined;
}
