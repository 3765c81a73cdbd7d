import { describe, expect, it } from "vitest";
import { resourcePrefix } from "../../../src/registry/keys.ts";
import { BUILT_IN_RESOURCES } from "../../../src/resources/index.ts";
import { definitionOf, nameErrors } from "./passage.ts";

const ALL = "create delete deletecollection get list patch update watch";

/** resource, scope, names, strategy: what a real server's discovery and its answers show. */
const EXPECTED: readonly (readonly [string, Record<string, unknown>])[] = [
  ["ConfigMap", { resource: "configmaps", short: "cm", replaces: true, prefix: "configmaps" }],
  [
    "Endpoints",
    {
      resource: "endpoints",
      singular: "endpoints",
      short: "ep",
      creates: true,
      replaces: true,
      prefix: "services/endpoints",
    },
  ],
  ["Event", { resource: "events", short: "ev", creates: true, replaces: true, prefix: "events" }],
  [
    "Namespace",
    {
      resource: "namespaces",
      short: "ns",
      cluster: true,
      verbs: "create delete get list patch update watch",
      replaces: true,
      status: true,
      answersObject: true,
      prefix: "namespaces",
    },
  ],
  [
    "Node",
    { resource: "nodes", short: "no", cluster: true, replaces: true, status: true, prefix: "minions" },
  ],
  [
    "Pod",
    {
      resource: "pods",
      short: "po",
      categories: "all",
      replaces: true,
      status: true,
      generation: true,
      answersObject: true,
      prefix: "pods",
    },
  ],
  ["Secret", { resource: "secrets", replaces: true, prefix: "secrets" }],
  [
    "ServiceAccount",
    {
      resource: "serviceaccounts",
      short: "sa",
      replaces: true,
      answersObject: true,
      prefix: "serviceaccounts",
    },
  ],
  [
    "Service",
    {
      resource: "services",
      short: "svc",
      categories: "all",
      creates: true,
      replaces: true,
      status: true,
      answersObject: true,
      prefix: "services/specs",
    },
  ],
  [
    "apiextensions.k8s.io/CustomResourceDefinition",
    {
      resource: "customresourcedefinitions",
      short: "crd crds",
      categories: "api-extensions",
      cluster: true,
      status: true,
      generation: true,
      prefix: "apiextensions.k8s.io/customresourcedefinitions",
    },
  ],
  ["coordination.k8s.io/Lease", { resource: "leases", creates: true, prefix: "leases" }],
  [
    "discovery.k8s.io/EndpointSlice",
    { resource: "endpointslices", replaces: true, generation: true, prefix: "endpointslices" },
  ],
  [
    "events.k8s.io/Event",
    { resource: "events", short: "ev", creates: true, replaces: true, prefix: "events" },
  ],
];

describe("the definitions of the built-in kinds", () => {
  it("are those of this table", () => {
    expect(EXPECTED.map(([kind]) => definitionOf(kind))).toEqual(BUILT_IN_RESOURCES);
  });

  it.each(EXPECTED)("%s is named and behaves as in a real server", (kind, expected) => {
    const definition = definitionOf(kind);
    const { strategy, versions } = definition;
    const kindName = kind.slice(kind.indexOf("/") + 1);
    expect({
      resource: definition.resource,
      singular: definition.singular,
      listKind: definition.listKind,
      short: definition.shortNames.join(" "),
      categories: definition.categories.join(" "),
      cluster: !definition.namespaceScoped,
      custom: definition.custom,
      verbs: definition.verbs.join(" "),
      creates: strategy.allowCreateOnUpdate === true,
      replaces: strategy.allowUnconditionalUpdate === true,
      generation: strategy.hasGeneration === true,
      status: versions[0]?.status !== undefined,
      answersObject: definition.returnsDeletedObject === true,
      prefix: resourcePrefix(definition).slice("/registry/".length, -1),
    }).toEqual({
      singular: kindName.toLowerCase(),
      listKind: `${kindName}List`,
      short: "",
      categories: "",
      cluster: false,
      custom: false,
      verbs: ALL,
      creates: false,
      replaces: false,
      generation: false,
      status: false,
      answersObject: false,
      ...expected,
    });
  });

  it.each(EXPECTED)("%s has one version, whose compiled schema knows kind and metadata", (kind) => {
    const [version, ...others] = definitionOf(kind).versions;
    expect(others).toEqual([]);
    expect(version).toMatchObject({ name: "v1", served: true, storage: true });
    expect([...(version?.node.properties.keys() ?? [])]).toEqual(
      expect.arrayContaining(["apiVersion", "kind", "metadata"]),
    );
  });

  it("deprecate Endpoints and nothing else", () => {
    const deprecated = BUILT_IN_RESOURCES.filter(({ versions }) => versions[0]?.deprecated);
    expect(deprecated.map(({ kind, versions }) => [kind, versions[0]?.deprecationWarning])).toEqual([
      ["Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
    ]);
  });
});

describe("names", () => {
  it.each([
    ["Namespace", "a.b", ["must not contain dots"]],
    ["Service", "a.b", ["must not contain dots"]],
    ["Service", "1a", []],
    ["ConfigMap", "a.b", []],
    ["Event", "Any_Thing", []],
    ["Event", "a/b", ["may not contain '/'"]],
  ])("of a %s: %s", (kind, name, complaints) => {
    expect(nameErrors(definitionOf(kind), name)).toEqual(complaints);
  });

  it("of new events are DNS subdomains", () => {
    expect(nameErrors(definitionOf("events.k8s.io/Event"), "Any_Thing")).toHaveLength(1);
  });
});
