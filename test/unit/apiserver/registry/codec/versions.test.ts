import { describe, expect, test } from "vitest";
import { cloneJson } from "../../../../../src/apimachinery/json/json.ts";
import { decodeJson } from "../../../../../src/apimachinery/json/json-decode.ts";
import { memberOrder } from "../../../../../src/apiserver/registry/codec/object-codec.ts";
import {
  decodeInVersion,
  isShownAsStored,
  jsonInVersion,
  toStoredForm,
} from "../../../../../src/apiserver/registry/codec/versions.ts";
import type { ResourceView } from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { at, builtInView, object, stored, versionViews } from "../support.ts";

const SCHEMA = { type: "object", properties: { a: { type: "string" }, b: { type: "string", default: "x" } } };
const [v1, v2] = versionViews(SCHEMA, SCHEMA) as [ResourceView, ResourceView];

describe("an object in the version in which it is stored", () => {
  const kv = stored(object("t", { spec: { a: "1", b: "2" } }));

  test("is shown as it lies", () => {
    expect(isShownAsStored(v1, kv)).toBe(true);
    expect(decodeInVersion(v1, kv)).toMatchObject({ apiVersion: "example.com/v1", spec: { a: "1", b: "2" } });
    expect(decodeJson(jsonInVersion(v1, kv)).value).toEqual(decodeInVersion(v1, kv));
  });
});

describe("an object in another version", () => {
  const kv = stored(object("t", { spec: { a: "1", b: "2" } }));

  test("differs in its apiVersion", () => {
    expect(isShownAsStored(v2, kv)).toBe(false);
    expect(decodeInVersion(v2, kv)).toEqual({ ...decodeInVersion(v1, kv), apiVersion: "example.com/v2" });
  });

  test("is made once, and what is stored does not change", () => {
    expect(decodeInVersion(v2, kv)).toBe(decodeInVersion(v2, kv));
    expect(decodeInVersion(v1, kv)).toMatchObject({ apiVersion: "example.com/v1" });
  });

  test("is shown with the revision of its deletion", () => {
    expect(decodeJson(jsonInVersion(v2, kv, at(50))).value).toMatchObject({
      apiVersion: "example.com/v2",
      metadata: { resourceVersion: "50" },
    });
  });

  test("is stored in the storage version", async () => {
    const next = { ...cloneJson(object("t", { spec: { a: "1", b: "2" } })), apiVersion: "example.com/v2" };
    expect(await toStoredForm(v2, next)).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { a: "1", b: "2" },
    });
  });
});

test("an object that was stored under an earlier schema is read with the defaults there are now", () => {
  const changed = { ...v1, definition: { ...v1.definition, schemaRevision: 10 } };
  const old = stored(object("t", { spec: { a: "1" } }), 7);
  expect(isShownAsStored(changed, old)).toBe(false);
  expect(decodeInVersion(changed, old)).toMatchObject({
    spec: { a: "1", b: "x" },
    metadata: { resourceVersion: "7" },
  });
  expect(isShownAsStored(changed, stored(object("t"), 10))).toBe(true);
});

test("a kind that is served in two forms has one stored form", async () => {
  const { definition, version } = builtInView("events");
  const storedForm = { toStored: () => object("stored"), fromStored: () => object("shown") };
  const view = { definition, version: { ...version, storedForm } };
  const kv = stored(object("t"), 7, memberOrder(view));
  expect(decodeInVersion(view, kv).metadata.name).toBe("shown");
  expect((await toStoredForm(view, object("t"))).metadata.name).toBe("stored");
});
