import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cloneJson } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { decodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import type { UpdateInput } from "../../../../../src/apiserver/registry/write/change.ts";
import { configMap, TestApi } from "../../endpoints/support.ts";
import { builtInView, contextFor, customView, decoded, refusalOf } from "../support.ts";

const view = builtInView("configmaps");

const endpoints = (name: string, labels = {}) => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name, labels },
});

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post("/api/v1/namespaces/default/configmaps", configMap("c", { data: { n: "0" } }));
});
afterEach(() => api[Symbol.asyncDispose]());

/** A PUT of what the change makes of the object as it is now, or of a new one. */
const update = (change: (next: KubeObject) => void, more: Partial<UpdateInput> = {}) => {
  const address = more.address ?? { view, namespace: "default", name: "c" };
  const kv = api.resources.find(address);
  const object: KubeObject = cloneJson(kv ? decodeStored(kv) : decoded(configMap(address.name)).object);
  change(object);
  return api.resources.update({
    address,
    subresource: "",
    decoded: { object, findings: [] },
    context: contextFor(),
    ...more,
  });
};
const unconditional = (next: KubeObject) => void delete next.metadata.resourceVersion;
const content = (n: string) => (next: KubeObject) => void Object.assign(next, { data: { n } });
const live = () => decodeStored(api.resources.get({ view, namespace: "default", name: "c" }));

describe("an update", () => {
  test("stores what was made of the live object", async () => {
    const result = await update((next) => {
      next["data"] = { n: "1" };
    });
    expect(result).toMatchObject({ type: "stored", kv: { modRevision: api.store.revision } });
    expect(live()).toMatchObject({ data: { n: "1" } });
  });

  test("of nothing stores nothing", async () => {
    const { revision } = api.store;
    await update(() => {});
    expect(api.store.revision).toBe(revision);
  });

  test("starts over on the fresh object when somebody else was faster", async () => {
    const { revision } = api.store;
    const write = (n: string) =>
      update((next) => {
        unconditional(next);
        next["data"] = { n };
      });
    await Promise.all(Array.from({ length: 10 }, (_, index) => write(`by-${index}`)));
    expect(api.store.revision).toBe(revision + 10);
  });

  test("changes the object that somebody else has made meanwhile, where it was to make one", async () => {
    const address = { view: builtInView("endpoints"), namespace: "default", name: "new" };
    const makeOrChange = (by: string) =>
      api.resources.update({
        address,
        subresource: "",
        decoded: decoded(endpoints("new", { by })),
        context: contextFor(),
      });
    const results = await Promise.all(Array.from({ length: 10 }, (_, index) => makeOrChange(`${index}`)));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(api.resources.get(address).modRevision).toBe(api.resources.get(address).createRevision + 9);
  });

  test("does not start over when the client has said which state it means", async () => {
    const { resourceVersion = "" } = live().metadata;
    const change = (n: string) =>
      refusalOf(
        update((next) => {
          next["data"] = { n };
          next.metadata.resourceVersion = resourceVersion;
        }),
      );
    expect((await Promise.all([change("1"), change("2")])).sort()).toEqual([
      expect.stringMatching(
        /^409 .* the object has been modified; please apply your changes to the latest version and try again$/,
      ),
      undefined,
    ]);
  });

  test("as a dry run stores nothing", async () => {
    const { revision } = api.store;
    const context = contextFor({ dryRun: true });
    const result = await update(content("1"), { context });
    expect(result).toMatchObject({ type: "bare", object: { data: { n: "1" } } });
    expect(api.store.revision).toBe(revision);
  });

  test("of another uid is refused", async () => {
    const other = (next: KubeObject) => void Object.assign(next.metadata, { uid: "other" });
    expect(await refusalOf(update(other))).toContain(
      "Precondition failed: UID in precondition: other, UID in object meta:",
    );
  });
});

describe("an object that is not there", () => {
  const address = { view, namespace: "default", name: "new" };

  test("is missed", async () => {
    expect(await refusalOf(update(() => {}, { address }))).toBe('404 configmaps "new" not found');
  });

  test("is made where its kind lets a PUT do so", async () => {
    const there = { ...address, view: builtInView("endpoints") };
    const made = await update(() => {}, { address: there, decoded: decoded(endpoints("new")) });
    expect(made).toMatchObject({ created: true });
    expect(decodeStored(api.resources.get(there)).metadata.name).toBe("new");
  });
});

describe("a resourceVersion", () => {
  const custom = customView();

  test("is not needed where the kind says so", async () => {
    expect(await refusalOf(update(unconditional))).toBeUndefined();
  });

  test("is needed elsewhere", async () => {
    api.registry.set(custom.definition);
    await api.post("/apis/example.com/v1/namespaces/default/things", {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "t" },
    });
    const address = { view: custom, namespace: "default", name: "t" };
    expect(await refusalOf(update(unconditional, { address }))).toBe(
      '422 things.example.com "t" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  test("that is no number is told as it is", async () => {
    expect(
      await refusalOf(update((next) => void Object.assign(next.metadata, { resourceVersion: "abc" }))),
    ).toBe('500 strconv.ParseUint: parsing "abc": invalid syntax');
  });
});

describe("an object under deletion", () => {
  beforeEach(async () => {
    await update((next) => void Object.assign(next.metadata, { finalizers: ["a/b"] }));
    await api.send("DELETE", "/api/v1/namespaces/default/configmaps/c");
  });

  test("stays while something holds it", async () => {
    await update(content("1"));
    expect(live().metadata.deletionTimestamp).toBeDefined();
  });

  test("goes with the write that lets it go, which answers with what it was", async () => {
    const { resourceVersion } = live().metadata;
    const result = await update((next) => void delete next.metadata.finalizers);
    expect(result).toMatchObject({ type: "bare", object: { metadata: { name: "c", resourceVersion } } });
    expect(live).toThrow("not found");
  });

  test("does not go with a dry run", async () => {
    await update((next) => void delete next.metadata.finalizers, { context: contextFor({ dryRun: true }) });
    expect(live().metadata.finalizers).toEqual(["a/b"]);
  });
});
