// Faults of watches over real sockets: of open ones and of those that are opened later.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../../../src/features/faults/fault.ts";
import type { Server } from "../../../src/server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, CONFIG_MAPS, create, json, RawGet, start } from "./fault-server.ts";

let server: Server;
beforeAll(async () => {
  server = await start();
});
/** Faults strike open watches, so none of one test may be left to the next. */
afterEach(async () => {
  server.control.faults.clear();
  const stages = () => server.control.requests.entries({ verb: "watch" }).map(({ stage }) => stage);
  const count = (told: string[], stage: string) => told.filter((item) => item === stage).length;
  await eventually(stages, (told) => count(told, "started") === count(told, "ended"));
});
afterAll(() => server?.close());

interface Seen {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string; readonly resourceVersion?: string } };
}

/** A watch from now on, opened and answered. */
async function openWatch(query = ""): Promise<RawGet> {
  const { metadata } = json(await ask(server, `${CONFIG_MAPS}?limit=1`));
  const from = query.includes("resourceVersion") ? "" : `&resourceVersion=${metadata.resourceVersion}`;
  const watch = new RawGet(server, `${CONFIG_MAPS}?watch=1${from}${query}`);
  await eventually(
    () => watch.text,
    (text) => text.includes("\r\n\r\n"),
  );
  return watch;
}
const seen = (watch: RawGet): Seen[] => watch.lines.map((line) => JSON.parse(line));
const until = (watch: RawGet, holds: (events: Seen[]) => boolean) => eventually(() => seen(watch), holds);
const ended = (watch: RawGet) =>
  eventually(
    () => watch.ended || watch.error !== undefined,
    (is) => is,
  );
/** The last chunk of an answer that has come to its end in order. */
const LAST_CHUNK = "0\r\n\r\n";
const addFault = (fault: Fault) => server.control.faults.add({ match: { resource: "configmaps" }, ...fault });

