import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cloneJson } from "../../../../src/meta/json.ts";
import type { KubeObject } from "../../../../src/meta/object-meta.ts";
import { decodeStored } from "../../../../src/registry/codec/object-codec.ts";
import { strategyOf } from "../../../../src/registry/definition/view.ts";
import type { UpdateInput } from "../../../../src/registry/write/update.ts";
import { configMap, TestApi } from "../../apiserver/support.ts";
import { builtInView, contextFor, customView, refusalOf } from "../support.ts";

const view = builtInView("configmaps");

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post("/api/v1/namespaces/default/configmaps", configMap("c", { data: { n: "0" } }));
});
afterEach(() => api[Symbol.asyncDispose]());

const update = (change: (next: KubeObject) => void, more: Partial<UpdateInput> = {}) =>
  api.resources.update({
    address: { view, namespace: "default", name: "c" },
    subresource: "",
    strategy: strategyOf(view),
    context: contextFor(),
    allowCreate: false,
    next: (live) => {
      const next = cloneJson(live ?? (configMap("c") as unknown as KubeObject)); // it has all that is needed
      change(next);
      return next;
    },
    ...more,
  });
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
    const count = (next: KubeObject) => {
      const { n } = next["data"] as { n: string };
      next["data"] = { n: String(Number(n) + 1) };
      delete next.metadata.resourceVersion;
    };
    await Promise.all(Array.from({ length: 10 }, () => update(count)));
    expect(live()).toMatchObject({ data: { n: "10" } });
  });

  test("changes the object that somebody else has made meanwhile, where it was to make one", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `by-${index}`);
    const address = { view, namespace: "default", name: "new" };
    const makeOrChange = (name: string) =>
      update(() => {}, {
        address,
        allowCreate: true,
        next: (found) => {
          const next = cloneJson(found ?? (configMap("new") as unknown as KubeObject)); // it has all that is needed
          Object.assign(next, { data: { ...(next["data"] as object), [name]: "1" } });
          return next;
        },
      });
    const results = await Promise.all(names.map(makeOrChange));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    const made = decodeStored(api.resources.get(address));
    expect(Object.keys(made["data"] as object)).toEqual(expect.arrayContaining(names));
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
    expect(await refusalOf(update(() => {}, { uid: "other" }))).toContain(
      "Precondition failed: UID in precondition: other, UID in object meta:",
    );
  });
});

describe("an object that is not there", () => {
  const address = { view, namespace: "default", name: "new" };

  test("is missed", async () => {
    expect(await refusalOf(update(() => {}, { address }))).toBe('404 configmaps "new" not found');
  });

  test("is made where that is allowed", async () => {
    const rename = (next: KubeObject) => void Object.assign(next.metadata, { name: "new" });
    expect(await update(rename, { address, allowCreate: true })).toMatchObject({ created: true });
    expect(decodeStored(api.resources.get(address)).metadata.name).toBe("new");
  });
});

describe("a resourceVersion", () => {
  const custom = customView();

  test("is not needed where the kind says so", async () => {
    expect(await refusalOf(update((next) => void delete next.metadata.resourceVersion))).toBeUndefined();
  });

  test("is needed elsewhere", async () => {
    api.registry.set(custom.definition);
    await api.post("/apis/example.com/v1/namespaces/default/things", {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "t" },
    });
    const address = { view: custom, namespace: "default", name: "t" };
    const without = (next: KubeObject) => void delete next.metadata.resourceVersion;
    expect(await refusalOf(update(without, { address, strategy: strategyOf(custom) }))).toBe(
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
