import { beforeEach, describe, expect, test } from "vitest";
import { ControlledClock } from "../../../../src/apimachinery/meta/controlled-clock.ts";
import { Chance } from "../../../../src/apimachinery/meta/ids.ts";
import { nextTurn } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { ClockControl, clockRoutes } from "../../../../src/features/control-surface/clock.ts";
import { ManualClock } from "../../storage/manual-clock.ts";
import { askerOf } from "../control-surface/ask.ts";

let control: ClockControl;
let chance: Chance;
let clock: ControlledClock;
let ask: ReturnType<typeof askerOf>;

beforeEach(() => {
  clock = new ControlledClock(new ManualClock());
  chance = new Chance();
  control = new ClockControl({ clock, chance, settled: nextTurn });
  ask = askerOf(clockRoutes(control));
});

describe("the clock", () => {
  test("runs at first", async () => {
    expect(await ask("GET", "/clock")).toEqual({ mode: "real", now: "1970-01-01T00:00:00Z", timers: 0 });
  });

  test("is stopped at a time, advanced by a duration and to a time, and let go", async () => {
    const at = (now: string, mode = "frozen") => ({ mode, now, timers: 0 });
    expect(await ask("PUT", "/clock", { mode: "frozen", now: "2030-01-01T01:00:00+01:00" })).toEqual(
      at("2030-01-01T00:00:00Z"),
    );
    expect(await ask("POST", "/clock/advance", { duration: "1h30m0.5s" })).toEqual(
      at("2030-01-01T01:30:00.500Z"),
    );
    expect(await ask("POST", "/clock/advance", { to: "2030-01-02T00:00:00Z" })).toEqual(
      at("2030-01-02T00:00:00Z"),
    );
    expect(await ask("PUT", "/clock", { mode: "frozen" })).toEqual(at("2030-01-02T00:00:00Z"));
    expect(await ask("POST", "/clock/settle")).toEqual(at("2030-01-02T00:00:00Z"));
    expect(await ask("PUT", "/clock", { mode: "real" })).toEqual(at("1970-01-01T00:00:00Z", "real"));
  });

  test("says how much waits for time to pass", async () => {
    clock.after(10_000, () => {});
    clock.after(20_000, () => {});
    await ask("PUT", "/clock", { mode: "frozen" });
    expect(await ask("POST", "/clock/advance", { duration: "10s" })).toMatchObject({ timers: 1 });
  });

  test.each([
    ["PUT", "/clock", { mode: "slow" }, 400, "mode"],
    ["PUT", "/clock", { mode: "real", now: "2030-01-01T00:00:00Z" }, 400, "runs"],
    ["PUT", "/clock", { mode: "frozen", now: "tomorrow" }, 400, '"tomorrow" is no time'],
    ["POST", "/clock/advance", { duration: "5 minutes" }, 400, "time: "],
    ["POST", "/clock/advance", { duration: "-1s" }, 400, "less than nothing"],
    ["POST", "/clock/advance", {}, 400, "body"],
    ["POST", "/clock/advance", { duration: "1s", to: "2030-01-01T00:00:00Z" }, 400, "body"],
    ["POST", "/clock/advance", undefined, 400, "a body is needed"],
    ["POST", "/clock/advance", { duration: "1s" }, 409, "runs by itself"],
  ])("refuses %s %s %j with %i", async (method, path, body, code, message) => {
    await expect(ask(method, path, body)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [{ duration: "8785h" }, "366 days"],
    [{ to: "2029-12-31T23:59:59Z" }, "it is later already: 2030-01-01T00:00:00Z"],
  ])("a clock that stands is not advanced by %j", async (body, message) => {
    await ask("PUT", "/clock", { mode: "frozen", now: "2030-01-01T00:00:00Z" });
    await expect(ask("POST", "/clock/advance", body)).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining(message),
    });
  });
});

describe("the seed", () => {
  test("is none at first, and can be set and taken away", async () => {
    expect(await ask("GET", "/seed")).toEqual({ seed: null });
    expect(await ask("PUT", "/seed", { seed: "one" })).toEqual({ seed: "one" });
    expect(chance.ids.uid()).toBe(new Chance("one").ids.uid());
    expect(await ask("GET", "/seed")).toEqual({ seed: "one" });
    expect(await ask("PUT", "/seed", { seed: null })).toEqual({ seed: null });
    expect(chance.seed).toBeUndefined();
  });

  test.each([{}, { seed: 1 }, { seed: "a", more: true }])("is no %j", async (body) => {
    await expect(ask("PUT", "/seed", body)).rejects.toMatchObject({ code: 400 });
  });
});

test("a Date that is none is refused", async () => {
  await expect(control.freeze(new Date("x"))).rejects.toThrow("no time");
  await control.freeze();
  await expect(control.advanceTo(new Date("x"))).rejects.toThrow("no time");
});

test("requests are held only while the clock stands and there is a seed", async () => {
  const held = () => control.held() !== undefined;
  const seen = [held()];
  await control.freeze();
  seen.push(held());
  control.reseed("one");
  seen.push(held());
  await control.run();
  seen.push(held());
  expect(seen).toEqual([false, false, true, false]);
});

test("answers are dated by a clock that stands, else by the machine", async () => {
  expect(control.dateHeader()).toBeUndefined();
  await control.freeze(new Date("2030-01-01T00:00:00Z"));
  expect(control.dateHeader()).toBe("Tue, 01 Jan 2030 00:00:00 GMT");
});
