import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resourceExpired } from "../../../../../src/apimachinery/meta/status.ts";
import { yieldToEventLoop } from "../../../../../src/apimachinery/scheduling/event-loop.ts";
import type { BodySink } from "../../../../../src/apiserver/endpoints/api-request.ts";
import { readWatchRequest } from "../../../../../src/apiserver/endpoints/request/options.ts";
import { WatchFrames } from "../../../../../src/apiserver/endpoints/response/watch-frames.ts";
import { sendWatch } from "../../../../../src/apiserver/endpoints/verbs/watch.ts";
import type { ObjectWatch } from "../../../../../src/apiserver/registry/read/watch.ts";
import { countTurns } from "../../../../support/count-turns.ts";
import { configMap, request, TestApi } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const WATCH_C = "/api/v1/watch/namespaces/default/configmaps/c";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post(CONFIG_MAPS, configMap("b"));
  await api.post(CONFIG_MAPS, configMap("c"));
});
afterEach(() => api[Symbol.asyncDispose]());

describe("a watch of one object, by its path", () => {
  test.each([
    "",
    "?fieldSelector=metadata.name%3Dc",
    "?fieldSelector=metadata.name%3Dc,metadata.namespace%3Ddefault",
  ])("%j sees the object", async (query) => {
    const watch = await api.watch(WATCH_C + query);
    expect(await watch.names()).toEqual(["ADDED c"]);
    await watch.close();
  });

  test.each(["metadata.name%3Db", "metadata.name!%3Db", "metadata.namespace%3Ddefault"])(
    "is refused where the selector does not name it: %s",
    async (selector) => {
      const { status, text } = await api.watch(`${WATCH_C}?fieldSelector=${selector}`);
      expect(status).toBe(400);
      expect(text).toContain("fieldSelector metadata.name doesn't match requested name");
    },
  );
});

const MANY = 200;
/** Takes a watcher longer than a look at the clock. */
const LARGE = "x".repeat(20_000);

describe("a watch that begins with many objects", () => {
  test.each([
    "application/json",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  ])("shows all of them, and others have their turn: %s", async (accept) => {
    await Promise.all(
      Array.from({ length: MANY - 2 }, (_, index) => api.post(CONFIG_MAPS, configMap(`x${index}`))),
    );
    const { done, turns } = await countTurns(async () => {
      const watch = await api.watch(`${CONFIG_MAPS}?watch=true`, { accept });
      const events = [];
      while (events.length < MANY) events.push(...(await watch.settled()));
      await watch.close();
      return events;
    });
    expect(done).toHaveLength(MANY);
    expect(turns).toBeGreaterThan(MANY / 12); // each object takes a millisecond, and a turn at most ten
  });
});

test("a large change that many watch is written in several turns, to each in the order of revisions", async () => {
  const watches = await Promise.all(Array.from({ length: MANY }, () => api.watch(`${CONFIG_MAPS}?watch=1`)));
  for (const watch of watches) expect(await watch.names()).toEqual(["ADDED b", "ADDED c"]);
  const names = watches.map((): string[] => []);
  const { turns } = await countTurns(async () => {
    for (const name of ["d", "e", "f"])
      await api.post(CONFIG_MAPS, configMap(name, { data: { text: LARGE } }));
    while (names.some(({ length }) => length < 3)) {
      await yieldToEventLoop();
      for (const [index, watch] of watches.entries())
        names[index]?.push(...watch.take().map(({ object }) => object.metadata.name ?? ""));
    }
  });
  expect(names).toEqual(watches.map(() => ["d", "e", "f"]));
  expect(turns).toBeGreaterThan(MANY / 12); // each look at the clock takes a millisecond, and a turn at most ten
  await Promise.all(watches.map((watch) => watch.close()));
});

describe("how a watch has ended is returned", () => {
  interface Course {
    readonly next?: ObjectWatch["next"];
    readonly write?: BodySink["write"];
  }

  /** Opens a watch of ConfigMaps, does something to it, and waits for its end. */
  async function endOf(act: (controller: AbortController) => unknown, course: Course = {}) {
    const view = api.registry.find("", "v1", "configmaps");
    if (view === undefined) throw new Error("configmaps are not served");
    const { resources, clock } = api;
    const asking = request("GET", `${CONFIG_MAPS}?watch=1&timeoutSeconds=10`, {});
    const negotiated = { mediaType: "application/json", transform: undefined } as const;
    const exchange = { request: asking, negotiated, view, resources, clock };
    const asked = readWatchRequest(view, asking);
    const opened = resources.watch(view, asked);
    const watch: ObjectWatch = {
      initial: opened.initial,
      revision: opened.revision,
      next: course.next ?? (() => opened.next()),
      close: () => opened.close(),
    };
    const controller = new AbortController();
    const sink = { write: course.write ?? (() => undefined) };
    const end = sendWatch(
      { exchange, asked, frames: new WatchFrames(exchange), watch },
      sink,
      controller.signal,
    );
    await yieldToEventLoop();
    await act(controller);
    return await end;
  }

  test("its time is over", async () => {
    expect(await endOf(() => api.clock.advance(10_000))).toEqual({ type: "timeout" });
  });

  test("its client has gone, and its timers with it", async () => {
    const before = api.clock.timers;
    expect(await endOf((controller) => controller.abort())).toEqual({ type: "gone" });
    expect(api.clock.timers).toBe(before);
  });

  test("the server stops", async () => {
    expect(await endOf(() => api.store[Symbol.asyncDispose]())).toEqual({ type: "gone" });
  });

  test("its kind is no longer served", async () => {
    expect(await endOf(() => api.registry.remove("", "configmaps"))).toEqual({ type: "changed" });
  });

  test("it was read too slowly", async () => {
    await using slow = await TestApi.open({ watchUnreadChangesMax: 2 });
    api = slow;
    let readOn = () => {};
    const write = () =>
      new Promise<void>((resolve) => {
        readOn = resolve;
      });
    const end = await endOf(
      async () => {
        for (const name of ["d", "e", "f", "g"]) await api.post(CONFIG_MAPS, configMap(name));
        readOn();
      },
      { write },
    );
    expect(end).toEqual({ type: "lag" });
  });

  test.each([
    ["what went wrong with it", resourceExpired("gone"), 410],
    ["a mistake of ours", new Error("a mistake"), 500],
  ])("%s is told", async (_what, error, code) => {
    const end = await endOf(() => {}, { next: () => Promise.reject(error) });
    expect(end).toMatchObject({ type: "error", status: { code } });
  });
});
