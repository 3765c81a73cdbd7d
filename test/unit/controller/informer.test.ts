import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { nextTurn } from "../../../src/apimachinery/scheduling/event-loop.ts";
import type { ClientWatchEvent } from "../../../src/controller/client.ts";
import { Informer, keyOf } from "../../../src/controller/informer.ts";
import { countTurns } from "../../support/count-turns.ts";
import { FakeClient } from "../../support/fake-client.ts";
import { ManualClock } from "../kube/controllers/support.ts";

const PODS = { group: "", version: "v1", resource: "pods" };
const pod = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  metadata: { name, namespace: "ns", labels },
});
const key = (name: string) => ({ namespace: "ns", name });

function open(list?: { labelSelector?: string }) {
  const client = new FakeClient();
  const clock = new ManualClock();
  const seen: string[] = [];
  const errors: unknown[] = [];
  const informer = new Informer({
    client,
    clock,
    resource: PODS,
    onError: (error) => errors.push(error),
    ...(list ? { list } : {}),
  });
  const { signal } = new AbortController();
  const text = ({ metadata }: KubeObject): string => `${metadata.name}${JSON.stringify(metadata.labels)}`;
  informer.addHandlers({
    add: (object) => seen.push(`add ${text(object)}`),
    update: (old, object) => seen.push(`update ${text(old)} ${text(object)}`),
    delete: (object) => seen.push(`delete ${text(object)}`),
  });
  const patch = (name: string, labels: Record<string, string>) =>
    client.patch(PODS, key(name), { type: "merge", body: { metadata: { labels } } });
  const take = async () => {
    await informer.caughtUp();
    return seen.splice(0);
  };
  return { client, clock, informer, seen, errors, signal, patch, take };
}

