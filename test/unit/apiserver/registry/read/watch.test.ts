import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { parseLabelSelector } from "../../../../../src/apimachinery/meta/label-selector.ts";
import { nextTurn } from "../../../../../src/apimachinery/scheduling/event-loop.ts";
import { decodeStored, encodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import { EVERYTHING, type Selection } from "../../../../../src/apiserver/registry/read/selection.ts";
import {
  type ObjectWatch,
  type WatchRequest,
  watchObjects,
} from "../../../../../src/apiserver/registry/read/watch.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../../src/storage/store.ts";
import { countTurns } from "../../../../support/count-turns.ts";
import { ManualClock } from "../../../storage/manual-clock.ts";
import { at, customView, object, refusal } from "../support.ts";

const view = customView();
const PREFIX = "/registry/example.com/things/default/";

let store: Store;
beforeEach(async () => {
  store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock(), watchUnreadChangesMax: 5 });
  await put("a", { tier: "x" });
});

async function put(name: string, labels: JsonObject = {}, prefix = PREFIX): Promise<number> {
  const key = prefix + name;
  const value = encodeStored(object(name, {}, { labels }), undefined);
  const live = store.get(key);
  const op = live
    ? ({ type: "update", key, value, ifModRevision: live.modRevision } as const)
    : ({ type: "create", key, value } as const);
  return store.commit([op]);
}

async function remove(name: string): Promise<number> {
  const key = PREFIX + name;
  return store.commit([{ type: "delete", key, ifModRevision: store.get(key)?.modRevision ?? at(0) }]);
}

function open(request: Partial<WatchRequest> = {}): ObjectWatch {
  return watchObjects(store, view, {
    namespace: "",
    selection: EVERYTHING,
    resourceVersion: String(store.revision),
    ...request,
  });
}
const tierX: Selection = { labels: parseLabelSelector("tier=x"), fields: undefined };

/** "TYPE name tier@revision" for each event of the next batch. */
async function next(watch: ObjectWatch): Promise<string[] | undefined> {
  const events = await watch.next();
  return events?.map((event) => {
    const { name, labels } = decodeStored(event.kv).metadata;
    return `${event.type} ${name} ${labels?.["tier"] ?? ""}`.trim();
  });
}

describe("where a watch begins", () => {
  test("with a past state, when that is wanted", async () => {
    const past = store.revision;
    await put("a", { tier: "y" });
    const watch = open({ resourceVersion: "0", beginAt: past });
    expect(watch.initial?.map((kv) => decodeStored(kv).metadata.labels)).toEqual([{ tier: "x" }]);
    expect(await next(watch)).toEqual(["MODIFIED a y"]);
    const late = open({ resourceVersion: "0", sendInitialEvents: false, beginAt: past });
    expect([late.initial, await next(late)]).toEqual([undefined, ["MODIFIED a y"]]);
  });

  test.each([
    ["without a version", { resourceVersion: "" }],
    ["at version 0", { resourceVersion: "0" }],
    ["on request", { sendInitialEvents: true }],
  ])("%s it begins with what there is", async (_rule, request) => {
    const watch = open(request);
    expect(watch.initial?.map((kv) => decodeStored(kv).metadata.name)).toEqual(["a"]);
    await put("b");
    expect(await next(watch)).toEqual(["ADDED b"]);
  });

  test.each(["", "0"])(
    "at version %j without initial events it begins with what comes next",
    async (version) => {
      const watch = open({ resourceVersion: version, sendInitialEvents: false });
      expect(watch.initial).toBeUndefined();
      await put("b");
      expect(await next(watch)).toEqual(["ADDED b"]);
    },
  );

  test("with a selection it begins with what is selected", async () => {
    await put("b", { tier: "y" });
    const { initial } = open({ resourceVersion: "", selection: tierX });
    expect(initial?.map((kv) => decodeStored(kv).metadata.name)).toEqual(["a"]);
  });

  test("at a revision it begins with the changes after it", async () => {
    const { revision } = store;
    await put("b");
    await put("a", { tier: "y" });
    const watch = open({ resourceVersion: String(revision) });
    expect(watch.initial).toBeUndefined();
    expect(await next(watch)).toEqual(["ADDED b", "MODIFIED a y"]);
  });

  test("at a revision that is gone it is refused", async () => {
    const { revision } = store;
    await put("b");
    await store.compact(at(store.revision));
    expect(refusal(() => open({ resourceVersion: String(revision - 1) }))).toBe(
      `410 too old resource version: ${revision - 1} (${store.revision})`,
    );
  });

  test("at a revision that is no number it is refused", () => {
    expect(refusal(() => open({ resourceVersion: "abc" }))).toMatch(
      /^500 resourceVersion: Invalid value: "abc"/,
    );
  });

  test("with initial events at a revision in the future it is to be waited for", () => {
    const request = { resourceVersion: "999", sendInitialEvents: true };
    expect(refusal(() => open(request))).toMatch(/^504 Too large resource version: 999/);
  });
});

