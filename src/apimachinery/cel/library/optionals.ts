// Optional values: optional.of(), optional.none(), hasValue(), value(). or() and orValue() evaluate their argument only
// if it is needed, so the planner implements them.

import { ArrayList, itemsOf } from "../values/collections.ts";
import { numeric, sizeOf } from "../values/inspect.ts";
import {
  CelError,
  Duration,
  isMap,
  type ListValue,
  OPTIONAL_NONE,
  Optional,
  Timestamp,
  type Value,
} from "../values/value.ts";
import { declare, type FunctionDecl } from "./declare.ts";

/** False for the values that protobuf would leave out: 0, "", false, null, empty lists and maps. */
function isNonZero(value: Value): boolean {
  if (value === null || value === false) return false;
  if (value instanceof Duration) return value.nanos !== 0n;
  if (value instanceof Timestamp) return true;
  if (value instanceof Optional) return value.value !== undefined;
  const number = numeric(value);
  if (number !== undefined) return number !== 0 && number !== 0n;
  return sizeOf(value) !== 0;
}

export function contentOf({ value }: Optional): Value {
  if (value === undefined) throw new CelError("optional.none() dereference");
  return value;
}

export const toOptional = (value: Value | undefined): Optional =>
  value === undefined ? OPTIONAL_NONE : new Optional(value);

/** The field of a value that may be absent: an optional without a value if any part of the path is missing. */
export function selectOptional(value: Value, field: string): Value {
  const inner = value instanceof Optional ? value.value : value;
  const found = isMap(inner) ? inner.find(field) : undefined;
  return found instanceof Optional ? found : toOptional(found);
}

const unwrapAll = (list: ListValue): Value =>
  new ArrayList(
    itemsOf(list).flatMap((item) =>
      item instanceof Optional && item.value !== undefined ? [item.value] : [],
    ),
  );

export const optionalFunctions = (): FunctionDecl[] => [
  declare("optional.of(T) -> optional(T)", toOptional),
  declare("optional.ofNonZeroValue(T) -> optional(T)", (value: Value) =>
    isNonZero(value) ? new Optional(value) : OPTIONAL_NONE,
  ),
  declare("optional.none() -> optional(T)", () => OPTIONAL_NONE),
  declare("optional(T).value() -> T", contentOf),
  declare("optional(T).hasValue() -> bool", ({ value }: Optional) => value !== undefined),
  declare("optional(T).or(optional(T)) -> optional(T)"),
  declare("optional(T).orValue(T) -> T"),
  declare("list(optional(T)).unwrapOpt() -> list(T)", unwrapAll),
  declare("optional.unwrap(list(optional(T))) -> list(T)", unwrapAll),
];
