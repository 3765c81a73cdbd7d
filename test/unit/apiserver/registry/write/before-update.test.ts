import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { ObjectMeta } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceView } from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { strategyOf } from "../../../../../src/apiserver/registry/definition/view.ts";
import { prepareForUpdate } from "../../../../../src/apiserver/registry/write/prepare.ts";
import { validateWritten } from "../../../../../src/apiserver/registry/write/validate.ts";
import { builtInView, contextFor, customView, object, refusal } from "../support.ts";

const schema = {
  type: "object",
  properties: { n: { type: "integer", minimum: 1 }, m: { type: "integer", minimum: 1 } },
};
const plain = customView(schema);
const withStatus = customView(schema, { subresources: { status: {} } });

function prepared(view: ResourceView, before: JsonObject, after: JsonObject, endpoint: "" | "status" = "") {
  const { metadata: oldMetadata = {}, ...oldContent } = before as { metadata?: JsonObject };
  const { metadata = {}, ...content } = after as { metadata?: JsonObject };
  const old = object("t", oldContent, { generation: 3, ...oldMetadata });
  const next = object("t", content, metadata);
  const strategy = endpoint === "status" ? (view.version.status ?? {}) : strategyOf(view);
  prepareForUpdate(view, strategy, next, old, contextFor());
  return next;
}

describe("what no client can change is carried over", () => {
  test("the id, where none is said", () => {
    const old = object("t", {}, { uid: "u" });
    const next = object("t");
    delete next.metadata.uid;
    prepareForUpdate(plain, strategyOf(plain), next, old, contextFor());
    expect(next.metadata.uid).toBe("u");
  });

  test.each([
    [
      "the time of its creation",
      { creationTimestamp: "2001-01-01T00:00:00Z" },
      { creationTimestamp: "2002-01-01T00:00:00Z" },
    ],
    ["the time of its deletion", { deletionTimestamp: "2001-01-01T00:00:00Z" }, {}],
    ["the grace of its deletion", { deletionGracePeriodSeconds: 5 }, {}],
    ["its generation", { generation: 3 }, { generation: 9 }],
  ])("%s", (_rule, before, after) => {
    expect(prepared(plain, { metadata: before }, { metadata: after }).metadata).toMatchObject(before);
  });

  test("a selfLink goes", () => {
    expect(prepared(plain, {}, { metadata: { selfLink: "/x" } }).metadata).not.toHaveProperty("selfLink");
  });
});

describe("the generation", () => {
  const generation = (
    view: ResourceView,
    before: JsonObject,
    after: JsonObject,
    endpoint: "" | "status" = "",
  ) => prepared(view, before, after, endpoint).metadata.generation;

  test.each<[string, ResourceView, JsonObject, JsonObject, number]>([
    ["stays where nothing changes", plain, { spec: { n: 1 } }, { spec: { n: 1 } }, 3],
    ["stays where metadata changes", plain, {}, { metadata: { labels: { a: "1" } } }, 3],
    ["rises where the spec changes", plain, { spec: { n: 1 } }, { spec: { n: 2 } }, 4],
    ["rises where something else changes", plain, {}, { data: 1 }, 4],
    ["rises where something goes", plain, { data: 1 }, {}, 4],
    ["rises with status where that is a field like any other", plain, { status: 1 }, { status: 2 }, 4],
    ["stays with status where that has an endpoint", withStatus, { status: {} }, { status: { a: 1 } }, 3],
  ])("%s", (_rule, view, before, after, expected) => {
    expect(generation(view, before, after)).toBe(expected);
  });

  test("stays with every write to /status", () => {
    expect(generation(withStatus, { spec: { n: 1 } }, { spec: { n: 2 }, status: { a: 1 } }, "status")).toBe(
      3,
    );
  });

  test("is not made where there was none", () => {
    const configMaps = builtInView("configmaps");
    const next = object("c", { data: { a: "2" } }, { generation: 9 });
    prepareForUpdate(
      configMaps,
      strategyOf(configMaps),
      next,
      object("c", { data: { a: "1" } }),
      contextFor(),
    );
    expect(next.metadata).not.toHaveProperty("generation");
  });
});