describe("an object", () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ["that comes to match is ADDED", { tier: "y" }, { tier: "x" }, ["ADDED b x"]],
    ["that goes on matching is MODIFIED", { tier: "x" }, { tier: "x", more: "1" }, ["MODIFIED b x"]],
    [
      "that stops matching is DELETED, as it was while it matched",
      { tier: "x" },
      { tier: "y" },
      ["DELETED b x"],
    ],
  ])("%s", async (_rule, before, after, events) => {
    await put("b", before);
    const watch = open({ selection: tierX });
    await put("b", after);
    expect(await next(watch)).toEqual(events);
  });

  test("that never matches is not told of", async () => {
    await put("b", { tier: "y" });
    const watch = open({ selection: tierX });
    await put("b", { tier: "z" });
    await remove("b");
    await put("c", { tier: "x" });
    expect(await next(watch)).toEqual(["ADDED c x"]);
  });

  test("that is deleted while it matches is told with the revision of the deletion", async () => {
    const watch = open({ selection: tierX });
    const revision = await remove("a");
    expect(await watch.next()).toMatchObject([{ type: "DELETED", revision }]);
  });

  test("of another kind or namespace is not told of", async () => {
    const watch = open({ namespace: "default" });
    await put("a", {}, "/registry/example.com/things/other/");
    await put("a", {}, "/registry/example.com/thingsandmore/default/");
    await put("b");
    expect(await next(watch)).toEqual(["ADDED b"]);
  });
});

describe("how far a watch has come", () => {
  test("is the store's revision while it waits, although nothing concerned it", async () => {
    const watch = open({ selection: tierX });
    const waiting = watch.next();
    await put("b", { tier: "y" });
    expect(watch.revision).toBe(store.revision);
    watch.close();
    expect(await waiting).toBeUndefined();
  });

  test("is the revision of what it has handed out", async () => {
    const watch = open();
    const first = await put("b");
    await next(watch);
    await put("c");
    expect(watch.revision).toBe(first);
  });
});

test("a watch that is closed has no more events", async () => {
  const watch = open();
  watch.close();
  await put("b");
  expect(await watch.next()).toBeUndefined();
});

test("a watch that falls too far behind is cut off", async () => {
  const watch = open();
  for (const name of ["b", "c", "d", "e", "f", "g", "h"]) await put(name);
  await expect(watch.next()).rejects.toThrow(/too slow/);
});

describe("a change of very many objects", () => {
  const names = Array.from({ length: 600 }, (_, index) => `many-${index}`);
  const createAll = () =>
    store.transform(() => [
      names.map((name, index) => {
        const labels = { tier: index % 2 === 0 ? "x" : "y" };
        return {
          type: "create",
          key: PREFIX + name,
          value: encodeStored(object(name, {}, { labels }), undefined),
        };
      }),
    ]);

  test("is selected in turns, and the watch is not further than what it has handed out", async () => {
    const watch = open({ selection: tierX });
    const before = watch.revision;
    await createAll();
    const meanwhile = new Set<number>();
    let isSelecting = true;
    const { done, turns } = await countTurns(() => {
      const events = next(watch);
      setImmediate(function look() {
        if (!isSelecting) return;
        meanwhile.add(watch.revision);
        setImmediate(look);
      });
      return events.finally(() => {
        isSelecting = false;
      });
    });
    expect(turns).toBeGreaterThan(10);
    expect(done).toEqual(names.filter((_, index) => index % 2 === 0).map((name) => `ADDED ${name} x`));
    expect([[...meanwhile], watch.revision]).toEqual([[before], store.revision]);
  });

  test("is not told of by a watch that was closed meanwhile", async () => {
    const watch = open({ selection: tierX });
    await createAll();
    await countTurns(async () => {
      const events = next(watch);
      await nextTurn();
      watch.close();
      expect(await events).toBeUndefined();
    });
  });
});
