// Two processes on one store (optimistic concurrency): the writing one has not received the latest write of the other.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { decodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import type { RequestContext } from "../../../../../src/apiserver/registry/definition/request-context.ts";
import { ResourceStore } from "../../../../../src/apiserver/registry/resource-store.ts";
import { readPatchValue } from "../../../../../src/apiserver/registry/write/patch.ts";
import { createNamespaceLifecycle } from "../../../../../src/kube/admission/namespace-lifecycle.ts";
import { type Store, StoreError } from "../../../../../src/storage/store.ts";
import { configMap, namespace, TestApi } from "../../endpoints/support.ts";
import { builtInView, contextFor, decoded, refusalOf } from "../support.ts";

const view = builtInView("configmaps");
const namespaces = builtInView("namespaces");
const address = (name: string, inNamespace = "default") => ({ view, namespace: inNamespace, name });

/** A store as a process shows it that catches up when it asks, or has written. */
class LateView {
  readonly #store: Store;
  seen;
  /** How often it has asked. */
  asked = 0;
  commits = 0;
  /** What commits end with. */
  failure: Error | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.seen = store.revision;
  }

  asStore(): Store {
    const of = this.#store;
    const late = this;
    const own: Partial<Store> = {
      isShared: true,
      get revision() {
        return late.seen;
      },
      get: (key, at) => of.get(key, at ?? this.seen),
      list: (range, options) => of.list(range, { ...options, at: options?.at ?? this.seen }),
      caughtUp: async () => {
        this.asked++;
        this.seen = of.revision;
      },
      commit: async (ops, fencingToken) => {
        this.commits++;
        if (this.failure) throw this.failure;
        return of.commit(ops, fencingToken).finally(() => {
          this.seen = of.revision;
        });
      },
    };
    return new Proxy(of, {
      get(target, name) {
        const value: unknown = Reflect.get(name in own ? own : target, name);
        return typeof value === "function" && !(name in own) ? value.bind(target) : value;
      },
    });
  }
}

let api: TestApi;
let late: LateView;
let here: ResourceStore;
beforeEach(async () => {
  api = await TestApi.open();
  await makeIn(api.resources, { name: "old" }, { data: { a: "1" } });
  late = new LateView(api.store);
  const store = late.asStore();
  const admission = [createNamespaceLifecycle({ store })];
  here = new ResourceStore({ store, resources: api.registry, admission });
});
afterEach(() => api[Symbol.asyncDispose]());

const makeIn = (
  resources: ResourceStore,
  metadata: JsonObject,
  { data = {}, inNamespace = "default", dryRun = false } = {},
) =>
  resources.create({
    view,
    namespace: inNamespace,
    decoded: decoded(configMap("", { data }, { namespace: inNamespace, ...metadata })),
    context: contextFor({ dryRun }),
  });
const patchIn = (resources: ResourceStore, data: JsonObject, more: Partial<RequestContext> = {}) =>
  resources.patch({
    address: address("old"),
    subresource: "",
    document: readPatchValue(view, "merge", { data }),
    context: contextFor(more),
  });
const deleteIn = (resources: ResourceStore, name: string) =>
  resources.delete(address(name), {}, contextFor());
const dataOf = (name: string) => decodeStored(api.resources.get(address(name)))["data"];

describe("a create", () => {
  test("asks nobody", async () => {
    await makeIn(here, { name: "new" });
    expect(late).toMatchObject({ asked: 0, commits: 1 });
  });

  test("takes a name that is free by now", async () => {
    await deleteIn(api.resources, "old");
    await makeIn(here, { name: "old" }, { data: { a: "2" } });
    expect(dataOf("old")).toEqual({ a: "2" });
    expect(late.asked).toBe(1);
  });

  test("is refused when the name is taken by now", async () => {
    await makeIn(api.resources, { name: "new" });
    expect(await refusalOf(makeIn(here, { name: "new" }))).toBe('409 configmaps "new" already exists');
  });

  test("finds the namespace that is there by now", async () => {
    const made = { view: namespaces, namespace: "", context: contextFor() };
    await api.resources.create({ ...made, decoded: decoded(namespace("later")) });
    await makeIn(here, { name: "new" }, { inNamespace: "later" });
    expect(api.resources.find(address("new", "later"))).toBeDefined();
  });

  test("is refused once it is certain that the namespace is missing", async () => {
    expect(await refusalOf(makeIn(here, { name: "new" }, { inNamespace: "none" }))).toBe(
      '404 namespaces "none" not found',
    );
    expect(late).toMatchObject({ asked: 1, commits: 0 });
  });

  test("of which nobody knows whether it was written is not repeated", async () => {
    late.failure = new StoreError("TIMEOUT", "context deadline exceeded");
    const refused = await refusalOf(makeIn(here, { name: "new" }));
    expect(refused).toBe("504 request did not complete within requested timeout - context deadline exceeded");
    expect(late).toMatchObject({ asked: 0, commits: 1 });
  });

  test("as a dry run asks first, as no commit tells it", async () => {
    await makeIn(api.resources, { name: "new" });
    expect(await refusalOf(makeIn(here, { name: "new" }, { dryRun: true }))).toBe(
      '409 configmaps "new" already exists',
    );
    expect(late).toMatchObject({ asked: 1, commits: 0 });
  });
});

describe("a change", () => {
  test("of an object that was changed elsewhere starts from that", async () => {
    await patchIn(api.resources, { b: "2" });
    await patchIn(here, { c: "3" });
    expect(dataOf("old")).toEqual({ a: "1", b: "2", c: "3" });
    expect(late).toMatchObject({ asked: 0, commits: 2 });
  });

  test("that changes nothing here, and something there, is written", async () => {
    await patchIn(api.resources, { a: "2" });
    await patchIn(here, { a: "1" });
    expect(dataOf("old")).toEqual({ a: "1" });
  });

  test("of nothing makes sure of it, and writes nothing", async () => {
    await patchIn(here, { a: "1" });
    expect(late).toMatchObject({ asked: 1, commits: 0 });
  });

  test("finds the object that is there by now", async () => {
    await deleteIn(api.resources, "old");
    await late.asStore().caughtUp();
    await makeIn(api.resources, { name: "old" });
    await patchIn(here, { c: "3" });
    expect(dataOf("old")).toEqual({ c: "3" });
  });
});

describe("a deletion", () => {
  test("finds the object that is there by now", async () => {
    await makeIn(api.resources, { name: "new" });
    await deleteIn(here, "new");
    expect(api.resources.find(address("new"))).toBeUndefined();
  });

  test("of what is gone by now is a 404", async () => {
    await deleteIn(api.resources, "old");
    expect(await refusalOf(deleteIn(here, "old"))).toBe('404 configmaps "old" not found');
  });

  test("of what waits for its finalizers here, and is gone there, is a 404", async () => {
    await makeIn(api.resources, { name: "held", finalizers: ["a/b"] });
    await deleteIn(api.resources, "held");
    await late.asStore().caughtUp();
    await api.resources.modify(address("held"), contextFor(), {}, ({ metadata }) => {
      delete metadata.finalizers;
    });
    await deleteIn(api.resources, "held");
    expect(await refusalOf(deleteIn(here, "held"))).toBe('404 configmaps "held" not found');
  });
});
