import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { definitionFromCrd } from "../../../../../src/apiserver/registry/custom-resource.ts";
import { crdOf, versionWith } from "../../endpoints/support.ts";
import { ANYTHING } from "../support.ts";

const from = (crd: JsonObject) => definitionFromCrd(crd as unknown as KubeObject); // a whole definition
const withNames = (names: JsonObject): JsonObject => {
  const crd = crdOf([versionWith(ANYTHING)]);
  return { ...crd, spec: { ...(crd["spec"] as JsonObject), names } };
};

describe("names", () => {
  test("that are not given are made from the kind", () => {
    expect(from(withNames({ plural: "things", kind: "BigThing" }))).toMatchObject({
      resource: "things",
      kind: "BigThing",
      singular: "bigthing",
      listKind: "BigThingList",
      shortNames: [],
      categories: [],
    });
  });

  test("that are given count", () => {
    const names = {
      plural: "things",
      kind: "Thing",
      singular: "thingy",
      listKind: "Things",
      shortNames: ["th"],
      categories: ["all"],
    };
    const { plural, ...rest } = names;
    expect(from(withNames(names))).toMatchObject({ resource: plural, ...rest });
  });

  test("that were accepted go before those that are asked for", () => {
    const crd = withNames({ plural: "things", kind: "Thing", shortNames: ["taken"] });
    const status = { acceptedNames: { plural: "things", kind: "Thing", singular: "thing", shortNames: [] } };
    expect(from({ ...crd, status })).toMatchObject({ resource: "things", shortNames: [] });
  });
});

test.each([
  ["Namespaced", true],
  ["Cluster", false],
])("scope %s: namespaced is %s", (scope, namespaced) => {
  expect(from(crdOf([versionWith(ANYTHING)], { scope }))).toMatchObject({
    namespaceScoped: namespaced,
    custom: true,
  });
});

describe("a version", () => {
  const versionOf = (more: JsonObject) => from(crdOf([versionWith(ANYTHING, more)])).versions[0];

  test("has status, scale, columns and selectable fields as it says", () => {
    const scale = {
      specReplicasPath: ".spec.n",
      statusReplicasPath: ".status.n",
      labelSelectorPath: ".status.s",
    };
    const column = {
      name: "N",
      type: "integer",
      jsonPath: ".spec.n",
      priority: 1,
      description: "d",
      format: "int32",
    };
    const version = versionOf({
      subresources: { status: {}, scale },
      additionalPrinterColumns: [column],
      selectableFields: [{ jsonPath: ".spec.n" }],
      deprecated: true,
      deprecationWarning: "old",
    });
    expect(version).toMatchObject({
      scale,
      columns: [column],
      selectableFields: [".spec.n"],
      deprecated: true,
      deprecationWarning: "old",
    });
    expect(version?.status).toBeDefined();
  });

  test("has columns that are described by their paths where they have no description", () => {
    const column = { name: "N", type: "integer", jsonPath: ".spec.n" };
    const additionalPrinterColumns = [column, { ...column, description: "" }];
    const described = "Custom resource definition column (in JSONPath format): .spec.n";
    expect(versionOf({ additionalPrinterColumns })?.columns.map(({ description }) => description)).toEqual([
      described,
      described,
    ]);
  });

  test("has none of them unless it says so", () => {
    const version = versionOf({});
    expect(version).toMatchObject({ columns: [], selectableFields: [] });
    for (const key of ["status", "scale", "deprecated", "deprecationWarning"])
      expect(version).not.toHaveProperty(key);
  });

  test("compiles its schema once, when that is needed", () => {
    const version = versionOf({});
    expect(version?.node.properties.has("spec")).toBe(true);
    expect(version?.node).toBe(version?.node);
  });

  test("without a schema knows no fields", () => {
    const crd = crdOf([{ name: "v1", served: true, storage: true }]);
    expect(from(crd).versions[0]?.schema).toEqual({ type: "object" });
  });
});
