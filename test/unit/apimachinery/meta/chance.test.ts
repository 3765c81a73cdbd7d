import { describe, expect, test } from "vitest";
import { Chance } from "../../../../src/apimachinery/meta/ids.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Suffixes in pairs: single ones are so short that two of a thousand meet by chance. */
const draw = (chance: Chance): readonly unknown[] => [
  ...Array.from({ length: 600 }, () => chance.ids.uid()),
  ...Array.from({ length: 300 }, () => `${chance.ids.nameSuffix()}${chance.ids.nameSuffix()}`),
  chance.answerIds.uid(),
  chance.fraction(),
  chance.keyBytes(),
];

test("the same seed draws the same", () => {
  expect(draw(new Chance("one"))).toEqual(draw(new Chance("one")));
});

test.each([
  ["another seed", new Chance("two")],
  ["another run on the same objects", new Chance("one", "42")],
  ["no seed", new Chance()],
])("%s draws something else", (_what, other) => {
  const [a, b] = [draw(new Chance("one")), draw(other)];
  expect(a.filter((item) => b.includes(item))).toEqual([]);
});

test("ids have the form that they have to have, and none comes twice", () => {
  const { ids } = new Chance("one");
  const uids = Array.from({ length: 1000 }, () => ids.uid());
  expect(uids.filter((uid) => !UUID.test(uid))).toEqual([]);
  expect(new Set(uids).size).toBe(1000);
  expect(ids.nameSuffix()).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test("what one purpose draws does not change what another one draws", () => {
  const [quiet, busy] = [new Chance("one"), new Chance("one")];
  for (let count = 0; count < 1000; count++) busy.answerIds.uid();
  busy.fraction();
  expect(busy.ids.uid()).toBe(quiet.ids.uid());
});

describe("a new seed", () => {
  test("draws as it would from the start, also for who has the ids already", () => {
    const chance = new Chance();
    const { ids } = chance;
    ids.uid();
    chance.reseed("one");
    expect([chance.seed, ids.uid()]).toEqual(["one", new Chance("one").ids.uid()]);
    chance.reseed(undefined);
    expect([chance.seed, chance.keyBytes()]).toEqual([undefined, undefined]);
  });
});

test("fractions spread from 0 to 1", () => {
  const chance = new Chance("one");
  const drawn = Array.from({ length: 10_000 }, () => chance.fraction());
  const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...drawn)).toBeLessThan(1);
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
});
