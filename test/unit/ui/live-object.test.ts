// The shown object and its watch: when it is read, and the state that is displayed.
import { beforeEach, expect, test } from "vitest";
import type { Transport } from "../../../src/ui/data/kind-watch.ts";
import { Refused } from "../../../src/ui/frame/ask.ts";
import { LiveObject } from "../../../src/ui/object/live-object.ts";
import { HeldClock } from "../../support/page/held-clock.ts";

type Told = Parameters<Transport["watch"]>[2];

let clock: HeldClock;
let watches: Told[];
let reads: number;
let read: () => string;
let live: LiveObject;
beforeEach(() => {
  clock = new HeldClock();
  watches = [];
  reads = 0;
  read = () => `text ${reads}`;
  live = new LiveObject({
    watch: (_query, told) => {
      watches.push(told);
      return () => {};
    },
    read: async () => {
      reads++;
      return read();
    },
    clock,
  });
});

const frame = (type: string, resourceVersion: string, annotations = {}) =>
  watches.at(-1)?.frame(JSON.stringify({ type, object: { metadata: { resourceVersion, annotations } } }));
const listEnd = () => frame("BOOKMARK", "9", { "k8s.io/initial-events-end": "true" });
const settled = () => new Promise((resolve) => setImmediate(resolve));
const later = async (spanMs: number) => {
  await settled();
  clock.advance(spanMs);
  await settled();
};

test("the text is read for each version, and not for one that is told twice", async () => {
  live.follow(true);
  watches[0]?.opened();
  frame("ADDED", "1");
  await later(250);
  expect([live.state.value, live.text.value, reads]).toEqual(["live", "text 1", 1]);
  frame("ADDED", "1");
  await later(250);
  expect(reads).toBe(1);
  frame("MODIFIED", "2");
  await later(250);
  expect([live.text.value, reads]).toEqual(["text 2", 2]);
});

test("what changes all the time is read four times a second, and its last version is read", async () => {
  live.follow(true);
  for (let version = 1; version <= 100; version++) {
    frame("MODIFIED", String(version));
    await later(10);
  }
  await later(250);
  await later(250);
  expect(reads).toBeGreaterThanOrEqual(4);
  expect(reads).toBeLessThanOrEqual(6);
  expect(live.text.value).toBe(`text ${reads}`);
});

test("a deletion is told, while it is watched and where nobody answered meanwhile", async () => {
  live.follow(true);
  frame("ADDED", "1");
  listEnd();
  expect(live.isGone.value).toBe(false);
  frame("DELETED", "2");
  expect(live.isGone.value).toBe(true);
  frame("ADDED", "3");
  expect(live.isGone.value).toBe(false);
  watches[0]?.closed({ code: 0, message: "" });
  expect(live.state.value).toBe("lost");
  clock.advance(8_000);
  expect(watches).toHaveLength(2);
  watches[1]?.opened();
  listEnd();
  expect([live.state.value, live.isGone.value]).toEqual(["live", true]);
});

test("a watch that is refused is not asked for again", () => {
  live.follow(true);
  watches[0]?.closed({ code: 403, message: "forbidden" });
  clock.advance(600_000);
  expect([watches.length, live.state.value]).toEqual([1, "refused"]);
});

test("whoever may not watch is not watched for, and reads all the same", async () => {
  live.follow(false);
  live.read();
  await settled();
  expect([watches.length, live.state.value, live.text.value]).toEqual([0, "refused", "text 1"]);
});

test("a text that cannot be read says why, until it can be", async () => {
  read = () => {
    throw new Refused({ code: 403, reason: "Forbidden", message: "no", causes: [] });
  };
  live.read();
  await settled();
  expect(live.refused.value?.message).toBe("no");
  read = () => "there";
  live.read();
  await later(250);
  expect([live.refused.value, live.text.value]).toEqual([undefined, "there"]);
});

test("a text that nobody sent is read when the server is back, though the version is the same", async () => {
  live.follow(true);
  read = () => {
    throw new TypeError("nobody answers");
  };
  frame("ADDED", "1");
  await later(250);
  watches[0]?.closed({ code: 0, message: "" });
  read = () => "there";
  clock.advance(8_000);
  frame("ADDED", "1");
  await later(250);
  expect([live.refused.value, live.text.value]).toEqual([undefined, "there"]);
});

test("nothing is told after the end", async () => {
  live.follow(true);
  live.read();
  live.stop();
  watches[0]?.closed();
  await later(10_000);
  expect([watches.length, live.text.value]).toEqual([1, undefined]);
});