describe("a watch", () => {
  test("ends with 410 at once, although it is open and nothing happens", async () => {
    using watch = await openWatch();
    addFault({ watchEnd: { how: "expired" } });
    await until(watch, (events) => events.length === 1);
    expect(seen(watch)).toMatchObject([
      {
        type: "ERROR",
        object: {
          kind: "Status",
          code: 410,
          reason: "Expired",
          message: /^too old resource version: \d+ \(\d+\)$/,
        },
      },
    ]);
    expect(watch.text.endsWith(LAST_CHUNK)).toBe(true);
  });

  test("ends with 410 when it is opened", async () => {
    addFault({ watchEnd: { how: "expired" }, count: 1 });
    using watch = await openWatch();
    await until(watch, ([event]) => event?.type === "ERROR");
    using again = await openWatch();
    await create(server, "again");
    await until(again, ([event]) => event?.type === "ADDED");
  });

  test("is cut in the middle of an event", async () => {
    addFault({ watchEnd: { how: "cut", afterEvents: 1 }, count: 1 });
    using watch = await openWatch();
    await create(server, "whole");
    await create(server, "half");
    await ended(watch);
    const [first = "", second = ""] = watch.lines;
    expect(JSON.parse(first)).toMatchObject({ type: "ADDED", object: { metadata: { name: "whole" } } });
    expect(second).toMatch(/^\{"type":"ADDED","object":\{/);
    expect(() => JSON.parse(second)).toThrow();
    expect(watch.text.endsWith(LAST_CHUNK)).toBe(false);
  });

  test("ends in order", async () => {
    using watch = await openWatch();
    addFault({ watchEnd: { how: "end", afterEvents: 1 } });
    await create(server, "last");
    await create(server, "behind-the-last");
    await eventually(
      () => watch.text,
      (text) => text.endsWith(LAST_CHUNK),
    );
    expect(seen(watch).map(({ object }) => object.metadata.name)).toEqual(["last"]);
  });

  test("is reset", async () => {
    using watch = await openWatch();
    addFault({ watchEnd: { how: "reset" } });
    await eventually(
      () => watch.error,
      (error) => error === "ECONNRESET",
    );
  });

  test("is half closed, and stays open", async () => {
    using watch = await openWatch();
    addFault({ id: "half", watchEnd: { how: "halfClose" } });
    await ended(watch);
    expect([watch.closed, watch.text.endsWith(LAST_CHUNK)]).toEqual([false, false]);
    watch.socket.destroy();
    const entry = () => server.control.requests.entries({ verb: "watch" }).at(-1);
    await eventually(entry, (last) => last?.stage === "ended" && last.fault === "half");
  });

  test("hangs: nothing comes any more", async () => {
    using watch = await openWatch();
    using other = await openWatch();
    addFault({ watchEnd: { how: "hang" }, count: 1 });
    await create(server, "unseen");
    await until(other, ([event]) => event?.object.metadata.name === "unseen");
    expect([seen(watch), watch.ended]).toEqual([[], false]);
  });

  test("gets events twice", async () => {
    using watch = await openWatch();
    addFault({ duplicateEvents: {} });
    await create(server, "twice");
    await until(watch, (events) => events.length === 2);
    const [first, second] = seen(watch);
    expect(second).toEqual(first);
  });

  test("gets events late", async () => {
    using watch = await openWatch();
    using other = await openWatch();
    addFault({ lateEvents: { milliseconds: 150 }, count: 1 });
    const before = performance.now();
    await create(server, "late-1");
    await create(server, "late-2");
    await until(other, (events) => events.length === 2);
    await until(watch, (events) => events.length === 2);
    expect(performance.now() - before).toBeGreaterThanOrEqual(149);
    expect(seen(watch).map(({ object }) => object.metadata.name)).toEqual(["late-1", "late-2"]);
  });

  test("gets events slowly", async () => {
    using watch = await openWatch();
    addFault({ slow: { bytesPerSecond: 2000 } });
    const before = performance.now();
    await create(server, "slow");
    await eventually(
      () => watch.text,
      (text) => text.includes('"slow"') && text.includes("}\n"),
    );
    expect(performance.now() - before).toBeGreaterThanOrEqual(99);
  });

  test("gets no bookmark at the end of its initial events", async () => {
    const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    using with_ = await openWatch(query);
    await until(with_, (events) => events.at(-1)?.type === "BOOKMARK");
    addFault({ bookmarks: { withhold: "initialEventsEnd" } });
    using without = await openWatch(query);
    await create(server, "behind-the-bookmark");
    await until(without, (events) => events.at(-1)?.object.metadata.name === "behind-the-bookmark");
    expect(seen(without).every(({ type }) => type === "ADDED")).toBe(true);
  });

  test("begins with a past state, and catches up", async () => {
    await create(server, "stale-watch");
    await ask(server, `${CONFIG_MAPS}/stale-watch`, { method: "PATCH", body: { data: { now: "yes" } } });
    addFault({ staleRead: { revisions: 1 } });
    using watch = await openWatch("&resourceVersion=0&fieldSelector=metadata.name%3Dstale-watch");
    await until(watch, (events) => events.length === 2);
    expect(seen(watch)).toMatchObject([
      { type: "ADDED", object: { metadata: { name: "stale-watch" } } },
      { type: "MODIFIED", object: { data: { now: "yes" } } },
    ]);
  });

  test("is refused when it is opened", async () => {
    addFault({ match: { verb: "watch" }, error: { code: 429 }, count: 1 });
    const refused = await ask(server, `${CONFIG_MAPS}?watch=1`);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
  });
});

test("the log tells when a watch starts and when it has ended", async () => {
  const { last } = server.control.requests;
  {
    using watch = await openWatch();
    expect(watch.ended).toBe(false);
  }
  const told = () => server.control.requests.entries({ verb: "watch", since: last });
  const stages = () => told().map(({ stage }) => stage);
  await eventually(stages, (told) => told.join() === "started,ended");
});