describe("an informer", () => {
  test("tells of what is there, then of every change with old and new", async () => {
    const { client, informer, signal, patch, take } = open();
    await client.create(PODS, pod("a"));
    informer.start(signal);
    expect(informer.hasSynced).toBe(false);
    await informer.synced();
    expect(informer.hasSynced).toBe(true);
    expect(await take()).toEqual(["add a{}"]);
    await client.create(PODS, pod("b"));
    await patch("a", { x: "1" });
    await client.delete(PODS, key("b"));
    expect(await take()).toEqual(["add b{}", 'update a{} a{"x":"1"}', "delete b{}"]);
    expect([...informer.list()].map(({ metadata }) => metadata.name)).toEqual(["a"]);
    expect(informer.get(keyOf(key("a")))?.metadata.labels).toEqual({ x: "1" });
  });

  test("tells handlers that come later what is there", async () => {
    const { client, informer, signal } = open();
    await client.create(PODS, pod("a"));
    informer.start(signal);
    await informer.synced();
    const late: unknown[] = [];
    informer.addHandlers({ add: ({ metadata }) => late.push(metadata.name) });
    expect(late).toEqual(["a"]);
  });

  test("sees only what its selector takes", async () => {
    const { client, informer, signal, take } = open({ labelSelector: "x=1" });
    informer.start(signal);
    await client.create(PODS, pod("a", { x: "1" }));
    await client.create(PODS, pod("b", { x: "2" }));
    expect(await take()).toEqual(['add a{"x":"1"}']);
  });

  test("goes on where it was when the watch ends", async () => {
    const { client, clock, informer, signal, take } = open();
    informer.start(signal);
    await client.create(PODS, pod("a"));
    await informer.caughtUp();
    client.endWatches();
    await client.create(PODS, pod("b"));
    expect(await take()).toEqual(["add a{}", "add b{}"]);
    // Twice without an event: there is a pause before the next try.
    client.endWatches();
    await new Promise((resolve) => setImmediate(resolve));
    client.endWatches();
    await new Promise((resolve) => setImmediate(resolve));
    await client.create(PODS, pod("c"));
    const caughtUp = take();
    clock.advance(60_000);
    expect(await caughtUp).toEqual(["add c{}"]);
  });

  test("lists anew when its version is gone, and tells what it missed", async () => {
    const { client, informer, signal, patch, take } = open();
    for (const name of ["a", "b", "c"]) await client.create(PODS, pod(name));
    informer.start(signal);
    await take();
    client.holdEvents();
    await patch("a", { x: "1" });
    await client.delete(PODS, key("b"));
    await client.delete(PODS, key("c"));
    await client.create(PODS, pod("c", { fresh: "yes" }));
    client.compact();
    client.releaseEvents();
    expect(await take()).toEqual([
      "delete b{}",
      'update a{} a{"x":"1"}',
      "delete c{}",
      'add c{"fresh":"yes"}',
    ]);
  });

  test("tries again with growing pauses while the server is out of reach", async () => {
    const { client, clock, informer, signal, errors } = open();
    let failures = 2;
    const { list } = client;
    client.list = async (...args) => {
      if (failures-- > 0) throw new Error("out of reach");
      return list.apply(client, args);
    };
    informer.start(signal);
    for (const pause of [500, 1_000]) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(informer.hasSynced).toBe(false);
      clock.advance(pause);
    }
    await informer.synced();
    expect(errors).toHaveLength(2);
  });

  test("a handler that throws is reported and harms no other", async () => {
    const { client, informer, signal, errors, take } = open();
    informer.addHandlers({
      add: () => {
        throw new Error("mine");
      },
    });
    informer.start(signal);
    await client.create(PODS, pod("a"));
    await client.create(PODS, pod("b"));
    expect(await take()).toEqual(["add a{}", "add b{}"]);
    expect(errors).toHaveLength(2);
  });

  test("stops with its signal, and then waits for nothing", async () => {
    const { client, informer, seen } = open();
    const abort = new AbortController();
    informer.start(abort.signal);
    await informer.synced();
    abort.abort();
    await client.create(PODS, pod("a"));
    await informer.caughtUp();
    await informer.synced();
    expect(seen).toEqual([]);
  });

  test("takes few events in one turn, and many in slices", async () => {
    const added = (count: number) =>
      Array.from(
        { length: count },
        (_, index): ClientWatchEvent => ({
          type: "ADDED",
          object: { metadata: { name: `pod-${count}-${index}`, resourceVersion: "2" } },
        }),
      );
    const turnsFor = async (events: readonly ClientWatchEvent[]) => {
      const { client, informer, seen } = open();
      const batches = [events];
      const next = () => batches.shift() ?? new Promise(() => {});
      Object.assign(client, { watch: () => ({ next: async () => await next(), close: () => {} }) });
      const { turns } = await countTurns(async () => {
        informer.start(new AbortController().signal);
        while (seen.length < events.length) await nextTurn();
      });
      return turns;
    };
    const [few, many] = [await turnsFor(added(100)), await turnsFor(added(1000))];
    expect(few).toBeLessThan(10);
    expect(many).toBeGreaterThan(50);
  });

  test("has not caught up while it looks as large as what the server holds, and is behind nevertheless", async () => {
    const at = (name: string, version: string): KubeObject => ({
      metadata: { name, resourceVersion: version },
    });
    const others = Array.from({ length: 60 }, (_, index) => at(`other-${index}`, "1"));
    const [old, made] = [at("old", "2"), at("made", "3")];
    const lists = [[...others, old]];
    const told: ((events: readonly ClientWatchEvent[]) => void)[] = [];
    const client = {
      list: async () => ({ items: lists.shift() ?? [...others, made], resourceVersion: "2" }),
      watch: () => ({ next: () => new Promise((resolve) => told.push(resolve)), close: () => {} }),
    };
    const informer = new Informer({
      client: Object.assign(new FakeClient(), client),
      clock: new ManualClock(),
      resource: PODS,
    });
    informer.start(new AbortController().signal);
    await informer.synced();
    const tell = async (type: "ADDED" | "DELETED", object: KubeObject) => {
      told.shift()?.([{ type, object }]);
      await nextTurn();
    };
    let isThere = false;
    await countTurns(async () => {
      const caughtUp = informer.caughtUp().then(() => {
        isThere = true;
      });
      await nextTurn();
      await tell("ADDED", made); // the server had made it before it deleted the other
      while (told.length === 0) await nextTurn();
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      expect(isThere).toBe(false);
      await tell("DELETED", at("old", "4"));
      await caughtUp;
    });
    expect([informer.get("old"), informer.get("made")]).toEqual([undefined, made]);
  });
});
