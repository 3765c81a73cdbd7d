import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { toRevision } from "../../../../../src/apimachinery/meta/revision.ts";
import { encodeStored } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import { ownershipOf } from "../../../../../src/apiserver/registry/codec/ownership.ts";
import type { KeyValue } from "../../../../../src/storage/store.ts";
import { POD_ORDER } from "../support.ts";

const UID = "0e9c3f3e-9d4b-4a52-8f63-7f6f3b8f3d11";

const stored = (
  key: string,
  metadata: KubeObject["metadata"],
  custom = true,
  spec: unknown = {},
): KeyValue => {
  const object = { apiVersion: "v1", kind: "Thing", metadata: { ...metadata, uid: UID }, spec };
  const revision = toRevision(7);
  return {
    key,
    value: encodeStored(object, custom ? undefined : POD_ORDER),
    createRevision: revision,
    modRevision: revision,
  };
};
const own = { uid: UID, resourceVersion: "7" };
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "1" };

describe("the ownership of a stored object", () => {
  test.each([true, false])(
    "is its name, namespace, uid and version where it has no more to tell (custom: %s)",
    (custom) => {
      const labels = { app: "web" };
      const kv = stored(
        "/registry/things/default/a.b",
        { name: "a.b", namespace: "default", labels },
        custom,
      );
      expect(ownershipOf(kv, true)).toEqual({ name: "a.b", namespace: "default", ...own });
      expect(ownershipOf(stored("/registry/g/things/a", { name: "a" }, custom), false)).toEqual({
        name: "a",
        ...own,
      });
    },
  );

  test("holds owners, finalizers and the time of deletion", () => {
    const metadata = {
      name: "a",
      finalizers: ["x/y"],
      ownerReferences: [owner],
      deletionTimestamp: "2026-01-01T00:00:00Z",
    };
    const kv = stored("/registry/things/a", { ...metadata, labels: { app: "web" } });
    expect(ownershipOf(kv, false)).toEqual({ ...metadata, ...own });
  });

  test("is not misled by a spec that looks like metadata", () => {
    const kv = stored("/registry/things/a", { name: "a" }, true, {
      template: { metadata: { finalizers: ["z"] } },
    });
    expect(ownershipOf(kv, false)).toEqual({ name: "a", ...own });
  });
});
