// Waiting for conditions over objects: the result, when it is returned, and the error on a timeout.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nextTurn } from "../../../../src/apimachinery/scheduling/event-loop.ts";
import { type WaitRequest, Waits, WaitTimeoutError } from "../../../../src/features/waits/wait-for.ts";
import { ApiWorld, CONFIG_MAPS, NAMESPACES } from "../../../support/api-world.ts";
import { ManualClock } from "../../kube/controllers/support.ts";

const CONFIG_MAP = "v1/ConfigMap";
const SOON_MS = 2_000;

let world: ApiWorld;
let waits: Waits;
let clock: ManualClock;
beforeEach(async () => {
  world = await ApiWorld.open([]);
  const { store, registry } = world;
  clock = new ManualClock();
  waits = new Waits({ store, registry, clock });
});
afterEach(async () => {
  waits.close();
  await world.stop();
});

const make = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) =>
  world.create(CONFIG_MAPS, { name, namespace: "a", labels }, { data });
const change = (name: string, data: Record<string, string>) =>
  world.client.patch(CONFIG_MAPS, { name, namespace: "a" }, { type: "merge", body: { data } });
const until = (queries: WaitRequest["queries"], condition: string, timeoutMs = SOON_MS) =>
  waits.until({ queries, condition, timeoutMs });
/** Advances the clock once the wait has received all written events. */
const timeIsOver = async (ms: number) => {
  await nextTurn();
  clock.advance(ms);
};
const one = (name: string) => ({ object: { kind: CONFIG_MAP, namespace: "a", name } });

describe("a condition", () => {
  test("that holds already is answered at once, with the revision and the object", async () => {
    const made = await make("here", { a: "1" });
    const { revision, values } = await until(one("here"), "object.data.a == '1'");
    expect(values["object"]).toEqual(made);
    expect(revision).toBe(world.store.revision);
  });

  test("is looked at with every change until it holds", async () => {
    const waited = until(one("later"), "object != null && object.data.a == '2'");
    await make("later", { a: "1" });
    await change("later", { a: "2" });
    expect((await waited).values["object"]).toMatchObject({ data: { a: "2" } });
  });

  test("that held for one revision only is found, though the object has gone on", async () => {
    await make("brief");
    const waited = until(one("brief"), "has(object.data) && object.data.a == '1'");
    const changes = [change("brief", { a: "1" }), change("brief", { a: "2" })];
    await Promise.all(changes);
    const { values, revision } = await waited;
    expect(values["object"]).toMatchObject({ data: { a: "1" } });
    expect(revision).toBeLessThan(world.store.revision);
  });

  test("sees null before an object is there and after it has gone", async () => {
    await make("going");
    const waited = until(one("going"), "object == null");
    await world.client.delete(CONFIG_MAPS, { name: "going", namespace: "a" });
    expect((await waited).values["object"]).toBeNull();
  });

  test("over a list sees what the selectors select, in the order of a list", async () => {
    const query = { kind: CONFIG_MAP, labelSelector: "app=web" };
    await make("z", {}, { app: "web" });
    const waited = until({ objects: query }, "objects.map(o, o.metadata.name) == ['b', 'z']");
    await make("x", {}, { app: "other" });
    await make("b", {}, { app: "web" });
    const { values } = await waited;
    expect(values["objects"]).toHaveLength(2);
  });

  test("an object that its labels no longer select leaves the list", async () => {
    await make("moving", {}, { app: "web" });
    const waited = until({ objects: { kind: CONFIG_MAP, labelSelector: "app=web" } }, "objects.size() == 0");
    await world.change(CONFIG_MAPS, { name: "moving", namespace: "a" }, { labels: { app: null } });
    await waited;
  });

  test("over several kinds sees all of them at one revision", async () => {
    const queries = {
      names: { kind: "v1/Namespace", name: "c" },
      maps: { kind: CONFIG_MAP, namespace: "c" },
    };
    const waited = until(queries, "names != null && maps.size() == 1");
    await world.create(NAMESPACES, { name: "c" });
    await world.create(CONFIG_MAPS, { name: "in-c", namespace: "c" });
    const { values } = await waited;
    expect(values["names"]).toMatchObject({ kind: "Namespace" });
    expect(values["maps"]).toMatchObject([{ metadata: { name: "in-c" } }]);
  });
});

