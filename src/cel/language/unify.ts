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
    const fits = this.#assignAll(from, to);
    if (!fits) {
      for (const [name, type] of this.#changes.reverse()) {
        if (type) this.#types.set(name, type);
        else this.#types.delete(name);
      }
    }
    return fits;
  }

  /** The type with every bound parameter replaced; unbound ones become dyn if asked for. */
  substitute(type: CelType, unboundToDyn: boolean): CelType {
    this.#step();
    if (type.kind === "param") {
      const bound = this.#types.get(type.name);
      if (bound) return this.substitute(bound, unboundToDyn);
      return unboundToDyn ? DYN : type;
    }
    if (type.params.length === 0) return type;
    return withParams(
      type,
      type.params.map((inner) => this.substitute(inner, unboundToDyn)),
    );
  }

  /** Counts a look at a type. */
  #step(): void {
    if (++this.#steps > STEPS_MAX) throw new TooEntangled();
  }

  #set(name: string, type: CelType): true {
    this.#changes.push([name, this.#types.get(name)]);
    this.#types.set(name, type);
    return true;
  }

  #assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, index) => this.#assignOne(type, to[index] ?? DYN));
  }

  #assignOne(a: CelType, b: CelType): boolean {
    this.#step();
    if (b.kind === "param") {
      const known = this.#types.has(b.name);
      if (this.#bind(a, b)) return true;
      if (known) return false;
    }
    if (a.kind === "param") return this.#bind(b, a);
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === "null") return isNullable(b);
    if (b.kind === "null") return isNullable(a);
    if (a.kind === "type") return b.kind === "type";
    if (a.kind !== b.kind || a.name !== b.name) return false;
    return !["list", "map", "opaque"].includes(a.kind) || this.#assignAll(a.params, b.params);
  }

  /** Makes the parameter stand for the type, or for the wider of the type and what it stood for. */
  #bind(type: CelType, { name }: CelType): boolean {
    const bound = this.#types.get(name);
    if (!bound) return !this.#mentions(type, name) && this.#set(name, type);
    if (sameType(type, bound)) return true;
    return this.#assignOne(type, bound) && this.#set(name, mostGeneral(type, bound));
  }

  /** Whether a parameter occurs in the type, so that it cannot stand for it. */
  #mentions(type: CelType, name: string): boolean {
    this.#step();
    if (type.kind !== "param") return type.params.some((inner) => this.#mentions(inner, name));
    if (type.name === name) return true;
    const bound = this.#types.get(type.name);
    return bound !== undefined && this.#mentions(bound, name);
  }
}

const isNullable = (type: CelType): boolean =>
  ["null", "opaque", "struct", "timestamp", "duration"].includes(type.kind);

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
