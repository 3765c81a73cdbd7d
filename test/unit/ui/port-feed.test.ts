import { expect, test } from "vitest";
import type { FeedMessage } from "../../../src/ui/data/feed.ts";
import { Model } from "../../../src/ui/data/model.ts";
import { type Port, portFeed, servePort } from "../../../src/ui/data/port-feed.ts";
import { Page, revisionsOf } from "../../support/page/page.ts";

type Listener = Parameters<Port["addEventListener"]>[1];

/** One end of a port; what is sent arrives at once, as a copy. */
class End implements Port {
  other: End | undefined;
  isClosed = false;
  readonly #listeners = { message: [] as Listener[], close: [] as Listener[] };

  postMessage(message: unknown): void {
    this.other?.hear("message", structuredClone(message));
  }

  addEventListener(type: "message" | "close", listener: Listener): void {
    this.#listeners[type].push(listener);
  }

  start(): void {}

  close(): void {
    this.isClosed = true;
  }

  hear(type: "message" | "close", data?: unknown): void {
    for (const listener of this.#listeners[type]) listener({ data });
  }
}

function portOf() {
  const served = new End();
  const feed = portFeed(() => {
    const own = new End();
    own.other = served;
    served.other = own;
    return own;
  });
  return { served, feed };
}

test("a tab is told over a port what the worker knows, and how it was", async () => {
  const page = new Page();
  const { served, feed } = portOf();
  const model = new Model();
  const messages: FeedMessage[] = [];
  const end = feed.follow((message) => {
    messages.push(message);
    model.apply(message.changes, message.isAnew);
  });
  servePort(page.feed, served);
  page.server.put("pods", "a");
  page.pass(500);
  page.server.put("pods", "a");
  page.pass(500);
  expect(revisionsOf(model)).toEqual(page.server.state("pods"));
  const answer = await feed.past(1, Number.POSITIVE_INFINITY);
  expect(answer.state === "found" && answer.changes.map(({ revision }) => revision)).toEqual([1]);
  end();
  expect(served.isClosed).toBe(true);
  const count = messages.length;
  page.server.put("pods", "a");
  page.pass(500);
  expect(messages.length).toBe(count);
});

test("who asks for the past and leaves, or has left, is not kept waiting", async () => {
  const { feed } = portOf();
  const end = feed.follow(() => {});
  const asked = feed.past(1, Number.POSITIVE_INFINITY);
  end();
  expect(await asked).toMatchObject({ state: "failed" });
  expect(await feed.past(1, Number.POSITIVE_INFINITY)).toMatchObject({ state: "failed" });
});

test("a view that fails does not keep the others from what comes next", () => {
  const page = new Page();
  const { served, feed } = portOf();
  let count = 0;
  feed.follow(() => {
    count++;
    if (count === 1) throw new Error("a view failed");
  });
  servePort(page.feed, served);
  expect(() => page.pass(200)).toThrow("a view failed");
  page.server.put("pods", "a");
  page.pass(500);
  expect(count).toBeGreaterThan(1);
});

test("a tab that crashed is one less", () => {
  const page = new Page();
  const { served, feed } = portOf();
  feed.follow(() => {});
  servePort(page.feed, served);
  page.pass(200);
  served.hear("close");
  page.clock.advance(31_000);
  expect(page.server.streams).toBe(0);
});
