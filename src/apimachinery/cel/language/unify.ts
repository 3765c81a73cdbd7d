// Type unification: whether a type is assignable to a declared one, given the current bindings of the type parameters.
import { type CelType, DYN, isDyn, isDynOrError, sameType, withParams } from "./types.ts";

/** Limit of the steps of all matches in one expression: far more than any sensible one needs. */
const STEPS_MAX = 5_000_000;

/** The types exceed the limit of steps. */
export class TooEntangled extends Error {}

/** The types bound to the type parameters. */
export class Bindings {
  readonly #types = new Map<string, CelType>();
  /** The parameters that were bound since the beginning of a match, with their previous types. */
  #changes: [string, CelType | undefined][] = [];
  #steps = 0;

  /** Makes every type of the first list assignable to its counterpart in the second; changes nothing on failure. */
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

  /** The type with every bound parameter replaced; unbound ones optionally become dyn. */
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

  /** Counts a step. */
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

  /** Binds the parameter to the type, or to the wider one of the type and the previous binding. */
  #bind(type: CelType, { name }: CelType): boolean {
    const bound = this.#types.get(name);
    if (!bound) return !this.#mentions(type, name) && this.#set(name, type);
    if (sameType(type, bound)) return true;
    return this.#assignOne(type, bound) && this.#set(name, mostGeneral(type, bound));
  }

  /** Whether a parameter occurs in the type, so that it cannot be bound to it. */
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
