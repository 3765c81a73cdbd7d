// Type parameters and what they stand for: whether a type may be used where another is declared, given what is
// already known of the parameters.
import { type CelType, DYN, isDyn, isDynOrError, sameType, withParams } from "./types.ts";

/** Steps that all matches of an expression may take together: far more than any sensible one needs. */
const STEPS_MAX = 5_000_000;

/** Types that are too entangled to be worked out. */
export class TooEntangled extends Error {}

/** What each type parameter stands for. */
export class Bindings {
  readonly #types = new Map<string, CelType>();
  /** The parameters that were set since the beginning of a match, with what they stood for. */
  #changes: [string, CelType | undefined][] = [];
  #steps = 0;

  /** Makes every type of the first list usable as its neighbour of the second; changes nothing if that cannot be. */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#changes = [];
    const fits = assignAll(this, from, to);
    if (!fits) {
      for (const [name, type] of this.#changes.reverse()) {
        if (type) this.#types.set(name, type);
        else this.#types.delete(name);
      }
    }
    return fits;
  }

  get(name: string): CelType | undefined {
    return this.#types.get(name);
  }

  /** Counts a look at a type. */
  step(): void {
    if (++this.#steps > STEPS_MAX) throw new TooEntangled();
  }

  set(name: string, type: CelType): void {
    this.#changes.push([name, this.#types.get(name)]);
    this.#types.set(name, type);
  }
}

function assignAll(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  return (
    from.length === to.length && from.every((type, index) => assignOne(bindings, type, to[index] ?? DYN))
  );
}

function assignOne(bindings: Bindings, a: CelType, b: CelType): boolean {
  bindings.step();
  if (b.kind === "param") {
    const known = bindings.get(b.name) !== undefined;
    if (bind(bindings, a, b)) return true;
    if (known) return false;
  }
  if (a.kind === "param") return bind(bindings, b, a);
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "list":
    case "map":
    case "opaque":
      return a.kind === b.kind && a.name === b.name && assignAll(bindings, a.params, b.params);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

const isNullable = (type: CelType): boolean =>
  ["null", "opaque", "struct", "timestamp", "duration"].includes(type.kind);

/** Makes the parameter stand for the type, or for the wider of the type and what it stood for. */
function bind(bindings: Bindings, type: CelType, parameter: CelType): boolean {
  const bound = bindings.get(parameter.name);
  if (bound) {
    if (sameType(type, bound)) return true;
    if (!assignOne(bindings, type, bound)) return false;
    bindings.set(parameter.name, mostGeneral(type, bound));
    return true;
  }
  if (mentions(bindings, type, parameter)) return false;
  bindings.set(parameter.name, type);
  return true;
}

/** Whether the parameter occurs in the type, so that it cannot stand for it. */
function mentions(bindings: Bindings, type: CelType, parameter: CelType): boolean {
  bindings.step();
  if (type.kind === "param") {
    if (type.name === parameter.name) return true;
    const bound = bindings.get(type.name);
    return bound !== undefined && mentions(bindings, bound, parameter);
  }
  return type.params.some((inner) => mentions(bindings, inner, parameter));
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
  bindings.step();
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound) return substitute(bindings, bound, unboundToDyn);
    return unboundToDyn ? DYN : type;
  }
  if (type.params.length === 0) return type;
  return withParams(
    type,
    type.params.map((inner) => substitute(bindings, inner, unboundToDyn)),
  );
}
