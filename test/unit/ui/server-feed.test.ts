import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeedMessage } from "../../../src/ui/data/feed.ts";
import { Page, revisionsOf } from "../../support/page/page.ts";

const KINDS_COUNT = 7;

test("however streams are cut, repeated, forgotten and begun anew, a tab comes to know what the server has", () => {
  const name = fc.constantFrom("a", "b", "c");
  const act = fc.oneof(
    { weight: 4, arbitrary: name.map((name) => (page: Page) => page.server.put("pods", name)) },
    { weight: 2, arbitrary: name.map((name) => (page: Page) => page.server.remove("pods", name)) },
    fc.constant((page: Page) => page.server.put("nodes", "n1")),
    { weight: 3, arbitrary: fc.nat(3).map((count) => (page: Page) => page.server.deliver(count)) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(1, 60, 400, 9_000).map((ms) => (page: Page) => page.clock.advance(ms)),
    },
    { weight: 3, arbitrary: fc.constant((page: Page) => page.pass(100)) },
    fc.integer({ min: 1, max: 4 }).map((count) => (page: Page) => page.server.repeat(count)),
    fc.boolean().map((isInOrder) => (page: Page) => page.server.cut("pods", isInOrder)),
    fc.constant((page: Page) => page.server.cut(undefined, false)),
    fc.constant((page: Page) => page.server.compact()),
    name.map((name) => (page: Page) => {
      page.server.cut("pods", true);
      page.server.remove("pods", name);
      page.server.compact();
    }),
    fc.constant((page: Page) => page.server.bookmark()),
    fc.boolean().map((isDown) => (page: Page) => {
      page.server.isDown = isDown;
    }),
    fc.constant((page: Page) => page.server.restart()),
    fc.constant((page: Page) => page.feed.again()),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const page = new Page();
      const early = page.tab();
      for (const act of acts) act(page);
      page.server.isDown = false;
      const late = page.tab();
      page.pass(20_000);
      const there = page.server.state("pods");
      expect(revisionsOf(early.model)).toEqual(there);
      expect(revisionsOf(late.model)).toEqual(there);
      expect(page.last?.link).toEqual({ state: "live" });
      expect(page.last?.revision).toBe(page.server.revision);
    }),
    { numRuns: 500 },
  );
});

test("a tab is told twenty times a second at most, and of an object only how it is by then", () => {
  const page = new Page();
  page.tab();
  page.pass(200);
  const before = page.messages.length;
  for (let n = 0; n < 1_000; n++) {
    page.server.put("pods", "a");
    page.server.deliver();
    page.clock.advance(1);
  }
  page.pass(100);
  const told = page.messages.slice(before);
  expect(told.length).toBeGreaterThan(10);
  expect(told.length).toBeLessThanOrEqual(22);
  expect(told.every(({ changes }) => changes.length === 1)).toBe(true);
});

test("a tab that does not keep up is told again when it does", () => {
  const page = new Page();
  const messages: FeedMessage[] = [];
  const follower = page.feed.connect((message) => messages.push(message));
  page.pass(1_000);
  expect(messages.length).toBe(1);
  for (const name of ["a", "b", "a"]) page.server.put("pods", name);
  page.pass(1_000);
  expect(messages.length).toBe(1);
  follower.taken();
  page.pass(100);
  expect(messages.length).toBe(2);
  expect(messages[1]?.changes.map(({ revision }) => revision)).toEqual([2, 3]);
  expect(messages[1]?.link).toEqual({ state: "live" });
});

test("a second tab asks the server nothing", () => {
  const page = new Page();
  page.tab();
  page.server.put("pods", "a");
  page.pass(200);
  const asked = page.server.asked.length;
  const { model } = page.tab();
  page.pass(200);
  expect(model.pods.size).toBe(1);
  expect(page.server.asked.length).toBe(asked);
});

