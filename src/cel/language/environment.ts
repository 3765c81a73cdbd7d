// What an expression may refer to: variables, the names of types, and functions.
import type { Functions } from "../library/declare.ts";
import type { CelType } from "./types.ts";

export interface Environment {
  /** Variables in the order of their slots in an evaluation. */
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: Functions;
  /** Names that stand for types ("int", "list"). */
  readonly typeNames: ReadonlyMap<string, CelType>;
  /** The type of the messages that expressions can make under a name (Name{field: value}); left out: there are none. */
  messageType?(name: string): CelType | undefined;
}

/** Variables of macros hide those outside. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #names: ReadonlyMap<string, CelType>;

  constructor(names: ReadonlyMap<string, CelType>, parent?: Scope) {
    this.#names = names;
    this.#parent = parent;
  }

  find(name: string): CelType | undefined {
    return this.#names.get(name) ?? this.#parent?.find(name);
  }
}
