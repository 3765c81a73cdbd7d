import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { RequestContext } from "../../../../../src/apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { strategyOf } from "../../../../../src/apiserver/registry/definition/view.ts";
import {
  dropSystemFields,
  placeInNamespace,
  prepareForCreate,
} from "../../../../../src/apiserver/registry/write/prepare.ts";
import { checkTypeMeta, validateWritten } from "../../../../../src/apiserver/registry/write/validate.ts";
import { builtInView, contextFor, customView, refusal } from "../support.ts";

const validateCreated = (view: ResourceView, object: KubeObject, context: RequestContext) =>
  validateWritten({ view, strategy: strategyOf(view), object, context });

const things = customView({ type: "object", properties: { n: { type: "integer", minimum: 1 } } });
const stars = customView(undefined, {}, { scope: "Cluster" });
const configMaps = builtInView("configmaps");

const thing = (metadata: JsonObject, more: JsonObject = {}): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata,
  ...more,
});

describe("the namespace", () => {
  const WRONG = "400 the namespace of the provided object does not match the namespace sent on the request";
  test.each([
    ["not said is that of the URL", things, undefined, "a", "a"],
    ["said empty is that of the URL", things, "", "a", "a"],
    ["said alike is fine", things, "a", "a", "a"],
    ["said otherwise is refused", things, "b", "a", WRONG],
    ["of a cluster-scoped object goes", stars, "b", "", undefined],
  ])("%s", (_rule, view, given, ofUrl, expected) => {
    const object = thing(given === undefined ? {} : { namespace: given });
    const refused = refusal(() => placeInNamespace(view, object, ofUrl));
    expect(refused ?? object.metadata.namespace).toBe(expected);
  });
});

test("what only the server says is dropped, and nothing else", () => {
  const system = {
    uid: "u",
    creationTimestamp: "2001-01-01T00:00:00Z",
    deletionTimestamp: "2001-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 5,
    selfLink: "/x",
  };
  const kept = { name: "t", labels: { a: "1" }, finalizers: ["a/b"], generateName: "g-" };
  const object = thing({ ...system, ...kept });
  dropSystemFields(object);
  expect(object.metadata).toEqual(kept);
});

describe("a new object", () => {
  test("gets an id, a time and its first generation", () => {
    const object = thing({ name: "t" });
    prepareForCreate(things, object, contextFor());
    expect(object.metadata).toEqual({
      name: "t",
      uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      creationTimestamp: "1970-01-01T00:00:00Z",
      generation: 1,
    });
  });

  test("of a kind without generations gets none", () => {
    const object: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    prepareForCreate(configMaps, object, contextFor());
    expect(object.metadata).not.toHaveProperty("generation");
  });

  test.each([
    ["is made up from generateName", { generateName: "abc-" }, /^abc-[bcdfghjklmnpqrstvwxz2456789]{5}$/],
    ["that is said goes before generateName", { name: "t", generateName: "abc-" }, /^t$/],
    ["that is made up is no longer than 63", { generateName: "a".repeat(100) }, /^a{58}.{5}$/],
  ])("its name %s", (_rule, metadata, name) => {
    const object = thing(metadata);
    prepareForCreate(things, object, contextFor());
    expect(object.metadata.name).toMatch(name);
  });

  test("is prepared by its kind", () => {
    const withStatus = customView(undefined, { subresources: { status: {} } });
    const object = thing({ name: "t" }, { status: { ready: true } });
    prepareForCreate(withStatus, object, contextFor());
    expect(object).not.toHaveProperty("status");
  });
});

describe("what a custom resource says it is", () => {
  test.each([
    [{ kind: "Thing", apiVersion: "example.com/v1" }, undefined],
    [
      { kind: "Other", apiVersion: "example.com/v1" },
      '422 Other.example.com "t" is invalid: kind: Invalid value: "Other": must be Thing',
    ],
    [
      { kind: "Thing", apiVersion: "example.com/v2" },
      '422 Thing.example.com "t" is invalid: apiVersion: Invalid value: "example.com/v2": must be example.com/v1',
    ],
  ])("%j", (said, why) => {
    expect(refusal(() => checkTypeMeta(things, { ...said, metadata: { name: "t" } }))).toBe(why);
  });

  test("does not matter for a built-in kind", () => {
    expect(refusal(() => checkTypeMeta(configMaps, { kind: "Other", metadata: {} }))).toBeUndefined();
  });
});

describe("validation", () => {
  const good = { name: "t", namespace: "default", uid: "u" };
  const invalid = (object: KubeObject) => refusal(() => validateCreated(things, object, contextFor()));

  test("takes what is right", () => {
    expect(invalid(thing(good, { spec: { n: 1 } }))).toBeUndefined();
  });

  test("tells everything at once, metadata first", () => {
    const object = thing({ ...good, name: "Bad_Name", labels: { "": "x" } }, { spec: { n: 0 } });
    const found = invalid(object) ?? "";
    const places = ["metadata.name", "metadata.labels", "spec.n"].map((field) =>
      found.indexOf(`${field}: Invalid value`),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test("warns of finalizers that are nobody's", () => {
    const context = contextFor();
    void validateCreated(things, thing({ ...good, finalizers: ["mine"] }), context);
    expect(context.warnings).toEqual([expect.stringContaining('"mine"')]);
  });

  test("refuses them for built-in kinds, but for those that only a library looks at", () => {
    const finalizers = ["mine", "kubernetes", "orphan", "a/b"];
    const refused = (resource: string, spec: JsonObject) => {
      const context = contextFor();
      const object = { metadata: { ...good, finalizers }, spec };
      return [refusal(() => validateCreated(builtInView(resource), object, context)), context.warnings];
    };
    expect(refused("configmaps", {})).toEqual([
      '422 ConfigMap "t" is invalid: metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      [],
    ]);
    expect(refused("leases", {})).toEqual([undefined, []]);
  });

  test("holds names to the rule of the kind", () => {
    const services = builtInView("services");
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...good, name: "1.a" },
      spec: {
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
        type: "ClusterIP",
        sessionAffinity: "None",
      },
    };
    expect(refusal(() => validateCreated(services, service, contextFor()))).toContain(
      'metadata.name: Invalid value: "1.a"',
    );
  });
});
