// Functions on lists: Kubernetes' own (isSorted, sum, min, max, indexOf) and those of the lists extension
// (slice, flatten, sort, distinct …).
import { type FunctionDecl, global, member, type Overload } from "../../language/overload.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from "../../language/types.ts";
import { CelError, CostExceeded, noSuchOverload } from "../../values/cel-error.ts";
import { ArrayList, itemsOf } from "../../values/collections.ts";
import { compare, equals, numeric, typeOfValue } from "../../values/inspect.ts";
import {
  Duration,
  isList,
  type ListValue,
  OPTIONAL_NONE,
  Optional,
  Uint,
  type Value,
} from "../../values/value.ts";
import { countWork } from "../../values/work.ts";
import { intAt, listAt, valueAt } from "../args.ts";
import { toDuration, toInt, toUint } from "../arithmetic.ts";

type Args = readonly Value[];
const T = param("T");
const LIST = listOf(T);
/** The longest list that lists.range() makes. */
const RANGE_MAX = 1_000_000n;
/** The most pairs that distinct() compares where values have no key. */
const PAIRS_MAX = 10_000_000;

const SUMMABLE: readonly (readonly [string, CelType])[] = [
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["duration", DURATION],
];
const COMPARABLE: readonly (readonly [string, CelType])[] = [
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["bool", BOOL],
  ["duration", DURATION],
  ["timestamp", TIMESTAMP],
  ["string", STRING],
  ["bytes", BYTES],
];

function isSorted(args: Args): Value {
  const items = itemsOf(listAt(args, 0));
  return items.every(
    (item, index) => index === 0 || compare(valueAt(items, index - 1), item, "isSorted") <= 0,
  );
}

function sum(zero: Value): (args: Args) => Value {
  return (args) => {
    const items = itemsOf(listAt(args, 0));
    if (typeof zero === "number") {
      return items.reduce((total: number, item) => total + (typeof item === "number" ? item : Number.NaN), 0);
    }
    const total = items.reduce((before: bigint, item) => before + wholeOf(item), 0n);
    if (zero instanceof Uint) return toUint(total);
    return zero instanceof Duration ? toDuration(total) : toInt(total);
  };
}

function wholeOf(item: Value): bigint {
  if (item instanceof Duration) return item.nanos;
  const number = numeric(item);
  if (typeof number !== "bigint") throw noSuchOverload();
  return number;
}

function extreme(name: string, sign: number): (args: Args) => Value {
  return (args) => {
    const [first, ...rest] = itemsOf(listAt(args, 0));
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return rest.reduce((best, item) => (compare(best, item, name) * sign < 0 ? item : best), first);
  };
}

function indexOf(args: Args): Value {
  return BigInt(itemsOf(listAt(args, 0)).findIndex((item) => equals(item, valueAt(args, 1))));
}

function lastIndexOf(args: Args): Value {
  return BigInt(itemsOf(listAt(args, 0)).findLastIndex((item) => equals(item, valueAt(args, 1))));
}

const perType = (
  types: readonly (readonly [string, CelType])[],
  make: (name: string, type: CelType) => Overload,
): Overload[] => types.map(([name, type]) => make(name, type));

export function kubernetesListFunctions(): FunctionDecl[] {
  const zeros: Readonly<Record<string, Value>> = {
    int: 0n,
    uint: new Uint(0n),
    double: 0,
    duration: new Duration(0n),
  };
  const best = (fn: string, sign: number): FunctionDecl => ({
    name: fn,
    overloads: perType(COMPARABLE, (name, type) =>
      member(`list_${name}_${fn}_${name}`, [listOf(type)], type, extreme(fn, sign)),
    ),
  });
  return [
    {
      name: "isSorted",
      overloads: perType(COMPARABLE, (name, type) =>
        member(`list_${name}_is_sorted_bool`, [listOf(type)], BOOL, isSorted),
      ),
    },
    {
      name: "sum",
      overloads: perType(SUMMABLE, (name, type) =>
        member(`list_${name}_sum_${name}`, [listOf(type)], type, sum(zeros[name] ?? 0n)),
      ),
    },
    best("max", 1),
    best("min", -1),
    { name: "indexOf", overloads: [member("list_a_index_of_int", [LIST, T], INT, indexOf)] },
    { name: "lastIndexOf", overloads: [member("list_a_last_index_of_int", [LIST, T], INT, lastIndexOf)] },
  ];
}

