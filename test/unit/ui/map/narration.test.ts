import { describe, expect, test } from "vitest";
import type { Move } from "../../../../src/ui/map/moves.ts";
import { Narrator, nodeChange, sentenceOf } from "../../../../src/ui/map/narration.ts";
import { node } from "./worlds.ts";

const move = (from: string, to: string, address = "192.168.126.102"): Move => ({
  ...{ egressIp: "web", address, from, to, atMs: 0 },
});
const many = (count: number, from: string, to: string) =>
  Array.from({ length: count }, (_, index) => move(from, to, `10.${to.length}.0.${index}`));

describe("a fail-over is told", () => {
  test.each([
    [[move("node-a", "node-b")], "192.168.126.102 of EgressIP web moved from node-a to node-b."],
    [[move("", "node-b")], "192.168.126.102 of EgressIP web is on node-b now."],
    [[move("node-a", "")], "192.168.126.102 of EgressIP web has no node any more; it was on node-a."],
    [
      [...many(14, "node-a", "node-c2"), ...many(20, "node-a", "node-b"), ...many(2, "node-a", "")],
      "34 addresses moved from node-a: 20 to node-b, 14 to node-c2. 2 have no node.",
    ],
    [[...many(1, "a", "b"), ...many(1, "a", "")], "1 address moved from a: 1 to b. 1 has no node."],
    [many(3, "", "b"), "3 addresses found a node: 3 to b."],
    [
      ["a", "b", "c", "d", "e"].map((node) => move(node, `${node}2`)),
      "5 addresses moved from 5 nodes: to 5 nodes.",
    ],
    [[], ""],
  ])("%#", (moves, sentence) => {
    expect(sentenceOf({ moves, nodes: [] })).toBe(sentence);
  });

  test("after what happened to the node", () => {
    expect(sentenceOf({ moves: [move("a", "b")], nodes: [{ node: "a", isReady: false, used: 0 }] })).toBe(
      "a is not Ready. 192.168.126.102 of EgressIP web moved from a to b.",
    );
  });

  test.each([
    [0, "no address"],
    [1, "1 address"],
    [3, "3 addresses"],
  ])("when a node with %i comes back", (used, words) => {
    expect(sentenceOf({ moves: [], nodes: [{ node: "a", isReady: true, used }] })).toBe(
      `a is Ready again; it carries ${words}.`,
    );
  });
});

test("a node that is Ready as before, is new or has gone has not changed", () => {
  const ready = node("a");
  const failed = node("a", { isReady: false });
  expect(nodeChange(ready, failed, 2)).toEqual({ node: "a", isReady: false, used: 2 });
  expect([
    nodeChange(ready, ready, 0),
    nodeChange(undefined, ready, 0),
    nodeChange(ready, undefined, 0),
  ]).toEqual([undefined, undefined, undefined]);
});

describe("a narrator", () => {
  /** A manual clock. */
  function heldClock() {
    let nowMs = 0;
    let waiting: { at: number; callback: () => void }[] = [];
    return {
      now: () => nowMs,
      chance: () => 0,
      after(delayMs: number, callback: () => void) {
        const one = { at: nowMs + delayMs, callback };
        waiting.push(one);
        return () => {
          waiting = waiting.filter((other) => other !== one);
        };
      },
      goTo(atMs: number) {
        nowMs = atMs;
        const due = waiting.filter(({ at }) => at <= atMs);
        waiting = waiting.filter(({ at }) => at > atMs);
        for (const { callback } of due) callback();
      },
    };
  }
  const started = () => {
    const clock = heldClock();
    const said: string[] = [];
    return {
      clock,
      said,
      narrator: new Narrator(clock, (sentence) => said.push(`${clock.now()} ${sentence}`)),
    };
  };

  test("tells together what comes together, and pauses between", () => {
    const { clock, said, narrator } = started();
    narrator.add({ moves: [move("a", "b")], nodes: [] });
    narrator.add({ moves: [move("a", "c", "10.0.0.2")], nodes: [] });
    clock.goTo(250);
    narrator.add({ moves: [move("b", "c")], nodes: [] });
    clock.goTo(3_249);
    expect(said).toEqual(["250 2 addresses moved from a: 1 to b, 1 to c."]);
    clock.goTo(3_250);
    expect(said[1]).toBe("3250 192.168.126.102 of EgressIP web moved from b to c.");
  });

  test("tells of what went to and fro where it came to rest", () => {
    const { clock, said, narrator } = started();
    narrator.add({ moves: [move("a", "b"), move("b", "c")], nodes: [] });
    clock.goTo(250);
    narrator.add({ moves: [move("c", "a"), move("a", "c")], nodes: [] });
    clock.goTo(9_999);
    expect(said).toEqual(["250 192.168.126.102 of EgressIP web moved from a to c."]);
  });

  test("says nothing when it is stopped, or nothing has happened", () => {
    const { clock, said, narrator } = started();
    narrator.add({ moves: [], nodes: [] });
    narrator.add({ moves: [move("a", "b")], nodes: [] });
    narrator.stop();
    clock.goTo(9_999);
    expect(said).toEqual([]);
  });
});
