// The state of one evaluation: the values of variables and the cost so far.

import type { Value } from "../values/value.ts";
import { CelError, CostExceeded } from "../values/value.ts";

/** A variable may hold an error, which reading it throws. */
export type Slot = Value | CelError | undefined;

export class Frame {
  readonly slots: Slot[];
  cost = 0;
  readonly #costMax: number;

  constructor(slots: Slot[], costMax: number) {
    this.slots = slots;
    this.#costMax = costMax;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#costMax) throw new CostExceeded();
  }

  read(slot: number, name: string): Value {
    const value = this.slots[slot];
    if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
    if (value instanceof CelError) throw value;
    return value;
  }
}

/** A planned expression. */
export type Step = (frame: Frame) => Value;

/** The frame slots of the visible variables. */
export interface Slots {
  readonly names: ReadonlyMap<string, number>;
  /** Counts up over the whole expression, so that no two variables share a slot. */
  readonly next: { count: number };
}
