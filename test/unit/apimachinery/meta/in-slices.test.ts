import { expect, test } from "vitest";
import { inSlices, mapInSlices } from "../../../../src/apimachinery/meta/lists.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** How many turns of the event loop pass until the promise is settled. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isRunning = false;
  return turns;
}

test.each([0, 1, 999, 1000, 1001, 4500])("%i items come out in their order, each once", async (count) => {
  expect(await mapInSlices(numbers(count), (item) => item * 2)).toEqual(
    numbers(count).map((item) => item * 2),
  );
});

test("others have their turn while much is done, and a little is done at once", async () => {
  const started = cpuMs();
  const compute = (item: number) => {
    while (cpuMs() - started < item);
  };
  expect(await turnsOf(inSlices(numbers(1000), () => {}))).toBeLessThanOrEqual(1);
  expect(await turnsOf(inSlices(numbers(100), compute))).toBeGreaterThanOrEqual(3);
});

test("what the act throws comes out", async () => {
  const act = () => {
    throw new Error("no");
  };
  await expect(inSlices([1], act)).rejects.toThrow("no");
});
