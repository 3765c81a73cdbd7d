import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isObject, type JsonObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { SchemaLibrary, schemaLibrary } from "../../../../../src/apimachinery/schema/go/schema-library.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";

const SCHEMAS = new URL("../../../../../schemas/", import.meta.url);
const FACTS = new URL("../../../../fixtures/facts/openapi/", import.meta.url);
const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/** What requests and answers of every kind are made of, and those of discovery. */
const REQUESTS = [
  ...["Status", "DeleteOptions", "WatchEvent", "Patch"].map((name) => META + name),
  ...["APIVersions", "APIGroupList", "APIResourceList"].map((name) => META + name),
  "io.k8s.apimachinery.pkg.version.Info",
  "io.k8s.api.autoscaling.v1.Scale",
];
/** Messages that are sent and not published. */
const UNPUBLISHED = [
  ...[
    "GroupDiscovery",
    "GroupDiscoveryList",
    "ResourceDiscovery",
    "SubresourceDiscovery",
    "VersionDiscovery",
  ].map((name) => `io.k8s.api.apidiscovery.v2.API${name}`),
  `${META}GroupVersionKind`,
  ...["Table", "TableColumnDefinition", "TableRow"].map((name) => META + name),
  ...["v1", "v1beta1"].flatMap((version) => {
    const meta = META.replace(".v1.", `.${version}.`);
    return [`${meta}PartialObjectMetadata`, `${meta}PartialObjectMetadataList`];
  }),
];

const library = schemaLibrary();
const facts = new Map<string, JsonObject>(
  readdirSync(FACTS).flatMap((file) =>
    Object.entries(JSON.parse(readFileSync(new URL(file, FACTS), "utf8")) as Record<string, JsonObject>),
  ),
);

/** A definition without what only people read. */
function withoutDescriptions(schema: JsonObject): JsonObject {
  const { description, ...rest } = schema;
  const properties = objectAt(rest, "properties");
  if (properties === undefined) return rest;
  const bare = Object.entries(properties).map(([key, property]) => {
    return [key, isObject(property) ? withoutDescriptions(property) : property];
  });
  return { ...rest, properties: Object.fromEntries(bare) };
}

function refsIn(value: unknown, found: Set<string>): Set<string> {
  if (Array.isArray(value)) for (const item of value) refsIn(item, found);
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === "$ref" && typeof member === "string")
        found.add(member.slice("#/components/schemas/".length));
      else refsIn(member, found);
    }
  }
  return found;
}

function reachableFrom(names: Iterable<string>): Set<string> {
  const reached = new Set(names);
  for (const name of reached)
    for (const next of refsIn(library.definition(name), new Set())) reached.add(next);
  return reached;
}

describe("the schemas of the built-in kinds", () => {
  it("are those that the facts are known for, no more and no fewer", () => {
    expect([...library.names].sort()).toEqual([...facts.keys(), ...UNPUBLISHED].sort());
  });

  it.each([...facts.keys()])("%s says what a real server publishes", (name) => {
    expect(withoutDescriptions(library.published(name))).toEqual(facts.get(name));
  });

  it("are all needed by a kind, its list or the requests", () => {
    const roots = BUILT_IN_RESOURCES.flatMap(({ versions, review, action, subresources = [] }) => {
      const types = [
        ...refsIn(
          versions.map(({ schema }) => schema),
          new Set<string>(),
        ),
      ];
      const below = [
        ...refsIn(
          subresources.map(({ schema }) => schema),
          new Set<string>(),
        ),
      ];
      return [...types, ...below, ...(review || action ? [] : types.map((type) => `${type}List`))]; // what is posted only is never listed
    });
    expect([...reachableFrom([...roots, ...REQUESTS, ...UNPUBLISHED])].sort()).toEqual(
      [...library.names].sort(),
    );
  });

  it("describe every type and every member in one sentence", () => {
    const missing = library.names.flatMap((name) => {
      const schema = library.definition(name) ?? {};
      const members = Object.entries(objectAt(schema, "properties") ?? {});
      return [[name, schema] as const, ...members.map(([key, member]) => [`${name}.${key}`, member] as const)]
        .filter(([, item]) => !isObject(item) || !/^[A-Z$/0].*\.$/s.test(String(item["description"])))
        .map(([path]) => path);
    });
    expect(missing).toEqual([]);
  });
});

describe("the library of schemas", () => {
  it("finds in each file what a parser of the whole file finds", () => {
    const parsed = new Map<string, unknown>();
    for (const file of readdirSync(SCHEMAS, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".yaml")) continue;
      const document: unknown = parse(readFileSync(new URL(file, SCHEMAS), "utf8"));
      const definitions = isObject(document) ? objectAt(document, "definitions") : undefined;
      for (const [name, schema] of Object.entries(definitions ?? {})) {
        expect(parsed.has(name), `${name} stands in two files`).toBe(false);
        parsed.set(name, schema);
      }
    }
    expect(parsed.size).toBe(library.names.length);
    for (const [name, schema] of parsed) expect(library.definition(name)).toEqual(schema);
  });

  it("gives one definition for a reference and for its name", () => {
    const name = "io.k8s.api.core.v1.Service";
    expect(library.resolve(`#/components/schemas/${name}`)).toBe(library.definition(name));
  });

  it("knows no definition by another name", () => {
    expect(library.definition("io.k8s.api.core.v1.Nothing")).toBeUndefined();
    expect(() => library.resolve("#/components/schemas/io.k8s.api.core.v1.Nothing")).toThrow(/no schema/);
  });

  it("passes over files that hold something else", () => {
    expect(new SchemaLibrary().names.some((name) => name.includes("ovn"))).toBe(false);
  });
});
