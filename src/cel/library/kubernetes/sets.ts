// sets.contains(), sets.equivalent(), sets.intersects(): lists taken as sets.
import { type FunctionDecl, global } from "../../language/overload.ts";
import { BOOL, listOf, param } from "../../language/types.ts";
import { itemsOf } from "../../values/collections.ts";
import { equals } from "../../values/inspect.ts";
import type { ListValue, Value } from "../../values/value.ts";
import { listAt } from "../args.ts";

function hasAll(list: ListValue, parts: ListValue): boolean {
  const items = itemsOf(list);
  return itemsOf(parts).every((part) => items.some((item) => equals(item, part)));
}

function hasAny(a: ListValue, b: ListValue): boolean {
  const others = itemsOf(b);
  return itemsOf(a).some((item) => others.some((other) => equals(item, other)));
}

function setFunction(name: string, test: (a: ListValue, b: ListValue) => boolean): FunctionDecl {
  const list = listOf(param("T"));
  const run = (args: readonly Value[]): Value => test(listAt(args, 0), listAt(args, 1));
  return { name: `sets.${name}`, overloads: [global(`list_sets_${name}_list`, [list, list], BOOL, run)] };
}

export function setFunctions(): FunctionDecl[] {
  return [
    setFunction("contains", hasAll),
    setFunction("equivalent", (a, b) => hasAll(a, b) && hasAll(b, a)),
    setFunction("intersects", hasAny),
  ];
}
