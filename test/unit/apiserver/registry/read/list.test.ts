import { beforeEach, describe, expect, test } from "vitest";
import { compileFields, parseFieldSelector } from "../../../../../src/apimachinery/meta/field-selector.ts";
import { parseLabelSelector } from "../../../../../src/apimachinery/meta/label-selector.ts";
import { decodeStored, encodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import { type ListRequest, listObjects } from "../../../../../src/apiserver/registry/read/list.ts";
import { EVERYTHING } from "../../../../../src/apiserver/registry/read/selection.ts";
import { encodeContinue } from "../../../../../src/apiserver/registry/resource-version.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../../../src/storage/store.ts";
import { ManualClock } from "../../../storage/manual-clock.ts";
import { at, customView, object, refusal } from "../support.ts";

const view = customView();
const PREFIX = "/registry/example.com/things/";

let store: Store;
/** The revision with which each object came: a/x, a/y, a/z, b/x. */
let revisions: number[];

beforeEach(async () => {
  store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  revisions = [];
  for (const key of ["a/x", "a/y", "a/z", "b/x"]) {
    const [namespace = "", name = ""] = key.split("/");
    const labels = { even: String(name === "y") };
    const value = encodeStored(object(name, {}, { namespace, labels }), undefined);
    revisions.push(await store.commit([{ type: "create", key: PREFIX + key, value }]));
  }
  await store.commit([
    { type: "create", key: "/registry/example.com/thingsandmore/a/x", value: Buffer.alloc(6) },
  ]);
});

function list(request: Partial<ListRequest> = {}) {
  const { items, ...rest } = listObjects(store, view, {
    namespace: "",
    selection: EVERYTHING,
    resourceVersion: "",
    resourceVersionMatch: "",
    limit: 0,
    continueToken: "",
    ...request,
  });
  const names = items.map((kv) => {
    const { metadata } = decodeStored(kv);
    return `${metadata.namespace}/${metadata.name}`;
  });
  return { names, ...rest };
}
const labels = (text: string) => ({ labels: parseLabelSelector(text), fields: undefined });
const fields = (text: string) => ({ labels: undefined, fields: compileFields(parseFieldSelector(text)) });
const afterWrite = (revision: number) => String(revisions[revision]);

describe("a list", () => {
  test("has the objects of its collection in the order of their keys, and the revision they stand at", () => {
    expect(list()).toEqual({
      names: ["a/x", "a/y", "a/z", "b/x"],
      revision: store.revision,
      continueToken: "",
      remaining: undefined,
    });
    expect(list({ namespace: "a" }).names).toEqual(["a/x", "a/y", "a/z"]);
    expect(list({ namespace: "none" }).names).toEqual([]);
  });

  test.each([
    ["a label", labels("even=true"), "", ["a/y"]],
    ["a name", fields("metadata.name=x"), "", ["a/x", "b/x"]],
    ["a name in a namespace", fields("metadata.name=x"), "b", ["b/x"]],
    ["a name that is not there", fields("metadata.name=none"), "a", []],
    ["a namespace", fields("metadata.namespace=b"), "", ["b/x"]],
    ["another namespace than its own", fields("metadata.namespace=b"), "a", []],
    ["all but a name", fields("metadata.name!=x"), "", ["a/y", "a/z"]],
  ])("by %s", (_rule, selection, namespace, names) => {
    expect(list({ selection, namespace }).names).toEqual(names);
  });
});

describe("the revision of a list", () => {
  test.each<[string, Partial<ListRequest>, number]>([
    ["not said: the present", {}, 4],
    ["0: the present", { resourceVersion: "0" }, 4],
    ["a revision: not older than that", { resourceVersion: "2" }, 4],
    ["NotOlderThan: the present", { resourceVersion: "2", resourceVersionMatch: "NotOlderThan" }, 4],
  ])("%s", (_rule, request, count) => {
    expect(list(request).names).toHaveLength(count);
    expect(list(request).revision).toBe(store.revision);
  });

  test("Exact: that very one", () => {
    const request = { resourceVersion: afterWrite(1), resourceVersionMatch: "Exact" } as const;
    expect(list(request)).toMatchObject({ names: ["a/x", "a/y"], revision: revisions[1] });
  });

  test("with a limit: that very one too", () => {
    expect(list({ resourceVersion: afterWrite(1), limit: 5 }).names).toEqual(["a/x", "a/y"]);
    const first = list({ resourceVersion: afterWrite(1), limit: 1 });
    expect(first).toMatchObject({ names: ["a/x"], revision: revisions[1], remaining: 1 });
  });

  test("0 with a limit has no limit", () => {
    expect(list({ resourceVersion: "0", limit: 1 }).names).toHaveLength(4);
  });

  test("in the future is to be waited for", () => {
    const resourceVersion = String(store.revision + 1);
    const why = `504 Too large resource version: ${resourceVersion}, current: ${store.revision}`;
    for (const resourceVersionMatch of ["", "NotOlderThan", "Exact"] as const)
      expect(refusal(() => list({ resourceVersion, resourceVersionMatch }))).toBe(why);
  });

  test("that is gone is refused, and only where it is needed", async () => {
    await store.compact(at(store.revision));
    const gone = "410 The resourceVersion for the provided list is too old.";
    expect(refusal(() => list({ resourceVersion: afterWrite(1), resourceVersionMatch: "Exact" }))).toBe(gone);
    expect(refusal(() => list({ resourceVersion: afterWrite(1), limit: 1 }))).toBe(gone);
    expect(list({ resourceVersion: afterWrite(1) }).names).toHaveLength(4);
  });
});

describe("pages", () => {
  test("go on where the last one ended, at its revision", async () => {
    const first = list({ limit: 2 });
    expect(first).toMatchObject({ names: ["a/x", "a/y"], remaining: 2 });
    const value = encodeStored(object("new", {}, { namespace: "a" }), undefined);
    await store.commit([{ type: "create", key: `${PREFIX}a/z2`, value }]);
    const { continueToken } = first;
    expect(list({ limit: 2, continueToken })).toEqual({
      names: ["a/z", "b/x"],
      revision: first.revision,
      continueToken: "",
      remaining: undefined,
    });
    expect(list({ continueToken }).names).toEqual(["a/z", "b/x"]);
  });

  test("are not made of one object: its list looks neither at a token nor, for a limit, at an exact revision", () => {
    const one = { namespace: "a", selection: fields("metadata.name=y") };
    expect(list({ ...one, continueToken: "no token" }).names).toEqual(["a/y"]);
    expect(list({ ...one, limit: 1, resourceVersion: afterWrite(0) }).names).toEqual(["a/y"]);
    expect(() => list({ ...one, namespace: "", continueToken: "no token" })).toThrow(
      "invalid continue token",
    );
  });

  test("that fit exactly have no token", () => {
    expect(list({ limit: 4 })).toMatchObject({ continueToken: "", remaining: undefined });
    expect(list({ namespace: "a", limit: 3 }).continueToken).toBe("");
  });

  test("of a selection are full, and do not say what is left", () => {
    const selection = labels("even=false");
    const first = list({ selection, limit: 2 });
    expect(first).toMatchObject({ names: ["a/x", "a/z"], remaining: undefined });
    expect(list({ selection, limit: 2, continueToken: first.continueToken }).names).toEqual(["b/x"]);
  });

  test("of a token for another namespace go on at its place there", () => {
    const { continueToken } = list({ namespace: "a", limit: 1 });
    expect(list({ namespace: "b", continueToken }).names).toEqual([]);
  });

  test("of a token for now show what there is now", async () => {
    const continueToken = encodeContinue({ revision: -1, start: "a/x\0" });
    const value = encodeStored(object("new", {}, { namespace: "a" }), undefined);
    await store.commit([{ type: "create", key: `${PREFIX}a/y2`, value }]);
    expect(list({ continueToken }).names).toEqual(["a/y", "a/new", "a/z", "b/x"]);
  });

  test("take no revision beside the token", () => {
    const { continueToken } = list({ limit: 1 });
    expect(refusal(() => list({ continueToken, resourceVersion: "2" }))).toBe(
      "400 specifying resource version is not allowed when using continue",
    );
    expect(list({ continueToken, resourceVersion: "0", limit: 1 }).names).toEqual(["a/y", "a/z", "b/x"]);
  });

  test("that have expired are refused with a token to go on inconsistently", async () => {
    const { continueToken } = list({ limit: 1 });
    await store.commit([{ type: "create", key: "/registry/other", value: Buffer.alloc(6) }]);
    await store.compact(at(store.revision));
    try {
      list({ continueToken });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        status: {
          code: 410,
          reason: "Expired",
          metadata: { continue: encodeContinue({ revision: -1, start: "a/x\0" }) },
        },
      });
    }
  });

  // A negative revision, whichever, is the present one.
  test("of a token for revision -5 show what there is now", () => {
    expect(list({ continueToken: encodeContinue({ revision: -5, start: "a/x\0" }) }).names).toHaveLength(3);
  });
});
