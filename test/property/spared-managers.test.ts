// A patch that does not touch managedFields is applied to the object without them: the result is the same.
import fc from "fast-check";
import { expect, test } from "vitest";
import { freezeJson, type JsonObject } from "../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../src/apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../src/apimachinery/meta/status.ts";
import { endpointOf } from "../../src/apiserver/registry/write/managed-fields.ts";
import {
  type PatchDocument,
  type PatchType,
  patchShown,
  readPatchValue,
} from "../../src/apiserver/registry/write/patch.ts";
import { builtInView, contextFor } from "../unit/apiserver/registry/support.ts";

const view = builtInView("configmaps");
const live: KubeObject = freezeJson({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "c",
    namespace: "default",
    uid: "u",
    labels: { a: "1" },
    managedFields: [
      {
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {} }, "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } },
        manager: "ann",
        operation: "Update",
        time: "2024-01-01T00:00:00Z",
      },
    ],
  },
  data: { a: "1" },
});

async function outcome(document: PatchDocument): Promise<string> {
  const address = { namespace: "default", name: "c" };
  const context = contextFor({ fieldValidation: "Warn" });
  try {
    const patch = { address, endpoint: endpointOf(view, ""), document, context };
    return encodeJson([await patchShown(patch, live), context.warnings]);
  } catch (error) {
    if (error instanceof StatusError) return encodeJson(error.status);
    throw error;
  }
}

async function expectSame(type: PatchType, patch: unknown, spared?: boolean): Promise<void> {
  const document = readPatchValue(view, type, patch);
  expect(await outcome(document)).toBe(await outcome({ ...document, meansManagers: true }));
  if (spared !== undefined) expect(document.meansManagers).toBe(!spared);
}

const scalar = fc.constantFrom<unknown>(null, "1", "2", 1, {}, [], "replace", "delete", { a: "2" });
const memberOf = (...keys: string[]) => fc.dictionary(fc.constantFrom(...keys), scalar, { maxKeys: 3 });
const metadata = memberOf(
  "labels",
  "annotations",
  "managedFields",
  "ManagedFields",
  "$patch",
  "$retainKeys",
  "name",
);
const merge: fc.Arbitrary<JsonObject> = fc
  .tuple(
    memberOf("data", "metadata", "kind", "$patch", "other"),
    fc.option(metadata),
    fc.constantFrom("metadata", "Metadata"),
  )
  .map(([patch, below, key]) => (below === null ? patch : { ...patch, [key]: below }));
const pointer = fc
  .array(
    fc.constantFrom(
      "metadata",
      "Metadata",
      "managedFields",
      "labels",
      "data",
      "a",
      "0",
      "-",
      "metadat~1",
      "",
    ),
    {
      maxLength: 3,
    },
  )
  .map((steps) => steps.map((step) => `/${step}`).join(""));
const operation = fc.record(
  {
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
    path: pointer,
    from: pointer,
    value: scalar,
  },
  { requiredKeys: ["op", "path"] },
);

test("a merge patch", async () => {
  await fc.assert(fc.asyncProperty(merge, (patch) => expectSame("merge", patch)));
});

test("a strategic merge patch", async () => {
  await fc.assert(fc.asyncProperty(merge, (patch) => expectSame("strategic", patch)));
});

test("a JSON patch", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 4 }), (patch) => expectSame("json", patch)),
  );
});

test("which patches are given the object without them", async () => {
  const labels = { metadata: { labels: { b: "2" } } };
  await expectSame("merge", labels, true);
  await expectSame("strategic", { ...labels, data: { b: "2" } }, true);
  await expectSame("json", [{ op: "add", path: "/metadata/labels/b", value: "2" }], true);
  await expectSame("merge", { metadata: { managedFields: [{}] } }, false);
  await expectSame("json", [{ op: "copy", from: "/metadata", path: "/metadata/labels" }], false);
  await expectSame("json", [{ op: "test", path: "/metadata/managedFields/0/manager", value: "ann" }], false);
});
