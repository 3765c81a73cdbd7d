import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { nextTurn, noteNewRequest } from "../../../../../src/apimachinery/scheduling/event-loop.ts";
import { BodyTurns } from "../../../../../src/apiserver/http/request-bodies.ts";

const CHUNK = Buffer.alloc(64 * 1024);
const MEBIBYTE = 1024 * 1024;

/** A message whose sender has more to give than is ever taken at once. */
class Sender extends EventEmitter {
  paused = false;
  came = 0;
  left: number;

  constructor(bytes: number) {
    super();
    this.left = bytes;
  }

  pause(): this {
    this.paused = true;
    return this;
  }

  resume(): this {
    this.paused = false;
    return this;
  }

  /** Emits chunks until the stream is paused. */
  send(): void {
    while (!this.paused && this.left > 0) {
      this.left -= CHUNK.length;
      this.came += CHUNK.length;
      this.emit("data", CHUNK);
    }
  }
}

const senders = (count: number, bytes: number) => Array.from({ length: count }, () => new Sender(bytes));
const sum = (all: readonly Sender[]) => all.reduce((bytes, { came }) => bytes + came, 0);

/** What came in each turn until nothing is left. */
async function received(all: readonly Sender[]): Promise<number[]> {
  const turns: number[] = [];
  while (all.some(({ left }) => left > 0) && turns.length < 1000) {
    const before = sum(all);
    for (const sender of all) sender.send();
    turns.push(sum(all) - before);
    await nextTurn();
  }
  return turns;
}

describe("bodies that come in at the same time", () => {
  test("bring all they have, a bounded part of it in each turn", async () => {
    const turns = new BodyTurns();
    const all = senders(100, 3 * MEBIBYTE);
    for (const sender of all) turns.discard(sender as never);
    const parts = await received(all);
    expect(sum(all)).toBe(300 * MEBIBYTE);
    // A sender is stopped by what it has sent, so that each of those that go on has sent a piece.
    const [first = 0, ...later] = parts;
    expect(first).toBeLessThanOrEqual(4 * MEBIBYTE + 100 * CHUNK.length);
    expect(Math.max(...later)).toBeLessThanOrEqual(4 * MEBIBYTE + 16 * CHUNK.length);
  });

  test("go on in the order in which they were stopped", async () => {
    const turns = new BodyTurns();
    const all = senders(40, 3 * MEBIBYTE);
    for (const sender of all) turns.discard(sender as never);
    for (const sender of all) sender.send();
    expect(all.map(({ paused }) => paused)).toEqual(all.map((_, index) => index > 0));
    await nextTurn();
    expect(all.map(({ paused }) => paused)).toEqual(all.map((_, index) => index > 16));
  });

  test("do not wait when they are small", async () => {
    const turns = new BodyTurns();
    const all = senders(32, 128 * 1024);
    for (const sender of all) turns.discard(sender as never);
    expect(await received(all)).toEqual([4 * MEBIBYTE]);
  });

  test("stand back while clients connect", async () => {
    const turns = new BodyTurns();
    const [sender] = senders(1, 3 * MEBIBYTE);
    turns.discard(sender as never);
    for (let turn = 0; turn < 3; turn++) {
      noteNewRequest();
      sender?.send();
      await nextTurn();
    }
    expect(sender?.came).toBeLessThanOrEqual(256 * 1024 + CHUNK.length);
    await nextTurn();
    await nextTurn();
    expect(sender?.paused).toBe(false);
  });

  test("are not read on once nobody reads them", async () => {
    const turns = new BodyTurns();
    const [sender] = senders(1, 8 * MEBIBYTE);
    turns.discard(sender as never);
    sender?.send();
    turns.leave(sender as never);
    await nextTurn();
    await nextTurn();
    expect(sender?.paused).toBe(true);
  });
});
