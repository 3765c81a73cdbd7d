// Memory budgets for answers: limits for a user, for all users, and the reserved share of privileged users.
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { BodySink } from "../../../../src/apiserver/endpoints/api-request.ts";
import {
  AnswerBudget,
  boundedWatch,
  heldByAnswer,
  heldByHead,
  reserveUntilSent,
} from "../../../../src/apiserver/http/answer-budget.ts";
import { UNREAD_BYTES_MAX } from "../../../../src/apiserver/http/streams.ts";

const jane = { name: "jane", groups: [] };
const root = { name: "root", groups: ["system:masters"] };

test("a user has half, all users three quarters, and users with all rights the rest", () => {
  const budget = new AnswerBudget(100);
  expect(budget.reserve(jane, 50)).toBeDefined();
  expect(budget.reserve(jane, 1)).toBeUndefined();
  expect(budget.reserve({ name: "joe", groups: [] }, 25)).toBeDefined();
  expect(budget.reserve({ name: "jim", groups: [] }, 1)).toBeUndefined();
  expect(budget.reserve(root, 25)).toBeDefined();
  expect(budget.reserve(root, 1)).toBeUndefined();
});

test("what is given back can be reserved again, however often it is given back", () => {
  const step = fc.record({ user: fc.nat(3), bytes: fc.integer({ min: 1, max: 40 }), giveBack: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new AnswerBudget(100);
      const held: { bytes: number; giveBack: () => void }[] = [];
      for (const { user, bytes, giveBack } of steps) {
        const groups = user === 0 ? ["system:masters"] : [];
        const given = budget.reserve({ name: `user-${user}`, groups }, bytes);
        if (given) held.push({ bytes, giveBack: given });
        const [old] = held.splice(giveBack, 1);
        old?.giveBack();
        old?.giveBack();
        expect(budget.bytes).toBe(held.reduce((sum, item) => sum + item.bytes, 0));
        expect(budget.bytes).toBeLessThanOrEqual(100);
      }
      for (const item of held) item.giveBack();
      expect(budget.reserve(jane, 50)).toBeDefined();
    }),
  );
});

test("an answer is reserved until it has been sent", () => {
  const budget = new AnswerBudget(100);
  const response = Object.assign(new EventEmitter(), { destroyed: false, closed: false });
  expect(reserveUntilSent(budget, jane, response as unknown as ServerResponse, 40)).toBe(true);
  expect(reserveUntilSent(budget, jane, response as unknown as ServerResponse, 40)).toBe(false);
  response.emit("close");
  expect(budget.bytes).toBe(0);
});

test("short heads and answers cost nothing", () => {
  expect(heldByHead({ url: "/version", rawHeaders: ["host", "127.0.0.1"] })).toBe(0);
  expect(heldByHead({ url: "/version", rawHeaders: ["x", "y".repeat(100_000)] })).toBe(100_009);
  const answerOf = (body: Uint8Array | undefined) => heldByAnswer({ status: 200, headers: {}, body });
  expect(answerOf(undefined)).toBe(0);
  expect(answerOf(new Uint8Array(1000))).toBe(0);
  expect(answerOf(new Uint8Array(100_000))).toBe(100_000);
});

test("a watch that is not read holds its bytes, and is cut off when there are too few", async () => {
  const budget = new AnswerBudget(4 * UNREAD_BYTES_MAX);
  const cuts: number[] = [];
  const watch = (number: number, read: Promise<void>) => {
    const sink: BodySink = { write: () => read, cut: () => void cuts.push(number) };
    return boundedWatch(
      async (to) => void (await to.write(new Uint8Array(8))),
      budget,
      jane,
    )(sink, new AbortController().signal);
  };
  let readOn = () => {};
  const read = new Promise<void>((resolve) => {
    readOn = resolve;
  });
  const all = [1, 2, 3].map((number) => watch(number, read));
  expect(cuts).toEqual([2, 3]);
  readOn();
  await Promise.all(all);
  expect(budget.bytes).toBe(0);
});
