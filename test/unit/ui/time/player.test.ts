import { expect, test } from "vitest";
import type { Entry } from "../../../../src/ui/time/entries.ts";
import { placed } from "../../../../src/ui/time/line.ts";
import { Player, type Speed } from "../../../../src/ui/time/player.ts";
import { HeldClock } from "../../../support/page/held-clock.ts";

const change = (revision: number, toldMs: number): Entry => ({
  ...{ key: `c${revision}`, lane: "nodes", revision, toldMs, isExact: true },
  ...{ mark: "plain", text: "", by: "", of: undefined },
});
const LINE = placed([change(2, 0), change(3, 1_000), change(4, 2_000), change(5, 3_600_000)]);

function started(speed: Speed = 1, line = LINE) {
  const clock = new HeldClock();
  const shows: [number, number | undefined, boolean][] = [];
  let shown: number | undefined;
  const player = new Player({
    clock,
    entries: () => line,
    shown: () => shown,
    show: (at, isSeen) => {
      shown = at;
      shows.push([clock.now(), at, isSeen]);
    },
  });
  player.speed.value = speed;
  const goTo = (at: number | undefined) => {
    shown = at;
  };
  return { clock, player, shows, goTo };
}

test("plays at its speed, waits for nothing long, and ends at now", () => {
  const { clock, player, shows } = started();
  player.play();
  clock.advance(10_000);
  expect(shows).toEqual([
    [0, 2, false],
    [1_000, 3, true],
    [2_000, 4, true],
    // An hour is two seconds.
    [expect.any(Number), undefined, false],
  ]);
  expect(shows.at(-1)?.[0]).toBeLessThanOrEqual(4_500);
  expect(player.isPlaying.value).toBe(false);
  expect(clock.waiting).toBe(0);
});

test("at ten times and more nothing is seen travelling", () => {
  const { clock, player, shows } = started(10);
  player.play();
  clock.advance(60_000);
  expect(shows.every(([, , isSeen]) => !isSeen)).toBe(true);
  expect(shows.at(-1)?.[1]).toBeUndefined();
});

test("goes on from where somebody went meanwhile, and stands when told to", () => {
  const { clock, player, shows, goTo } = started();
  goTo(3);
  player.play();
  clock.advance(500);
  expect(shows).toEqual([]);
  goTo(2);
  clock.advance(1_250);
  expect(shows.at(-1)?.[1]).toBe(3);
  player.pause();
  clock.advance(60_000);
  expect(shows.at(-1)?.[1]).toBe(3);
  player.play();
  goTo(undefined);
  clock.advance(1_000);
  expect(player.isPlaying.value).toBe(false);
});

test("has nothing to play where nothing is known", () => {
  const { player } = started(1, []);
  player.play();
  expect(player.isPlaying.value).toBe(false);
});
