import { describe, expect, test } from "vitest";
import { runWorkers, WorkQueue } from "../../../src/controller/work-queue.ts";
import { ManualClock } from "../kube/controllers/support.ts";

const open = (options: { retryFirstMs?: number; retryMaxMs?: number } = {}) => {
  const clock = new ManualClock();
  return { clock, queue: new WorkQueue({ clock, retryFirstMs: 5, retryMaxMs: 1_000_000, ...options }) };
};

/** Whether the promise has an answer by now. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const waiting = Symbol("waiting");
  return (
    (await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(waiting)))])) ===
    waiting
  );
}

describe("the line", () => {
  test("keys come out in the order they went in, each once", async () => {
    const { queue } = open();
    for (const key of ["b", "a", "b", "c"]) queue.add(key);
    expect([await queue.next(), await queue.next(), await queue.next()]).toEqual(["b", "a", "c"]);
  });

  test("a key is never handed out twice at a time, and what came after it does not overtake it", async () => {
    const { queue } = open();
    queue.add("a");
    await queue.next();
    queue.add("a");
    queue.add("b");
    const next = queue.next();
    expect(await isPending(next)).toBe(true);
    queue.done("a");
    expect(await next).toBe("a");
    expect(await queue.next()).toBe("b");
  });

  test("while it is held keys come in, and none goes out", async () => {
    const { queue } = open();
    queue.hold();
    queue.add("a");
    queue.add("a");
    const next = queue.next();
    expect(await isPending(next)).toBe(true);
    queue.release();
    expect(await next).toBe("a");
    expect(queue.size).toBe(0);
  });

  test("those who wait get keys as they come", async () => {
    const { queue } = open();
    const waiting = [queue.next(), queue.next()];
    queue.add("a");
    queue.add("b");
    expect(await Promise.all(waiting)).toEqual(["a", "b"]);
  });

  test("a long line stays in order", async () => {
    const { queue } = open();
    const keys = Array.from({ length: 5_000 }, (_, index) => `k${index}`);
    for (const key of keys) queue.add(key);
    const seen: (string | undefined)[] = [];
    for (const _ of keys) seen.push(await queue.next());
    expect(seen).toEqual(keys);
  });

  test("shut down it hands out nothing any more", async () => {
    const { queue, clock } = open();
    queue.add("a");
    queue.addAfter("b", 10);
    queue.shutDown();
    clock.advance(10);
    queue.add("c");
    expect([await queue.next(), queue.size, clock.pending]).toEqual([undefined, 0, 0]);
  });
});

describe("pauses", () => {
  test("a delayed key comes when its time is over; the earliest of several counts", async () => {
    const { queue, clock } = open();
    queue.addAfter("a", 100);
    queue.addAfter("a", 50);
    queue.addAfter("a", 80);
    clock.advance(49);
    expect(queue.size).toBe(0);
    clock.advance(1);
    expect(await queue.next()).toBe("a");
    clock.advance(1_000);
    expect(queue.size).toBe(0);
  });

  test("a direct add ends the pause", () => {
    const { queue, clock } = open();
    queue.addAfter("a", 100);
    queue.add("a");
    expect([queue.size, clock.pending]).toEqual([1, 0]);
  });

  test("failures double the pause up to a limit, until the key is forgotten", async () => {
    const { queue, clock } = open({ retryFirstMs: 10, retryMaxMs: 35 });
    for (const pause of [10, 20, 35, 35]) {
      queue.addRateLimited("a");
      clock.advance(pause - 1);
      expect(queue.size).toBe(0);
      clock.advance(1);
      expect(await queue.next()).toBe("a");
      queue.done("a");
    }
    expect(queue.failures("a")).toBe(4);
    queue.forget("a");
    queue.addRateLimited("a");
    clock.advance(10);
    expect(queue.size).toBe(1);
  });
});

describe("rest", () => {
  test("is when no key waits or is worked on; pauses do not count", async () => {
    const { queue } = open();
    await queue.idle();
    queue.addAfter("later", 1_000);
    await queue.idle();
    queue.add("a");
    const idle = queue.idle();
    await queue.next();
    expect(await isPending(idle)).toBe(true);
    queue.done("a");
    await idle;
  });

  test("workers work side by side, survive what their work throws, and end with the queue", async () => {
    const { queue } = open();
    const seen: string[] = [];
    const failed: string[] = [];
    const work = async (key: string): Promise<void> => {
      seen.push(key);
      if (key === "b") throw new Error("no");
    };
    const running = runWorkers(queue, 3, work, (key) => failed.push(key));
    for (const key of ["a", "b", "c", "d"]) queue.add(key);
    await queue.idle();
    queue.shutDown();
    await running;
    expect([seen, failed]).toEqual([["a", "b", "c", "d"], ["b"]]);
  });
});