describe("validation of a change", () => {
  const invalid = (before: JsonObject, after: JsonObject, metadata: JsonObject = {}) =>
    refusal(() =>
      validateWritten({
        view: plain,
        strategy: strategyOf(plain),
        object: object("t", after, { resourceVersion: "7", ...metadata }),
        old: object("t", before, { resourceVersion: "7" }),
        context: contextFor(),
      }),
    );

  test("takes what is right", () => {
    expect(invalid({ spec: { n: 1 } }, { spec: { n: 2 } })).toBeUndefined();
  });

  test("refuses what is wrong", () => {
    expect(invalid({ spec: { n: 1 } }, { spec: { n: 0 } })).toContain("spec.n: Invalid value: 0");
  });

  test("lets stand what was wrong before and has not changed", () => {
    expect(invalid({ spec: { n: 0 } }, { spec: { n: 0, m: 1 } })).toBeUndefined();
    expect(invalid({ spec: { n: 0 } }, { spec: { n: 0, m: 0 } })).toMatch(/spec\.m: Invalid value/);
  });

  test.each([
    ["the name", { name: "u" }],
    ["the uid", { uid: "other" }],
  ])("refuses to change %s", (_rule, metadata) => {
    expect(invalid({}, {}, metadata)).toContain("field is immutable");
  });

  /** How often each error is reported: the endpoint validates twice, the kind according to its strategy. */
  const told = (view: ResourceView, metadata: Partial<ObjectMeta>, endpoint: "" | "status" = "") => {
    const strategy = endpoint === "status" ? (view.version.status ?? {}) : strategyOf(view);
    const namespace = { namespace: view.definition.namespaceScoped ? "default" : "" };
    try {
      const old = object("t", {}, { resourceVersion: "7", ...namespace });
      const next = object("t", {}, { resourceVersion: "7", ...namespace, ...metadata });
      void validateWritten({ view, strategy, object: next, old, context: contextFor() });
    } catch (error) {
      const { details } = (error as { status: { details: { causes: { field: string }[] } } }).status;
      return details.causes.filter(({ field }) => field.startsWith("metadata.")).length;
    }
    return 0;
  };

  test.each<[string, number, number, number]>([
    ["events", 2, 1, 0],
    ["deployments", 3, 2, 1],
    ["leases", 3, 2, 0],
    ["limitranges", 3, 1, 1],
    ["endpointslices", 3, 1, 1],
    ["validatingwebhookconfigurations", 3, 1, 0],
    ["configmaps", 4, 2, 2],
    ["rolebindings", 4, 2, 2],
    ["namespaces", 4, 2, 2],
  ])("tells as often as a real server what is wrong with metadata of %s", (resource, labels, uid, owner) => {
    const view = builtInView(resource);
    expect(told(view, { labels: { a: "-" } })).toBe(labels);
    expect(told(view, { uid: "other" })).toBe(uid);
    expect(told(view, { finalizers: ["mine"] })).toBe(owner);
  });

  test("tells of custom resources and of most /status as of what is checked against the old only", () => {
    expect(told(plain, { labels: { a: "-" } })).toBe(3);
    expect(told(plain, { uid: "other" })).toBe(2);
    expect(told(builtInView("deployments"), { labels: { a: "-" } }, "status")).toBe(3);
    expect(told(builtInView("servicecidrs"), { labels: { a: "-" } }, "status")).toBe(2);
  });

  test("refuses new finalizers while the object is being deleted", () => {
    const deletion = { deletionTimestamp: "2001-01-01T00:00:00Z", resourceVersion: "7" };
    const change = () =>
      validateWritten({
        view: plain,
        strategy: strategyOf(plain),
        object: object("t", {}, { ...deletion, finalizers: ["a/b", "c/d"] }),
        old: object("t", {}, { ...deletion, finalizers: ["a/b"] }),
        context: contextFor(),
      });
    expect(refusal(change)).toContain("no new finalizers can be added if the object is being deleted");
  });

  test("refuses finalizers of built-in kinds that are nobody's, also those that were there", () => {
    const view = builtInView("configmaps");
    const held = object("t", {}, { finalizers: ["mine"], namespace: "default", resourceVersion: "7" });
    const change = () =>
      validateWritten({ view, strategy: strategyOf(view), object: held, old: held, context: contextFor() });
    expect(refusal(change)).toBe(
      '422 ConfigMap "t" is invalid: metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    );
  });
});
