import { beforeEach, describe, expect, test } from "vitest";
import { ControlledClock } from "../../../../src/apimachinery/meta/controlled-clock.ts";
import { nextTurn } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

const NEW_YEAR = Date.parse("2030-01-01T00:00:00Z");

/** The machine's clock. */
let machine: ManualClock;
let clock: ControlledClock;
/** The timers that fired, with the time that the clock showed. */
let came: string[];

beforeEach(() => {
  machine = new ManualClock();
  clock = new ControlledClock(machine);
  came = [];
});

const settled = (): Promise<void> => nextTurn();
const timer = (name: string, delayMs: number) =>
  clock.after(delayMs, () => came.push(`${name}@${clock.now()}`));

describe("a clock that runs", () => {
  test("shows the machine's time, and its timers come with it", () => {
    timer("a", 10);
    machine.advance(10);
    expect([clock.frozen, clock.now(), came, clock.timers]).toEqual([false, 10, ["a@10"], 0]);
  });

  test("is not advanced", async () => {
    timer("a", 10);
    expect(await clock.advance(10, settled)).toBe(false);
    expect(came).toEqual([]);
  });
});

describe("a clock that stands", () => {
  test("shows the same time whatever the machine's is, and nothing comes", async () => {
    timer("a", 10);
    await clock.freeze();
    machine.advance(1000);
    expect([clock.frozen, clock.now(), came]).toEqual([true, 0, []]);
    expect(machine.timers).toBe(0);
  });

  test("lets timers come in the order of their times when it is advanced, each at its own", async () => {
    await clock.freeze(NEW_YEAR);
    timer("c", 30);
    timer("a", 10);
    timer("late", 41);
    timer("b", 10);
    expect(await clock.advance(40, settled)).toBe(true);
    expect(came).toEqual([`a@${NEW_YEAR + 10}`, `b@${NEW_YEAR + 10}`, `c@${NEW_YEAR + 30}`]);
    expect(clock.now()).toBe(NEW_YEAR + 40);
    expect(clock.timers).toBe(1);
  });

  test("waits for what a timer sets off before the next one comes", async () => {
    await clock.freeze(0);
    clock.after(10, () => {
      void nextTurn().then(() => {
        came.push(`work@${clock.now()}`);
        timer("set by the work", 5);
      });
    });
    timer("b", 20);
    await clock.advance(20, async () => {
      await nextTurn();
      await nextTurn();
    });
    expect(came).toEqual(["work@10", "set by the work@15", "b@20"]);
  });

  test("goes on between timers that set themselves again without a delay", async () => {
    await clock.freeze(0);
    const again = (): void => {
      came.push(String(clock.now()));
      clock.after(0, again);
    };
    clock.after(0, again);
    await clock.advance(3, settled);
    expect(came).toEqual(["1", "2", "3"]);
  });

  test("drops a timer that one of the same time has cancelled", async () => {
    await clock.freeze(0);
    const first = clock.after(10, () => second.cancel());
    const second = timer("second", 10);
    await clock.advance(10, settled);
    first.cancel();
    expect([came, clock.timers]).toEqual([[], 0]);
  });

  test("does one advance after the other", async () => {
    await clock.freeze(0);
    timer("a", 10);
    timer("b", 20);
    await Promise.all([clock.advance(10, settled), clock.advance(10, settled)]);
    expect([came, clock.now()]).toEqual([["a@10", "b@20"], 20]);
  });
});

describe("timers keep what is left of their delays", () => {
  test("when the clock is stopped at another time, and set back", async () => {
    timer("a", 10);
    machine.advance(4);
    await clock.freeze(NEW_YEAR);
    await clock.advance(5, settled);
    await clock.freeze(0);
    expect(came).toEqual([]);
    await clock.advance(1, settled);
    expect(came).toEqual(["a@1"]);
  });

  test("when it runs again", async () => {
    timer("a", 10);
    machine.advance(4);
    await clock.freeze(NEW_YEAR);
    await clock.advance(3, settled);
    machine.advance(100);
    await clock.run();
    expect(clock.now()).toBe(104);
    machine.advance(2);
    expect(came).toEqual([]);
    machine.advance(1);
    expect(came).toEqual(["a@107"]);
  });

  test("when it is told to run and runs", async () => {
    timer("a", 10);
    await clock.run();
    machine.advance(10);
    expect(came).toEqual(["a@10"]);
  });
});

describe("sleep", () => {
  test("ends when the time has passed", async () => {
    await clock.freeze(0);
    const slept = clock.sleep(10).then(() => came.push("awake"));
    await clock.advance(10, settled);
    await slept;
    expect(came).toEqual(["awake"]);
  });

  test("is ended by its signal, with the signal's reason, and leaves no timer", async () => {
    const abort = new AbortController();
    const slept = clock.sleep(10, abort.signal);
    abort.abort(new Error("enough"));
    await expect(slept).rejects.toThrow("enough");
    await expect(clock.sleep(10, abort.signal)).rejects.toThrow("enough");
    expect([clock.timers, machine.timers]).toEqual([0, 0]);
  });
});

test("a closed clock has no timers and takes no more", () => {
  timer("a", 10);
  clock.close();
  timer("b", 10);
  machine.advance(100);
  expect([came, clock.timers, machine.timers]).toEqual([[], 0, 0]);
});