test("after a break the watches go on where they ended, and nothing is listed", () => {
  const page = new Page();
  const { model } = page.tab();
  page.server.put("pods", "a");
  page.pass(200);
  page.server.asked.length = 0;
  page.server.cut("pods", false);
  page.server.put("pods", "b");
  page.pass(200);
  expect(page.server.asked).toEqual(["identity", "pods resume", "identity"]);
  expect(model.pods.size).toBe(2);
  expect(page.messages.some(({ link }) => link.state === "lost")).toBe(false);
});

test("while nobody answers it says since when and when it asks again, less and less often", () => {
  const page = new Page();
  page.tab();
  page.pass(200);
  const sinceMs = page.clock.now();
  page.server.isDown = true;
  page.server.asked.length = 0;
  page.server.cut(undefined, false);
  page.clock.advance(60);
  expect(page.last?.link).toEqual({ state: "lost", sinceMs, againAtMs: sinceMs + 251 });
  page.clock.advance(60_000);
  // At once, after 0.25, 0.5, 1, 2, 4 and then every 8 seconds.
  expect(page.server.asked.length).toBe(6 + 6);
  page.server.isDown = false;
  page.server.asked.length = 0;
  page.feed.again();
  page.pass(100);
  // Before and after the watches go on.
  expect(page.server.asked.length).toBe(2 + KINDS_COUNT);
  expect(page.last?.link).toEqual({ state: "live" });
});

test("what was forgotten is listed anew, and only differences are told", () => {
  const page = new Page();
  page.tab();
  for (const name of ["same", "changed", "gone"]) page.server.put("pods", name);
  page.pass(200);
  page.server.cut("pods", true);
  page.server.put("pods", "changed");
  page.server.remove("pods", "gone");
  page.server.put("nodes", "n1");
  page.server.compact();
  const before = page.messages.length;
  page.pass(1_000);
  const changes = page.messages.slice(before).flatMap(({ changes }) => changes);
  expect(changes.filter(({ kind }) => kind === "pods").map(({ revision }) => revision)).toEqual([4, 6]);
  expect(page.messages.slice(before).some(({ isAnew }) => isAnew)).toBe(false);
});

test("a kind that may not be seen is told with the reason, the others go on, and it is asked for slowly", () => {
  const page = new Page();
  page.server.refusals.set("nodes", { code: 403, message: "nodes is forbidden" });
  const { model } = page.tab();
  page.server.put("pods", "a");
  page.pass(200);
  expect(page.last?.link).toEqual({ state: "live" });
  expect(page.last?.refused).toEqual([{ kind: "nodes", code: 403, message: "nodes is forbidden" }]);
  expect(model.pods.size).toBe(1);
  page.server.asked.length = 0;
  page.clock.advance(59_000);
  expect(page.server.asked).toEqual([]);
  page.server.refusals.clear();
  page.pass(2_000);
  expect(page.last?.refused).toEqual([]);
});

test("without a session it asks for a login, and begins anew behind it", () => {
  const page = new Page();
  const { model } = page.tab();
  page.server.put("pods", "a");
  page.pass(200);
  page.server.identityFailure = { code: 401, message: "Unauthorized" };
  page.server.cut(undefined, false);
  page.pass(200);
  expect(page.last?.link).toEqual({ state: "login" });
  page.server.identityFailure = undefined;
  const before = page.messages.length;
  page.feed.again();
  page.pass(200);
  expect(page.messages.slice(before).some(({ isAnew }) => isAnew)).toBe(true);
  expect(page.last?.link).toEqual({ state: "live" });
  expect(model.pods.size).toBe(1);
});

test("half a minute after the last tab nothing is open and nothing is waited for", () => {
  const page = new Page();
  const first = page.tab();
  const second = page.tab();
  page.pass(200);
  first.end();
  page.clock.advance(60_000);
  expect(page.server.streams).toBe(KINDS_COUNT);
  second.end();
  page.clock.advance(29_000);
  expect(page.server.streams).toBe(KINDS_COUNT);
  page.clock.advance(2_000);
  expect(page.server.streams).toBe(0);
  expect(page.clock.waiting).toBe(0);
  const { model } = page.tab();
  page.server.put("pods", "a");
  page.pass(200);
  expect(model.pods.size).toBe(1);
});