describe("a condition that does not come true", () => {
  const failing = async (waited: Promise<unknown>): Promise<WaitTimeoutError> => {
    const error = await waited.then(() => undefined).catch((thrown: unknown) => thrown);
    if (!(error instanceof WaitTimeoutError)) throw new Error(`no timeout but ${error}`);
    return error;
  };

  test("is told with all that happened meanwhile", async () => {
    await make("slow", { a: "1" });
    const failed = failing(until(one("slow"), "object.data.b == 'x'", 200));
    await change("slow", { a: "2" });
    await world.client.delete(CONFIG_MAPS, { name: "slow", namespace: "a" });
    await make("slow", { b: "y" });
    await timeIsOver(200);
    const { message, timeline } = await failed;
    expect(timeline.start).toEqual([
      expect.stringMatching(/^object: ConfigMap a\/slow at resourceVersion \d+$/),
    ]);
    expect(timeline.entries.map(({ type, changes, condition }) => [type, changes, condition])).toEqual([
      ["MODIFIED", ['data.a: "1" → "2"'], "error: no such key: b"],
      ["DELETED", [], expect.stringContaining("error: ")],
      ["ADDED", [], "false"],
    ]);
    const revisions = timeline.entries.map(({ revision }) => revision);
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    expect(timeline.entries[0]?.afterMs).toBeLessThan(200);
    expect(message).toContain("not so within 200 ms: object.data.b == 'x'");
    expect(message).toContain('data.a: "1" → "2"');
    expect(message).toContain("the condition was false at last");
  });

  test("of a long wait only the newest changes are kept, and their number is told", async () => {
    await make("busy");
    const failed = failing(until(one("busy"), "false", 600));
    for (let n = 0; n < 210; n++) await change("busy", { n: String(n) });
    await timeIsOver(600);
    const { timeline } = await failed;
    expect(timeline.entries).toHaveLength(200);
    expect(timeline.leftOut).toBe(10);
  });
});

describe("refused is", () => {
  test.each([
    [
      "a kind that is not served",
      { object: { kind: "example.com/v1/Nothing" } },
      "true",
      /no kind Nothing of example.com\/v1/,
    ],
    ["a text that names no kind", { object: { kind: "ConfigMap" } }, "true", /ConfigMap names no kind/],
    [
      "a namespace of a kind that is in none",
      { object: { kind: "v1/Node", namespace: "a" } },
      "true",
      /cluster-scoped/,
    ],
    [
      "a field that cannot select",
      { object: { kind: CONFIG_MAP, fieldSelector: "data.a=1" } },
      "true",
      /data.a/,
    ],
    [
      "what is never kept",
      { object: { kind: "authorization.k8s.io/v1/SubjectAccessReview" } },
      "true",
      /never kept/,
    ],
    ["what is no expression", one("x"), "object.(", /no CEL expression/],
    ["a name that no query has", one("x"), "other == null", /undeclared reference/],
    ["an expression of another type", one("x"), "'text'", /gives string/],
    ["a name that no expression can use", { "a-b": { kind: CONFIG_MAP } }, "true", /a-b cannot be a name/],
  ])("%s", async (_what, queries, condition, message) => {
    await expect(until(queries as WaitRequest["queries"], condition)).rejects.toMatchObject({
      code: 400,
      message: expect.stringMatching(message),
    });
  });
});

describe("a wait ends early", () => {
  test("when the server stops", async () => {
    const waited = until(one("never"), "object != null");
    waits.close();
    await expect(waited).rejects.toMatchObject({ name: "WaitEndedError" });
  });

  test("when the store is closed", async () => {
    const waited = until(one("never"), "object != null");
    await world.store[Symbol.asyncDispose]();
    await expect(waited).rejects.toMatchObject({ name: "WaitEndedError" });
  });

  test("when nobody waits any more", async () => {
    const nobody = new AbortController();
    const waited = waits.until({
      queries: one("never"),
      condition: "object != null",
      timeoutMs: SOON_MS,
      signal: nobody.signal,
    });
    nobody.abort();
    await expect(waited).rejects.toMatchObject({ name: "WaitEndedError" });
  });
});
