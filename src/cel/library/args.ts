// Takes the arguments of a call as what they are declared to be. The planner has looked at their types; an argument
// that is something else all the same is "no such overload".
import { noSuchOverload } from "../values/cel-error.ts";
import {
  isList,
  isMap,
  type ListValue,
  type MapValue,
  type OpaqueValue,
  type Value,
} from "../values/value.ts";

type Args = readonly Value[];

export function valueAt(args: Args, index: number): Value {
  const arg = args[index];
  if (arg === undefined) throw noSuchOverload();
  return arg;
}

export function textAt(args: Args, index: number): string {
  const arg = args[index];
  if (typeof arg !== "string") throw noSuchOverload();
  return arg;
}

export function intAt(args: Args, index: number): bigint {
  const arg = args[index];
  if (typeof arg !== "bigint") throw noSuchOverload();
  return arg;
}

export function boolAt(args: Args, index: number): boolean {
  const arg = args[index];
  if (typeof arg !== "boolean") throw noSuchOverload();
  return arg;
}

export function listAt(args: Args, index: number): ListValue {
  const arg = args[index];
  if (!isList(arg)) throw noSuchOverload();
  return arg;
}

export function mapAt(args: Args, index: number): MapValue {
  const arg = args[index];
  if (!isMap(arg)) throw noSuchOverload();
  return arg;
}

export function instanceAt<T extends Value & object>(
  args: Args,
  index: number,
  type: abstract new (...parameters: never[]) => T,
): T {
  const arg = args[index];
  if (!(arg instanceof type)) throw noSuchOverload();
  return arg;
}

/** The base of the values that libraries add. */
export abstract class Opaque implements OpaqueValue {
  readonly tag = "opaque";
  abstract readonly celType: OpaqueValue["celType"];
  abstract equals(other: OpaqueValue): boolean;
}