function slice(args: Args): Value {
  const list = listAt(args, 0);
  const start = intAt(args, 1);
  const end = intAt(args, 2);
  const shown = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new CelError(`${shown}, negative indexes not supported`);
  if (start > end) throw new CelError(`${shown}, start index must be less than or equal to end index`);
  if (BigInt(list.size) < end) throw new CelError(`${shown}, list is length ${list.size}`);
  return new ArrayList(itemsOf(list).slice(Number(start), Number(end)));
}

function flatten(list: ListValue, depth: bigint): Value[] {
  if (depth < 0n) throw new CelError("level must be non-negative");
  countWork();
  return itemsOf(list).flatMap((item) => (isList(item) && depth > 0n ? flatten(item, depth - 1n) : [item]));
}

function sortItems(items: readonly Value[], keys: readonly Value[]): Value {
  const first = keys[0];
  if (first === undefined) return new ArrayList([]);
  const type = typeOfValue(first);
  if (keys.some((key) => typeOfValue(key).name !== type.name)) {
    throw new CelError("list elements must have the same type");
  }
  const order = items.map((_, index) => index);
  order.sort((a, b) => compare(valueAt(keys, a), valueAt(keys, b), "sort"));
  return new ArrayList(order.map((index) => valueAt(items, index)));
}

function distinct(args: Args): Value {
  const seen = new Set<string>();
  const kept: Value[] = [];
  const others: Value[] = [];
  let pairs = 0;
  for (const item of itemsOf(listAt(args, 0))) {
    const number = numeric(item);
    const key =
      typeof item === "object" && number === undefined ? undefined : `${typeof item}:${number ?? item}`;
    if (key === undefined) {
      pairs += others.length;
      if (pairs > PAIRS_MAX) throw new CostExceeded();
      if (others.some((other) => equals(other, item))) continue;
      others.push(item);
    } else if (seen.has(key.replace("bigint", "number"))) continue;
    else seen.add(key.replace("bigint", "number"));
    kept.push(item);
  }
  return new ArrayList(kept);
}

function range(args: Args): Value {
  const count = intAt(args, 0);
  if (count > RANGE_MAX) throw new CostExceeded();
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
}

function endOf(args: Args, position: 0 | -1): Value {
  const item = itemsOf(listAt(args, 0)).at(position);
  return item === undefined ? OPTIONAL_NONE : new Optional(item);
}

export function listExtensionFunctions(): FunctionDecl[] {
  const sort = (args: Args): Value => {
    const items = itemsOf(listAt(args, 0));
    return sortItems(items, items);
  };
  const sortByKeys = (args: Args): Value => sortItems(itemsOf(listAt(args, 0)), itemsOf(listAt(args, 1)));
  const reverse = (args: Args): Value => new ArrayList(itemsOf(listAt(args, 0)).toReversed());
  return [
    { name: "slice", overloads: [member("list_slice", [LIST, INT, INT], LIST, slice)] },
    {
      name: "flatten",
      overloads: [
        member("list_flatten", [listOf(LIST)], LIST, (args) => new ArrayList(flatten(listAt(args, 0), 1n))),
        member(
          "list_flatten_int",
          [listOf(DYN), INT],
          listOf(DYN),
          (args) => new ArrayList(flatten(listAt(args, 0), intAt(args, 1))),
        ),
      ],
    },
    {
      name: "sort",
      overloads: perType(COMPARABLE, (name, type) =>
        member(`list_${name}_sort`, [listOf(type)], listOf(type), sort),
      ),
    },
    {
      name: "@sortByAssociatedKeys",
      overloads: perType(COMPARABLE, (name, type) =>
        member(`list_${name}_sortByAssociatedKeys`, [LIST, listOf(type)], LIST, sortByKeys),
      ),
    },
    { name: "distinct", overloads: [member("list_distinct", [LIST], LIST, distinct)] },
    { name: "reverse", overloads: [member("list_reverse", [LIST], LIST, reverse)] },
    { name: "lists.range", overloads: [global("lists_range", [INT], listOf(INT), range)] },
    { name: "first", overloads: [member("list_first", [LIST], optionalOf(T), (args) => endOf(args, 0))] },
    { name: "last", overloads: [member("list_last", [LIST], optionalOf(T), (args) => endOf(args, -1))] },
  ];
}
