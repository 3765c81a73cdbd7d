// Logic, equality, order, membership, size and lookups. What the planner runs itself (&&, ||, ?:, lookups) is only
// declared here.
import { type FunctionDecl, global, member } from "../language/overload.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOf,
  UINT,
} from "../language/types.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { describeKey, EntryMap } from "../values/collections.ts";
import { compare, equals, sizeOf, typeOfValue } from "../values/inspect.ts";
import { isList, isMap, TypeValue, Uint, type Value } from "../values/value.ts";
import { mapAt, valueAt } from "./args.ts";

const A = param("A");
const B = param("B");
const LIST = listOf(A);
const MAP = mapOf(A, B);

/** Every pair of types that have an order, with the name that the cost rules know it by. */
const ORDERED: readonly (readonly [string, CelType, CelType])[] = [
  ["bool", BOOL, BOOL],
  ["int64", INT, INT],
  ["int64_double", INT, DOUBLE],
  ["int64_uint64", INT, UINT],
  ["uint64", UINT, UINT],
  ["uint64_double", UINT, DOUBLE],
  ["uint64_int64", UINT, INT],
  ["double", DOUBLE, DOUBLE],
  ["double_int64", DOUBLE, INT],
  ["double_uint64", DOUBLE, UINT],
  ["string", STRING, STRING],
  ["bytes", BYTES, BYTES],
  ["timestamp", TIMESTAMP, TIMESTAMP],
  ["duration", DURATION, DURATION],
];

function relation(name: string, prefix: string, holds: (order: number) => boolean): FunctionDecl {
  const run = (args: readonly Value[]): Value => holds(compare(valueAt(args, 0), valueAt(args, 1), name));
  return {
    name,
    overloads: ORDERED.map(([suffix, a, b]) => global(`${prefix}_${suffix}`, [a, b], BOOL, run)),
  };
}

function contains(args: readonly Value[]): Value {
  const item = valueAt(args, 0);
  const within = valueAt(args, 1);
  if (isMap(within)) return within.find(item) !== undefined;
  if (!isList(within)) throw noSuchOverload();
  for (let index = 0; index < within.size; index++) if (equals(within.at(index), item)) return true;
  return false;
}

function size(args: readonly Value[]): Value {
  const found = sizeOf(valueAt(args, 0));
  if (found === undefined) throw noSuchOverload("size");
  return BigInt(found);
}

function not(args: readonly Value[]): Value {
  const value = valueAt(args, 0);
  if (typeof value !== "boolean") throw noSuchOverload();
  return !value;
}

/** Adds to the map of a macro, which is changed in place, or to a copy of any other. */
function mapInsert(args: readonly Value[]): Value {
  const given = mapAt(args, 0);
  let into: EntryMap;
  if (given instanceof EntryMap && given.growing) into = given;
  else {
    into = new EntryMap();
    for (const key of given.keys()) into.insert(key, given.find(key) ?? null);
  }
  if (args.length === 3) {
    into.insert(valueAt(args, 1), valueAt(args, 2));
    return into;
  }
  const more = mapAt(args, 1);
  for (const key of more.keys()) into.insert(key, more.find(key) ?? null);
  return into;
}

function lookupFunctions(): FunctionDecl[] {
  const optionals = [
    global("optional_list_index_int", [optionalOf(LIST), INT], optionalOf(A)),
    global("optional_map_index_value", [optionalOf(MAP), A], optionalOf(B)),
  ];
  return [
    {
      name: "_[_]",
      overloads: [global("index_list", [LIST, INT], A), global("index_map", [MAP, A], B), ...optionals],
    },
    {
      name: "_[?_]",
      overloads: [
        global("list_optindex_optional_int", [LIST, INT], optionalOf(A)),
        global("optional_list_optindex_optional_int", [optionalOf(LIST), INT], optionalOf(A)),
        global("map_optindex_optional_value", [MAP, A], optionalOf(B)),
        global("optional_map_optindex_optional_value", [optionalOf(MAP), A], optionalOf(B)),
      ],
    },
  ];
}

export function operatorFunctions(): FunctionDecl[] {
  const equal = (args: readonly Value[]): Value => equals(valueAt(args, 0), valueAt(args, 1));
  const sized: readonly (readonly [string, CelType])[] = [
    ["bytes", BYTES],
    ["list", LIST],
    ["map", MAP],
    ["string", STRING],
  ];
  return [
    { name: "_?_:_", overloads: [global("conditional", [BOOL, A, A], A)] },
    { name: "_&&_", overloads: [global("logical_and", [BOOL, BOOL], BOOL)] },
    { name: "_||_", overloads: [global("logical_or", [BOOL, BOOL], BOOL)] },
    { name: "!_", overloads: [global("logical_not", [BOOL], BOOL, not)] },
    { name: "@not_strictly_false", overloads: [global("not_strictly_false", [BOOL], BOOL)] },
    { name: "_==_", overloads: [global("equals", [A, A], BOOL, equal)] },
    { name: "_!=_", overloads: [global("not_equals", [A, A], BOOL, (args) => !equal(args))] },
    relation("_<_", "less", (order) => order < 0),
    relation("_<=_", "less_equals", (order) => order <= 0),
    relation("_>_", "greater", (order) => order > 0),
    relation("_>=_", "greater_equals", (order) => order >= 0),
    ...lookupFunctions(),
    {
      name: "@in",
      overloads: [global("in_list", [A, LIST], BOOL, contains), global("in_map", [A, MAP], BOOL, contains)],
    },
    {
      name: "size",
      overloads: [
        ...sized.map(([name, type]) => global(`size_${name}`, [type], INT, size)),
        ...sized.map(([name, type]) => member(`${name}_size`, [type], INT, size)),
      ],
    },
    { name: "dyn", overloads: [global("to_dyn", [A], DYN, (args) => valueAt(args, 0))] },
    { name: "type", overloads: [global("type", [A], typeOf(A), (args) => runtimeType(valueAt(args, 0)))] },
    {
      name: "cel.@mapInsert",
      overloads: [
        global("@mapInsert_map_key_value", [MAP, A, B], MAP, mapInsert),
        global("@mapInsert_map_map", [MAP, MAP], MAP, mapInsert),
      ],
    },
  ];
}

const runtimeType = (value: Value): Value =>
  new TypeValue(value instanceof TypeValue ? TYPE : typeOfValue(value));

/** The element of a list or map, by position or key. */
export function lookUp(within: Value, key: Value): Value {
  const found = tryLookUp(within, key);
  if (found !== undefined) return found;
  if (isList(within)) throw new CelError(within.outOfRange(positionOf(key)));
  throw new CelError(`no such key: ${describeKey(key)}`);
}

/** As lookUp, with undefined for what is not there. */
export function tryLookUp(within: Value, key: Value): Value | undefined {
  if (isMap(within)) return within.find(key);
  if (!isList(within)) throw noSuchOverload();
  const position = positionOf(key);
  return position >= 0n && position < BigInt(within.size) ? within.at(Number(position)) : undefined;
}

function positionOf(key: Value): bigint {
  if (typeof key === "bigint") return key;
  if (typeof key === "number" && Number.isInteger(key)) return BigInt(key);
  if (typeof key === "number") throw new CelError(`unsupported index value ${key} in list`);
  if (key instanceof Uint) return key.value;
  throw new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}
