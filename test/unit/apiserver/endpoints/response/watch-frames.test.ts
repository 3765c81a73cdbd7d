import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { crdOf, MERGE_PATCH, request, TestApi, THINGS, thing, versionWith } from "../support.ts";

const ANY = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
  await api.serve(crdOf([versionWith(ANY), versionWith(ANY, { name: "v2", storage: false })]));
  await api.post(THINGS, thing("a", { spec: { n: 1 } }));
});
afterAll(() => api[Symbol.asyncDispose]());

/** The events of one change, as a watch in this form sees them. */
async function eventsOf(url: string, headers: Record<string, string>, change: () => Promise<unknown>) {
  const watch = await api.watch(`${url}?watch=1&resourceVersion=${api.store.revision}`, headers);
  await change();
  const events = await watch.settled();
  await watch.close();
  return events;
}

const touch = (n: number) => () => api.patch(MERGE_PATCH, `${THINGS}/a`, { spec: { n } });

describe("an event", () => {
  test("holds the object as GET shows it", async () => {
    const events = await eventsOf(THINGS, {}, touch(2));
    expect(events).toEqual([{ type: "MODIFIED", object: (await api.get(`${THINGS}/a`)).body }]);
  });

  test("holds the object at the version of the watch", async () => {
    const url = "/apis/example.com/v2/namespaces/default/things";
    const events = await eventsOf(url, {}, touch(3));
    expect(events).toEqual([{ type: "MODIFIED", object: (await api.get(`${url}/a`)).body }]);
    expect(events[0]?.object.apiVersion).toBe("example.com/v2");
  });

  test("of a deletion has the last state with the revision of the deletion", async () => {
    const { body } = await api.post(THINGS, thing("gone", { spec: { n: 1 } }));
    const [event] = await eventsOf(THINGS, {}, () => api.send("DELETE", `${THINGS}/gone`));
    const metadata = { ...(body["metadata"] as JsonObject), resourceVersion: String(api.store.revision) };
    expect(event).toEqual({ type: "DELETED", object: { ...body, metadata } });
  });

  test("is metadata alone on request", async () => {
    const events = await eventsOf(THINGS, as("PartialObjectMetadata"), touch(4));
    const { metadata } = (await api.get(`${THINGS}/a`)).body;
    const object = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
    expect(events).toEqual([{ type: "MODIFIED", object }]);
  });

  test("is a Table on request, with columns in the first one only", async () => {
    const events = await eventsOf(THINGS, as("Table"), async () => {
      await touch(5)();
      await touch(6)();
    });
    expect(events.map(({ object }) => object["kind"])).toEqual(["Table", "Table"]);
    const columns = events.map(({ object }) => object["columnDefinitions"]);
    expect(columns[0]).toMatchObject([{ name: "Name" }, { name: "Age" }]);
    expect(columns[1]).toBeNull();
  });
});

test("watchers in the same form share one frame, and others do not", async () => {
  const { revision } = api.store;
  const writes = new Map<string, Uint8Array[]>();
  const signal = new AbortController();
  const open = async (name: string, headers: Record<string, string>) => {
    const url = `${THINGS}?watch=1&resourceVersion=${revision}`;
    const answer = await api.api.handle(request("GET", url, { headers }));
    if (typeof answer.body !== "function") throw new Error("it is no stream");
    const chunks: Uint8Array[] = [];
    writes.set(name, chunks);
    return answer.body({ write: (chunk) => void chunks.push(chunk) as undefined }, signal.signal);
  };
  const ends = [open("one", {}), open("two", {}), open("other", as("PartialObjectMetadata"))];
  await touch(7)();
  await new Promise((resolve) => setImmediate(resolve));
  signal.abort();
  await Promise.all(ends);
  expect(writes.get("one")).toHaveLength(1);
  expect(writes.get("two")?.[0]).toBe(writes.get("one")?.[0]);
  expect(writes.get("other")?.[0]).not.toBe(writes.get("one")?.[0]);
});

describe("a bookmark", () => {
  test("has a kind, a version and nothing else, and the mark behind initial events", async () => {
    const query = "watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan";
    const watch = await api.watch(`${THINGS}?${query}&fieldSelector=metadata.name%3Dnone`);
    expect(await watch.settled()).toEqual([
      {
        type: "BOOKMARK",
        object: {
          kind: "Thing",
          apiVersion: "example.com/v1",
          metadata: {
            resourceVersion: String(api.store.revision),
            annotations: { "k8s.io/initial-events-end": "true" },
          },
        },
      },
    ]);
    api.clock.advance(60_000);
    expect(await watch.settled()).toMatchObject([
      { type: "BOOKMARK", object: { metadata: { resourceVersion: String(api.store.revision) } } },
    ]);
    await watch.close();
  });

  test("is never sent unasked", async () => {
    const watch = await api.watch(`${THINGS}?watch=1&resourceVersion=${api.store.revision}`);
    api.clock.advance(200_000);
    expect(await watch.settled()).toEqual([]);
    await watch.close();
  });
});
