import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { decodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import type {
  ResourceView,
  Strategy,
} from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { WriteClaims } from "../../../../../src/apiserver/registry/write/prepare.ts";
import { configMap, TestApi } from "../../endpoints/support.ts";
import { builtInView, contextFor, decoded, refusalOf } from "../support.ts";

const KEY = "/registry/ranges/seats/1";
const VALUE = Buffer.from("somebody");
const plain = builtInView("configmaps");

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const claims = () => new WriteClaims(api.store, contextFor());
const address = (name: string, view = plain) => ({ view, namespace: "default", name });

/** ConfigMaps that need things. */
const viewWith = (strategy: Strategy): ResourceView => ({
  definition: { ...plain.definition, strategy },
  version: { ...plain.version, strategy },
});
const makeWith = (strategy: Strategy, name: string) =>
  api.resources.create({
    view: viewWith(strategy),
    namespace: "default",
    decoded: decoded(configMap("", {}, { name })),
    context: contextFor(),
  });

describe("claims", () => {
  it("know what is somebody's, and what this write takes and gives back", async () => {
    const mine = claims();
    expect(mine.isTaken(KEY)).toBe(false);
    mine.take(KEY, VALUE);
    expect(mine.isTaken(KEY)).toBe(true);
    expect(claims().isTaken(KEY)).toBe(false);
    await api.store.commit(mine.ops);
    const next = claims();
    expect(next.isTaken(KEY)).toBe(true);
    next.giveBack(KEY);
    expect(next.isTaken(KEY)).toBe(false);
    next.take(KEY, VALUE);
    expect(next.ops).toMatchObject([{ type: "update", key: KEY }]);
  });

  it("have nothing to commit when what was taken is given back, or what is not there", () => {
    const mine = claims();
    mine.take(KEY, VALUE);
    mine.giveBack(KEY);
    mine.giveBack("/registry/ranges/seats/2");
    expect(mine.ops).toEqual([]);
  });

  it("make objects of the server's own", async () => {
    const { definition } = plain;
    const mine = claims();
    mine.makeObject(
      definition,
      configMap("", {}, { name: "c", namespace: "default" }) as unknown as KubeObject,
    ); // likewise
    expect(mine.hasObject(definition, "default", "c")).toBe(true);
    await api.store.commit(mine.ops);
    const { metadata } = decodeStored(api.resources.get(address("c")));
    expect(metadata).toMatchObject({ uid: expect.any(String), creationTimestamp: expect.any(String) });
    const last = claims();
    last.removeObject(definition, "default", "c");
    await api.store.commit(last.ops);
    expect(() => api.resources.get(address("c"))).toThrow("not found");
  });

  it("draw numbers below a limit", () => {
    const drawn = Array.from({ length: 100 }, () => claims().random(3n));
    expect(drawn.every((number) => number >= 0n && number < 3n)).toBe(true);
  });
});

describe("a write with claims", () => {
  it("commits them in one revision with the object", async () => {
    const before = api.store.revision;
    await makeWith({ claim: (_object, _old, mine) => mine.take(KEY, VALUE) }, "c");
    expect(api.store.revision).toBe(before + 1);
    expect(api.store.get(KEY)?.modRevision).toBe(before + 1);
  });

  it("starts over when somebody else was faster, and sees that then", async () => {
    let asked = 0;
    const firstFree: Strategy = {
      claim(object, _old, mine) {
        asked++;
        const seat = [1, 2, 3].find((number) => !mine.isTaken(`/registry/ranges/seats/${number}`));
        object["data"] = { seat: String(seat) };
        mine.take(`/registry/ranges/seats/${seat}`, VALUE);
      },
    };
    await Promise.all(["a", "b", "c"].map((name) => makeWith(firstFree, name)));
    const seats = ["a", "b", "c"].map((name) => decodeStored(api.resources.get(address(name)))["data"]);
    expect(new Set(seats.map((data) => JSON.stringify(data))).size).toBe(3);
    expect(asked).toBeGreaterThan(3);
  });

  it("is refused for a name that is taken, and takes nothing", async () => {
    await makeWith({}, "c");
    const claiming: Strategy = { claim: (_object, _old, mine) => mine.take(KEY, VALUE) };
    expect(await refusalOf(makeWith(claiming, "c"))).toBe('409 configmaps "c" already exists');
    expect(api.store.get(KEY)).toBeUndefined();
  });

  it("gives back with the object, also when a finalizer was all that held it", async () => {
    const strategy: Strategy = {
      claim: (_object, old, mine) => (old ? undefined : mine.take(KEY, VALUE)),
      release: (_object, mine) => mine.giveBack(KEY),
    };
    await makeWith(strategy, "c");
    const before = api.store.revision;
    await api.resources.delete(address("c", viewWith(strategy)), {}, contextFor());
    expect(api.store.revision).toBe(before + 1);
    expect(api.store.get(KEY)).toBeUndefined();
  });
});

describe("a change by the server itself", () => {
  const change = (meant = {}) =>
    api.resources.modify(address("c"), contextFor(), meant, (object) => {
      object["data"] = { changed: "yes" };
    });

  it("goes past strategies and managedFields", async () => {
    await makeWith({}, "c");
    const { metadata } = decodeStored(api.resources.get(address("c")));
    await change({ uid: metadata.uid });
    const after = decodeStored(api.resources.get(address("c")));
    expect(after["data"]).toEqual({ changed: "yes" });
    expect(after.metadata.managedFields).toEqual(metadata.managedFields);
  });

  it("is refused for an object that is not there or is another", async () => {
    expect(await refusalOf(change())).toBe('404 configmaps "c" not found');
    await makeWith({}, "c");
    expect(await refusalOf(change({ uid: "another" }))).toContain(
      "Precondition failed: UID in precondition: another",
    );
    expect(await refusalOf(change({ resourceVersion: "1" }))).toContain("ResourceVersion in precondition: 1");
  });
});
