// Optional values: optional.of(), optional.none(), hasValue(), value(). or() and orValue() evaluate their argument
// only when it is needed, so that the planner runs them.
import { type FunctionDecl, global, member } from "../language/overload.ts";
import { BOOL, listOf, optionalOf, param } from "../language/types.ts";
import { CelError } from "../values/cel-error.ts";
import { ArrayList, itemsOf } from "../values/collections.ts";
import { numeric, sizeOf } from "../values/inspect.ts";
import { Duration, OPTIONAL_NONE, Optional, Timestamp, type Value } from "../values/value.ts";
import { instanceAt, listAt, valueAt } from "./args.ts";

const T = param("T");
const OPTIONAL = optionalOf(T);

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

export function contentOf(optional: Optional): Value {
  if (optional.value === undefined) throw new CelError("optional.none() dereference");
  return optional.value;
}

export function optionalFunctions(): FunctionDecl[] {
  const ofNonZero = (args: readonly Value[]): Value =>
    isNonZero(valueAt(args, 0)) ? new Optional(valueAt(args, 0)) : OPTIONAL_NONE;
  const unwrapList = (args: readonly Value[]): Value =>
    new ArrayList(
      itemsOf(listAt(args, 0)).flatMap((item) =>
        item instanceof Optional && item.value !== undefined ? [item.value] : [],
      ),
    );
  const unwrapped = listOf(T);
  return [
    {
      name: "optional.of",
      overloads: [global("optional_of", [T], OPTIONAL, (args) => new Optional(valueAt(args, 0)))],
    },
    {
      name: "optional.ofNonZeroValue",
      overloads: [global("optional_ofNonZeroValue", [T], OPTIONAL, ofNonZero)],
    },
    { name: "optional.none", overloads: [global("optional_none", [], OPTIONAL, () => OPTIONAL_NONE)] },
    {
      name: "value",
      overloads: [
        member("optional_value", [OPTIONAL], T, (args) => contentOf(instanceAt(args, 0, Optional))),
      ],
    },
    {
      name: "hasValue",
      overloads: [
        member(
          "optional_hasValue",
          [OPTIONAL],
          BOOL,
          (args) => instanceAt(args, 0, Optional).value !== undefined,
        ),
      ],
    },
    { name: "or", overloads: [member("optional_or_optional", [OPTIONAL, OPTIONAL], OPTIONAL)] },
    { name: "orValue", overloads: [member("optional_orValue_value", [OPTIONAL, T], T)] },
    {
      name: "unwrapOpt",
      overloads: [member("optional_unwrapOpt", [listOf(OPTIONAL)], unwrapped, unwrapList)],
    },
    {
      name: "optional.unwrap",
      overloads: [global("optional_unwrap", [listOf(OPTIONAL)], unwrapped, unwrapList)],
    },
  ];
}
