// An object with many field managers, such as one on which hundreds of nodes report.
import { afterEach, beforeEach, expect, test } from "vitest";
import { cloneJson } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { decodeStored, encodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import type { KeyValue } from "../../../../../src/storage/store.ts";
import { TestApi, thing } from "../../endpoints/support.ts";
import { contextFor, customView } from "../support.ts";

const view = customView();
const MANAGERS = 20;

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  api.registry.set(view.definition);
});
afterEach(() => api[Symbol.asyncDispose]());

/** One more manager of the object, or a manager of another field than before. */
async function applied(
  manager: number,
  spec: object = { [`field${manager}`]: "<a> & b" },
): Promise<KeyValue> {
  const result = await api.resources.apply({
    address: { view, namespace: "default", name: "t" },
    subresource: "",
    applied: thing("t", { spec }),
    force: true,
    context: contextFor({ fieldManager: `manager-${manager}` }),
  });
  if (result.type !== "stored") throw new Error("it was not stored");
  return result.kv;
}

const managersOf = (object: Readonly<KubeObject>) => object.metadata.managedFields ?? [];

test.each([
  ["small", {}],
  ["large", { much: "x".repeat(200_000) }],
])(
  "a write of a %s object leaves what others own as it was read, and reads as it was written",
  async (_, more) => {
    for (let manager = 1; manager < MANAGERS; manager++) await applied(manager);
    const before = decodeStored(await applied(MANAGERS, { field: 1, ...more }));
    const kv = await applied(1, { other: "1" });
    const after = decodeStored(kv);
    const ownerOf = (object: Readonly<KubeObject>, name: string) =>
      managersOf(object).find(({ manager }) => manager === name);
    for (let manager = 2; manager <= MANAGERS; manager++) {
      const name = `manager-${manager}`;
      expect(ownerOf(after, name)).toBe(ownerOf(before, name));
    }
    expect(ownerOf(after, "manager-1")?.fieldsV1).toEqual({ "f:spec": { "f:other": {} } });
    expect(after["spec"]).not.toHaveProperty("field1");
    // The same from the object alone, of which nothing is known.
    expect(Buffer.from(kv.value).equals(encodeStored(cloneJson(after), undefined))).toBe(true);
    expect(decodeStored({ ...kv })).toEqual(after);
  },
);
