import { beforeEach, describe, expect, test } from "vitest";
import type { ResourceDefinition } from "../../../../src/apiserver/registry/definition/resource-definition.ts";
import { apiVersionOf, storageView, strategyOf } from "../../../../src/apiserver/registry/definition/view.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { builtInView, customView } from "./support.ts";

const configMaps = builtInView("configmaps").definition;
const things = customView().definition;
const [version] = things.versions;
if (version === undefined) throw new Error("there is a version");
const v2 = { ...version, name: "v2", storage: false };
const hidden = { ...version, name: "v3", served: false, storage: false };
const several: ResourceDefinition = { ...things, versions: [version, v2, hidden] };

let registry: ResourceRegistry;
beforeEach(() => {
  registry = new ResourceRegistry();
  registry.set(configMaps, several);
});

describe("a resource", () => {
  test("is found by group, served version and plural", () => {
    expect(registry.find("", "v1", "configmaps")?.definition).toBe(configMaps);
    expect(registry.find("example.com", "v2", "things")).toEqual({ definition: several, version: v2 });
    expect(registry.find("example.com", "v3", "things")).toBeUndefined();
    expect(registry.find("example.com", "v1", "Thing")).toBeUndefined();
    expect(registry.find("", "v1", "things")).toBeUndefined();
  });

  test("is found by what an object says it is", () => {
    expect(registry.findByKind("v1", "ConfigMap")?.definition).toBe(configMaps);
    expect(registry.findByKind("example.com/v2", "Thing")?.version).toBe(v2);
    expect(registry.findByKind("example.com/v3", "Thing")).toBeUndefined();
    expect(registry.findByKind("v1", "Thing")).toBeUndefined();
  });

  test("is found in its storage version, served or not", () => {
    expect(registry.findStorage("example.com", "things")?.version).toBe(version);
    const elsewhere = { ...several, versions: [v2, { ...hidden, storage: true }] };
    registry.set(elsewhere);
    expect(registry.findStorage("example.com", "things")?.version.name).toBe("v3");
  });

  test("takes the place of the one with the same name", () => {
    registry.set(things);
    expect(registry.definitions).toEqual([configMaps, things]);
    expect(registry.find("example.com", "v2", "things")).toBeUndefined();
  });

  test("is gone once removed", () => {
    registry.remove("example.com", "things");
    expect(registry.find("example.com", "v1", "things")).toBeUndefined();
    expect(registry.group("example.com")).toBeUndefined();
    expect(registry.definitions).toEqual([configMaps]);
  });
});

describe("a group", () => {
  test("knows its served versions and whether it has built-in kinds", () => {
    expect(registry.group("example.com")).toEqual({ custom: true, versions: new Set(["v1", "v2"]) });
    expect(registry.group("")).toEqual({ custom: false, versions: new Set(["v1"]) });
    expect(registry.group("other.com")).toBeUndefined();
  });

  test("with built-in and custom kinds counts as built-in", () => {
    registry.set({ ...things, group: "" });
    expect(registry.group("")).toMatchObject({ custom: false });
  });
});

test("who listens is told after each change, until he stops", () => {
  let changes = 0;
  const before = registry.definitions;
  const stop = registry.onChange(() => changes++);
  registry.set(things);
  registry.remove("", "configmaps");
  expect(changes).toBe(2);
  expect(registry.definitions).not.toBe(before);
  stop();
  registry.set(configMaps);
  expect(changes).toBe(2);
});

test("several definitions are one change, in which the others stay what they are", () => {
  const view = registry.find("", "v1", "configmaps");
  let changes = 0;
  registry.onChange(() => changes++);
  registry.set(things, { ...things, group: "other.com" }, { ...things, group: "more.com" });
  expect(changes).toBe(1);
  expect(registry.definitions.map(({ group }) => group)).toEqual([
    "",
    "example.com",
    "other.com",
    "more.com",
  ]);
  expect(registry.find("", "v1", "configmaps")).toBe(view);
  expect(registry.findByKind("more.com/v1", "Thing")?.definition.group).toBe("more.com");
  registry.remove("more.com", "things");
  expect(registry.findByKind("more.com/v1", "Thing")).toBeUndefined();
  expect(registry.findStorage("more.com", "things")).toBeUndefined();
});

test("a version's own strategy goes before the kind's", () => {
  const own = { hasGeneration: true };
  const definition = { ...configMaps, strategy: {} };
  const view = storageView(definition);
  expect(strategyOf({ definition, version: { ...view.version, strategy: own } })).toBe(own);
  const { strategy: _, ...plain } = view.version;
  expect(strategyOf({ definition, version: plain })).toBe(definition.strategy);
});

test.each([
  [builtInView("configmaps"), "v1"],
  [customView(), "example.com/v1"],
])("apiVersion of %#", (view, apiVersion) => {
  expect(apiVersionOf(view)).toBe(apiVersion);
});
