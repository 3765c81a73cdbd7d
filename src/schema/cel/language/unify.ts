// Type parameters and what they stand for: whether a type may be used where another is declared, given what is
// already known of the parameters.
import { type CelType, DYN, isDyn, isDynOrError, sameType } from "./types.ts";

/** What each type parameter stands for; never changed, a successful match gives a larger one. */
export type Bindings = ReadonlyMap<string, CelType>;
type Draft = Map<string, CelType>;

/** The bindings under which every type of the first list may be used as its neighbour of the second; or undefined. */
export function assign(
  bindings: Bindings,
  from: readonly CelType[],
  to: readonly CelType[],
): Bindings | undefined {
  const draft = new Map(bindings);
  return assignAll(draft, from, to) ? draft : undefined;
}

function assignAll(draft: Draft, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, index) => assignOne(draft, type, to[index] ?? DYN));
}

function assignOne(draft: Draft, a: CelType, b: CelType): boolean {
  if (b.kind === "param") {
    const known = draft.has(b.name);
    if (bind(draft, a, b)) return true;
    if (known) return false;
  }
  if (a.kind === "param") return bind(draft, b, a);
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "list":
    case "map":
    case "opaque":
      return a.kind === b.kind && a.name === b.name && assignAll(draft, a.params, b.params);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

const isNullable = (type: CelType): boolean =>
  ["null", "opaque", "struct", "timestamp", "duration"].includes(type.kind);

/** Makes the parameter stand for the type, or for the wider of the type and what it stood for. */
function bind(draft: Draft, type: CelType, parameter: CelType): boolean {
  const bound = draft.get(parameter.name);
  if (bound) {
    if (sameType(type, bound)) return true;
    if (!assignOne(draft, type, bound)) return false;
    draft.set(parameter.name, mostGeneral(type, bound));
    return true;
  }
  if (mentions(draft, type, parameter)) return false;
  draft.set(parameter.name, type);
  return true;
}

/** Whether the parameter occurs in the type, so that it cannot stand for it. */
function mentions(draft: Draft, type: CelType, parameter: CelType): boolean {
  if (type.kind === "param") {
    if (type.name === parameter.name) return true;
    const bound = draft.get(type.name);
    return bound !== undefined && mentions(draft, bound, parameter);
  }
  return type.params.some((inner) => mentions(draft, inner, parameter));
}

export const mostGeneral = (a: CelType, b: CelType): CelType => (isEqualOrLessSpecific(a, b) ? a : b);

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param") return false;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return (
    a.kind === "type" ||
    a.params.every((inner, index) => isEqualOrLessSpecific(inner, b.params[index] ?? DYN))
  );
}

/** The type with every bound parameter replaced; unbound ones become dyn if asked for. */
export function substitute(bindings: Bindings, type: CelType, unboundToDyn: boolean): CelType {
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound) return substitute(bindings, bound, unboundToDyn);
    return unboundToDyn ? DYN : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((inner) => substitute(bindings, inner, unboundToDyn)) };
}
