// Slots for large bodies: users take turns, privileged users have a slot of their own, and no request waits for ever.
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { jobOwner } from "../../../../src/apimachinery/workers/job.ts";
import { LargeBodies } from "../../../../src/apiserver/http/large-bodies.ts";
import { ManualClock } from "../../kube/controllers/support.ts";

const HEAP_OF_ONE_PLACE = 384 * 1024 * 1024;
const user = (name: string, gone?: AbortSignal) => jobOwner({ name, groups: [] }, gone);
const root = jobOwner({ name: "root", groups: ["system:masters"] });

function open() {
  const clock = new ManualClock();
  return { clock, bodies: new LargeBodies(clock, 60_000, HEAP_OF_ONE_PLACE) };
}

const codeOf = (entering: Promise<unknown>): Promise<unknown> =>
  entering.then(
    () => 0,
    (error: { code?: unknown }) => error.code,
  );

test("one at a time, in turns, and one more with all rights", async () => {
  const { bodies } = open();
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await bodies.enter(user(name), false);
    entered.push(name);
    return leave;
  };
  const leave = await enter("a");
  const second = enter("a");
  const other = enter("b");
  (await bodies.enter(root, false))();
  expect(entered).toEqual(["a"]);
  leave();
  leave(); // once is enough
  await turn();
  expect(entered).toEqual(["a", "b"]);
  (await other)();
  (await second)();
});

test("a request that waits too long gets 504, one too many 429, and one whose client has gone no place", async () => {
  const { clock, bodies } = open();
  const leave = await bodies.enter(user("a"), false);
  const gone = new AbortController();
  const waiting = Array.from({ length: 15 }, () => codeOf(bodies.enter(user("a"), false)));
  const left = codeOf(bodies.enter(user("a", gone.signal), false));
  expect(await codeOf(bodies.enter(user("a"), false))).toBe(429);
  gone.abort();
  expect(await left).toBe(504);
  clock.advance(60_000);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([504]));
  leave();
  expect(await codeOf(bodies.enter(user("b"), false))).toBe(0);
});

test("a call that may take long gives its place up after some seconds", async () => {
  const { clock, bodies } = open();
  await bodies.enter(user("a"), true);
  const next = codeOf(bodies.enter(user("b"), false));
  clock.advance(5000);
  expect(await next).toBe(0);
});
