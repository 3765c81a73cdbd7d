import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { conformObject } from "../../../../../src/apiserver/registry/codec/object-decoder.ts";
import { builtInView, customView, versionViews } from "../support.ts";

const SPEC = {
  type: "object",
  properties: {
    a: { type: "string", default: "x" },
    n: { type: "integer" },
    inner: { type: "object", properties: {} },
  },
};
const things = customView(SPEC);
const configMaps = builtInView("configmaps");

const custom = (more: JsonObject) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "t" },
  ...more,
});
const builtIn = (more: JsonObject) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c" },
  ...more,
});

describe("a custom resource", () => {
  test("loses unknown fields at every depth, and gets its defaults", () => {
    const { object, unknown } = conformObject(
      things,
      custom({ spec: { n: 1, b: 2, inner: { c: 3 } }, d: 4 }),
    );
    expect(object).toEqual(custom({ spec: { a: "x", n: 1, inner: {} } }));
    expect([...unknown].sort()).toEqual(["d", "spec.b", "spec.inner.c"]);
  });

  test("keeps values of wrong types, which are refused later", () => {
    expect(conformObject(things, custom({ spec: { n: "one" } })).object).toMatchObject({
      spec: { n: "one" },
    });
  });

  test("loses nulls where a null cannot be, unless they are to stay", () => {
    expect(conformObject(things, custom({ spec: { n: null } })).object["spec"]).toEqual({ a: "x" });
    const kept = conformObject(things, custom({ spec: { n: null } }), { dropsNulls: false }).object["spec"];
    expect(kept).toEqual({ a: "x", n: null });
  });

  test.each([
    [
      "a name that is no text",
      { name: 1 },
      "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
    ],
    [
      "labels that are no map",
      { labels: [] },
      "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string",
    ],
    [
      "a label that is no text",
      { labels: { a: 1 } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
    ],
  ])("with %s cannot be read", (_rule, metadata, complaint) => {
    expect(() => conformObject(things, custom({ metadata }))).toThrow(new Error(complaint));
  });

  test.each([undefined, null])("has metadata, although %s is given", (metadata) => {
    expect(conformObject(things, custom({ metadata })).object.metadata).toEqual({});
  });

  test("of another kind is held as it comes", () => {
    const other = { ...custom({ spec: { b: 2 } }), kind: "Other" };
    expect(conformObject(things, structuredClone(other))).toEqual({ object: other, unknown: [] });
  });

  test("that says another version is read by that one's schema", () => {
    const [first] = versionViews(SPEC, {
      type: "object",
      properties: { b: { type: "string", default: "y" } },
    });
    if (first === undefined) throw new Error("there is a first version");
    const other = { ...custom({ spec: { a: "1", b: "2" } }), apiVersion: "example.com/v2" };
    expect(conformObject(first, other)).toMatchObject({ object: { spec: { b: "2" } }, unknown: ["spec.a"] });
  });
});

describe("an object of a built-in kind", () => {
  test("loses unknown fields and what is empty", () => {
    const { object, unknown } = conformObject(configMaps, builtIn({ data: null, odd: 1 }));
    expect(object).toEqual(builtIn({}));
    expect(unknown).toEqual(["odd"]);
  });

  test("gets the defaults of its kind", () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { ports: [{ port: 80 }] },
    };
    expect(conformObject(builtInView("services"), service).object["spec"]).toMatchObject({
      type: "ClusterIP",
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    });
  });

  test("cannot hold a wrong type", () => {
    class Refusal extends Error {}
    const refuse = (why: string) => new Refusal(why);
    const given = builtIn({ data: { a: 1 } });
    expect(() => conformObject(configMaps, given, { refuse })).toThrow(Refusal);
  });
});

test("an empty list of managedFields stays in a built-in object, for it asks for a reset; elsewhere it is none", () => {
  const metadata = { name: "t", managedFields: [] };
  expect(conformObject(configMaps, builtIn({ metadata })).object.metadata.managedFields).toEqual([]);
  const { object } = conformObject(things, custom({ metadata: { ...metadata } }));
  expect(object.metadata.managedFields).toBeUndefined();
});
