import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeStored } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import { ResourceStore } from "../../../../src/apiserver/registry/resource-store.ts";
import { configMap, TestApi } from "../endpoints/support.ts";
import { builtInView, contextFor, decoded, refusalOf } from "./support.ts";

const view = builtInView("configmaps");
const address = (name: string) => ({ view, namespace: "default", name });

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const make = (metadata: JsonObject, context = contextFor()) =>
  api.resources.create({
    view,
    namespace: "default",
    decoded: decoded(configMap("", {}, metadata)),
    context,
  });
const there = (name: string) => decodeStored(api.resources.get(address(name))).metadata;

describe("create", () => {
  test("stores one revision and answers with it", async () => {
    const before = api.store.revision;
    const result = await make({ name: "c" });
    expect(api.store.revision).toBe(before + 1);
    expect(result).toEqual({ type: "stored", kv: api.resources.get(address("c")) });
  });

  test("of a name that is taken is refused", async () => {
    await make({ name: "c" });
    expect(await refusalOf(make({ name: "c" }))).toBe('409 configmaps "c" already exists');
  });

  test("of a name that is being deleted says so", async () => {
    await make({ name: "c", finalizers: ["a/b"] });
    await api.resources.delete(address("c"), {}, contextFor());
    expect(await refusalOf(make({ name: "c" }))).toBe(
      '409 object is being deleted: configmaps "c" already exists',
    );
  });

  test("of two at once makes one", async () => {
    const results = await Promise.allSettled([make({ name: "c" }), make({ name: "c" })]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: 409, reason: "AlreadyExists" },
    });
  });

  test("of a made-up name tries again when it is taken, and not for ever", async () => {
    let tries = 0;
    const suffixes = (texts: string[]) => ({
      uid: () => "u",
      nameSuffix: () => texts[Math.min(tries++, texts.length - 1)] ?? "",
    });
    await make({ name: "g-aaaaa" });
    const context = { ...contextFor(), ids: suffixes(["aaaaa", "aaaaa", "bbbbb"]) };
    await make({ generateName: "g-" }, context as ReturnType<typeof contextFor>);
    expect(there("g-bbbbb").generateName).toBe("g-");
    tries = 0;
    const stubborn = { ...contextFor(), ids: suffixes(["aaaaa"]) };
    const refused = refusalOf(make({ generateName: "g-" }, stubborn as ReturnType<typeof contextFor>));
    expect(await refused).toBe(
      '409 configmaps "g-aaaaa" already exists, the server was not able to generate a unique name for the object',
    );
    expect(tries).toBe(8);
  });

  test("as a dry run answers as if and stores nothing", async () => {
    const before = api.store.revision;
    expect(await make({ name: "c" }, contextFor({ dryRun: true }))).toMatchObject({
      type: "bare",
      object: { metadata: { name: "c", uid: expect.anything() } },
    });
    expect(api.store.revision).toBe(before);
  });

  test.each([
    ["5", "500 resourceVersion should not be set on objects to be created"],
    ["0", undefined],
    ["", undefined],
    ["abc", undefined],
  ])("with resourceVersion %j: %s", async (resourceVersion, refused) => {
    expect(await refusalOf(make({ name: "c", resourceVersion }))).toBe(refused);
  });
});

describe("get", () => {
  test("of what is not there is a 404", async () => {
    expect(() => api.resources.get(address("none"))).toThrow('configmaps "none" not found');
  });
});

describe("delete", () => {
  const remove = (options = {}, context = contextFor()) =>
    api.resources.delete(address("c"), options, context);

  test("takes the object away in one revision", async () => {
    await make({ name: "c" });
    const before = api.store.revision;
    expect(await remove()).toMatchObject({ type: "deleted", last: { metadata: { name: "c" } } });
    expect(api.store.revision).toBe(before + 1);
    expect(await refusalOf(remove())).toBe('404 configmaps "c" not found');
  });

  test("marks what finalizers hold, once", async () => {
    await make({ name: "c", finalizers: ["a/b"] });
    const context = contextFor();
    context.clock.advance(5000);
    expect(await remove({}, context)).toMatchObject({ type: "marked" });
    expect(there("c")).toMatchObject({
      deletionTimestamp: "1970-01-01T00:00:05Z",
      deletionGracePeriodSeconds: 0,
    });
    const { resourceVersion } = there("c");
    context.clock.advance(5000);
    await remove({}, context);
    expect(there("c")).toMatchObject({ deletionTimestamp: "1970-01-01T00:00:05Z", resourceVersion });
  });

  test("by policy holds the object for the garbage collector", async () => {
    await make({ name: "c" });
    await remove({ propagationPolicy: "Foreground" });
    expect(there("c").finalizers).toEqual(["foregroundDeletion"]);
    await remove({ propagationPolicy: "Orphan" });
    expect(there("c").finalizers).toEqual(["orphan"]);
    expect(await remove({ propagationPolicy: "Background" })).toMatchObject({ type: "deleted" });
  });

  test("as a dry run takes nothing away", async () => {
    await make({ name: "c" });
    expect(await remove({}, contextFor({ dryRun: true }))).toMatchObject({ type: "deleted" });
    expect(there("c").name).toBe("c");
  });

  test("of two at once succeeds once", async () => {
    await make({ name: "c" });
    const results = await Promise.all([remove(), remove()].map((each) => refusalOf(each)));
    expect(results.sort()).toEqual(['404 configmaps "c" not found', undefined]);
  });
});

test("admission sees each write, and may refuse it", async () => {
  const seen: string[] = [];
  const resources = new ResourceStore({
    store: api.store,
    resources: api.registry,
    admission: [
      {
        name: "test",
        admit: ({ operation, name, object, oldObject }) => {
          seen.push(`${operation} ${name} ${object ? "new" : "-"} ${oldObject ? "old" : "-"}`);
          if (name === "refused") throw new Error("refused");
        },
      },
    ],
  });
  const create = (name: string) =>
    resources.create({
      view,
      namespace: "default",
      decoded: decoded(configMap(name)),
      context: contextFor(),
    });
  await create("c");
  await resources.delete(address("c"), {}, contextFor());
  await expect(create("refused")).rejects.toThrow("refused");
  expect(seen).toEqual(["CREATE c new -", "DELETE c - old", "CREATE refused new -"]);
});
