// The allocator of numbers in a range, compared with a model that checks every number each time.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type NumberRange, Numbers } from "../../src/ovn/controllers/network-annotations/numbers.ts";

type Step = readonly ["of" | "release", string] | readonly ["reserve", string, number];

const owner = fc.constantFrom(..."abcdefgh");
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.tuple(fc.constant("of" as const), owner), weight: 3 },
  { arbitrary: fc.tuple(fc.constant("release" as const), owner), weight: 2 },
  fc.tuple(fc.constant("reserve" as const), owner, fc.integer({ min: 9, max: 16 })),
);

class Model {
  readonly #owners = new Map<string, number>();
  readonly #range: NumberRange;
  #last: number;

  constructor(range: NumberRange) {
    this.#range = range;
    this.#last = range.first - 1;
  }

  take([verb, owner, number]: Step): number | boolean | undefined {
    if (verb === "of") return this.#owners.get(owner) ?? this.#give(owner);
    if (verb === "release") return void this.#owners.delete(owner);
    const { first, last } = this.#range;
    const isHeld = [...this.#owners].some(([other, held]) => held === number && other !== owner);
    if (number === undefined || number < first || number > last || isHeld) return false;
    this.#owners.set(owner, number);
    return true;
  }

  #give(owner: string): number | undefined {
    const { first, last, goingRound } = this.#range;
    const all = Array.from({ length: Math.min(last - first + 1, 20) }, (_, at) => first + at);
    const held = new Set(this.#owners.values());
    const free = all.filter((number) => !held.has(number));
    const given = (goingRound ? free.find((number) => number > this.#last) : undefined) ?? free[0];
    if (given === undefined) return undefined;
    this.#owners.set(owner, given);
    this.#last = given;
    return given;
  }
}

test.each<[string, NumberRange]>([
  ["the lowest free one", { first: 10, last: 15, goingRound: false }],
  ["the lowest free one of any", { first: 10, last: Number.POSITIVE_INFINITY, goingRound: false }],
  ["the next free one, and round", { first: 10, last: 15, goingRound: true }],
])("an owner gets %s", (_what, range) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [numbers, model] = [new Numbers(range), new Model(range)];
      for (const step of steps) {
        const [verb, owner, number] = step;
        const answer = verb === "reserve" ? numbers.reserve(owner, number) : numbers[verb](owner);
        expect(answer).toBe(model.take(step));
      }
    }),
  );
});
