import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { nextTurn, yieldToEventLoop } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { Settling } from "../../../../src/features/control-surface/clock.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../src/storage/store.ts";
import { create } from "../../../contract/store-harness.ts";

let store: Store;
let settling: Settling;
beforeEach(async () => {
  // A disk that takes its time.
  const failpoints = async () => {
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
  };
  store = await openMvccStore(createMemoryEngine(), { clock: systemClock, failpoints });
  settling = new Settling(store);
});

describe("a server is at rest", () => {
  test("when it does nothing", async () => {
    await settling.settled();
    expect(store.busy).toBe(false);
  });

  test("not before writes that follow from one another are done", async () => {
    void store
      .commit([create("/a")])
      .then(() => store.commit([create("/b")]))
      .then(() => store.commit([create("/c")]));
    await settling.settled();
    expect([store.revision, store.busy]).toEqual([4, false]);
  });

  test("not before those outside have answered, and what comes of that is done", async () => {
    const ask = settling.counted(async (name: string) => {
      for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
      return name;
    });
    void ask("/a").then((name) => store.commit([create(name)]));
    await settling.settled();
    expect(store.get("/a")).toBeDefined();
  });

  test("also when those outside have failed", async () => {
    const ask = settling.counted(() => Promise.reject(new Error("nobody there")));
    await expect(ask("/a")).rejects.toThrow("nobody there");
    await settling.settled();
  });

  test("not while somebody works from turn to turn, such as controllers that start one after the other", async () => {
    let done = false;
    const work = async () => {
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      done = true;
    };
    void work();
    await settling.settled();
    expect(done).toBe(true);
  });
});
