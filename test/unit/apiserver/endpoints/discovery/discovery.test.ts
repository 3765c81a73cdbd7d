import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { encodeJson } from "../../../../../src/apimachinery/json/json-encode.ts";
import { createDiscovery, versionInfo } from "../../../../../src/apiserver/endpoints/discovery/discovery.ts";
import {
  compareVersions,
  groupIndexOf,
} from "../../../../../src/apiserver/endpoints/discovery/group-index.ts";
import { builtIn, custom, fromFacts, version } from "./definitions.ts";

const CORE = "io.k8s.api.core.v1";
const OBJECT_VERBS = ["get", "patch", "update"];
const BUILT_IN_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CUSTOM_VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

const namespaces = builtIn("", "namespaces", "Namespace", CORE, {
  namespaceScoped: false,
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  status: true,
  subresources: [{ name: "finalize", verbs: ["update"] }],
});
const services = builtIn("", "services", "Service", CORE, {
  shortNames: ["svc"],
  categories: ["all"],
  status: true,
});
const pods = builtIn("", "pods", "Pod", CORE, {
  subresources: [
    { name: "eviction", verbs: ["create"], kind: "Eviction", group: "policy", version: "v1" },
    { name: "binding", verbs: ["create"], kind: "Binding" },
  ],
});
const events = builtIn("events.k8s.io", "events", "Event", "io.k8s.api.events.v1");
const crds = builtIn("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", "x");
const webhooks = builtIn("admissionregistration.k8s.io", "webhooks", "Webhook", "x");
const reviews = builtIn("authentication.k8s.io", "tokenreviews", "TokenReview", "x", { verbs: ["create"] });
const egressIps = fromFacts("egressips.k8s.ovn.org");
const egressFirewalls = fromFacts("egressfirewalls.k8s.ovn.org");
const networkQoses = fromFacts("networkqoses.k8s.ovn.org");
const things = custom("example.com", "things", "Thing", {
  namespaceScoped: true,
  shortNames: ["th", "thi"],
  categories: ["all", "example"],
  versions: [
    version(
      "v1",
      { type: "object" },
      { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
    ),
  ],
});

const all = [
  networkQoses,
  services,
  egressIps,
  namespaces,
  pods,
  events,
  egressFirewalls,
  crds,
  things,
  webhooks,
  reviews,
];
const discovery = createDiscovery();
const named = (group: string, versionName: string, name: string) =>
  discovery.resources(all, group, versionName)?.resources.filter((item) => item.name === name);

describe("legacy discovery", () => {
  test("/api lists the core versions and never says its apiVersion", () => {
    expect(discovery.versions(all, "10.0.0.1:6443")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "10.0.0.1:6443" }],
    });
  });

  test("/apis puts built-in groups first by their rank, then custom ones by the name of their first version", () => {
    const list = discovery.groups([
      ...all,
      custom("a.example", "as", "A", { versions: [version("v2", {})] }),
    ]);
    expect(list.kind).toBe("APIGroupList");
    expect(list.apiVersion).toBe("v1");
    expect(list.groups.map((group) => group.name)).toEqual([
      "events.k8s.io",
      "authentication.k8s.io",
      "admissionregistration.k8s.io",
      "apiextensions.k8s.io",
      "example.com",
      "k8s.ovn.org",
      "a.example",
    ]);
  });

  test("a group lists its versions in the order of preference", () => {
    expect(discovery.group(all, "k8s.ovn.org")).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "k8s.ovn.org",
      versions: [
        { groupVersion: "k8s.ovn.org/v1", version: "v1" },
        { groupVersion: "k8s.ovn.org/v1alpha1", version: "v1alpha1" },
      ],
      preferredVersion: { groupVersion: "k8s.ovn.org/v1", version: "v1" },
    });
  });

  test.each(["nosuch", ""])("there is no group %j", (group) => {
    expect(discovery.group(all, group)).toBeUndefined();
  });

  test("/api/v1 has no apiVersion; resources are in the order of their names, each before its subresources", () => {
    const list = discovery.resources(all, "", "v1");
    expect(list).toMatchObject({ kind: "APIResourceList", groupVersion: "v1" });
    expect(list).not.toHaveProperty("apiVersion");
    expect(list?.resources.map((item) => item.name)).toEqual([
      "namespaces",
      "namespaces/finalize",
      "namespaces/status",
      "pods",
      "pods/binding",
      "pods/eviction",
      "services",
      "services/status",
    ]);
  });

  test.each([
    {
      name: "namespaces",
      entry: {
        name: "namespaces",
        singularName: "namespace",
        namespaced: false,
        kind: "Namespace",
        verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
        shortNames: ["ns"],
        storageVersionHash: "Q3oi5N2YM8M=",
      },
    },
    {
      name: "namespaces/finalize",
      entry: {
        name: "namespaces/finalize",
        singularName: "",
        namespaced: false,
        kind: "Namespace",
        verbs: ["update"],
      },
    },
    {
      name: "services",
      entry: {
        name: "services",
        singularName: "service",
        namespaced: true,
        kind: "Service",
        verbs: BUILT_IN_VERBS,
        shortNames: ["svc"],
        categories: ["all"],
        storageVersionHash: "0/CO1lhkEBI=",
      },
    },
    {
      name: "pods/eviction",
      entry: {
        name: "pods/eviction",
        singularName: "",
        namespaced: true,
        group: "policy",
        version: "v1",
        kind: "Eviction",
        verbs: ["create"],
      },
    },
  ])("a built-in resource has sorted verbs: $name", ({ name, entry }) => {
    expect(named("", "v1", name)).toEqual([entry]);
  });

  test("events of events.k8s.io have the hash of the core kind as which they are stored", () => {
    expect(named("events.k8s.io", "v1", "events")?.[0]?.storageVersionHash).toBe("r2yiGXH7wu8=");
  });

  test("definitions have the hash of the older version in which they are still stored", () => {
    const crds = named("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    expect(crds?.[0]?.storageVersionHash).toBe("jfWCUB31mvA=");
  });

  test("a kind that is not stored has no hash", () => {
    expect(named("authentication.k8s.io", "v1", "tokenreviews")?.[0]).not.toHaveProperty(
      "storageVersionHash",
    );
  });

  test("a custom resource has the verbs in their own order and status only when the CRD has it", () => {
    expect(discovery.resources(all, "k8s.ovn.org", "v1")).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "k8s.ovn.org/v1",
      resources: [
        {
          name: "egressfirewalls",
          singularName: "egressfirewall",
          namespaced: true,
          kind: "EgressFirewall",
          verbs: CUSTOM_VERBS,
          storageVersionHash: "AElnPxlhG7g=",
        },
        {
          name: "egressfirewalls/status",
          singularName: "",
          namespaced: true,
          kind: "EgressFirewall",
          verbs: OBJECT_VERBS,
        },
        {
          name: "egressips",
          singularName: "egressip",
          namespaced: false,
          kind: "EgressIP",
          verbs: CUSTOM_VERBS,
          shortNames: ["eip"],
          storageVersionHash: "3ItexM2Q0e8=",
        },
      ],
    });
  });

  test("status comes before scale, which names its own group and version", () => {
    const resources = discovery.resources(all, "example.com", "v1")?.resources;
    expect(resources?.map((item) => item.name)).toEqual(["things", "things/status", "things/scale"]);
    expect(resources?.[2]).toEqual({
      name: "things/scale",
      singularName: "",
      namespaced: true,
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: OBJECT_VERBS,
    });
  });

  test("versions that are not served are nowhere", () => {
    const hidden = custom("example.com", "things", "Thing", {
      versions: [version("v1", {}, { storage: false }), version("v2", {}, { served: false })],
    });
    expect(discovery.resources([hidden], "example.com", "v2")).toBeUndefined();
    expect(discovery.group([hidden], "example.com")?.versions).toHaveLength(1);
    expect(discovery.resources([hidden], "example.com", "v1")?.resources[0]).not.toHaveProperty(
      "storageVersionHash",
    );
  });
});

describe("aggregated discovery", () => {
  test("the core group has no name, and its kinds leave group and version empty", async () => {
    const body = (await discovery.aggregatedCore(all)).body();
    expect(body).toMatchObject({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      metadata: {},
      items: [{ metadata: {}, versions: [{ version: "v1", freshness: "Current" }] }],
    });
    expect(body.items[0]?.versions[0]?.resources[0]).toEqual({
      resource: "namespaces",
      responseKind: { group: "", version: "", kind: "Namespace" },
      scope: "Cluster",
      singularResource: "namespace",
      verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
      shortNames: ["ns"],
      subresources: [
        {
          subresource: "finalize",
          responseKind: { group: "", version: "", kind: "Namespace" },
          verbs: ["update"],
        },
        {
          subresource: "status",
          responseKind: { group: "", version: "", kind: "Namespace" },
          verbs: OBJECT_VERBS,
        },
      ],
    });
    const eviction = body.items[0]?.versions[0]?.resources[1]?.subresources?.[1];
    expect(eviction?.responseKind).toEqual({ group: "policy", version: "v1", kind: "Eviction" });
  });

  test("custom kinds name their group and version", async () => {
    const body = (await discovery.aggregatedGroups(all)).body();
    const group = body.items.find((item) => item.metadata.name === "example.com");
    expect(group?.versions[0]?.resources).toEqual([
      {
        resource: "things",
        responseKind: { group: "example.com", version: "v1", kind: "Thing" },
        scope: "Namespaced",
        singularResource: "thing",
        verbs: CUSTOM_VERBS,
        shortNames: ["th", "thi"],
        categories: ["all", "example"],
        subresources: [
          {
            subresource: "status",
            responseKind: { group: "example.com", version: "v1", kind: "Thing" },
            verbs: OBJECT_VERBS,
          },
          {
            subresource: "scale",
            responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
            verbs: OBJECT_VERBS,
          },
        ],
      },
    ]);
  });

  test("the ETag is a quoted hash that changes with the content only", async () => {
    const { etag } = await discovery.aggregatedGroups(all);
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect((await discovery.aggregatedGroups([...all])).etag).toBe(etag);
    expect((await discovery.aggregatedGroups(all.slice(1))).etag).not.toBe(etag);
  });

  test("the line that is sent is the document with its keys sorted, and the ETag its hash", async () => {
    for (const made of [discovery.aggregatedCore(all), discovery.aggregatedGroups(all)]) {
      const { line, body, etag } = await made;
      const text = encodeJson(body());
      expect(line.toString()).toBe(`${text}\n`);
      expect(etag).toBe(`"${createHash("sha512").update(text).digest("hex").toUpperCase()}"`);
    }
  });

  test("a changed definition leaves the entries of other groups as they are", () => {
    const [changed] = all.filter(({ group }) => group === "example.com");
    const changes = all.map((item) => (item === changed ? { ...item, shortNames: ["other"] } : item));
    const [before, after] = [groupIndexOf(all), groupIndexOf(changes)];
    expect([...after.groups.keys()]).toEqual([...before.groups.keys()]);
    for (const [name, entry] of after.groups) {
      if (name === "example.com")
        expect(entry.versions[0]?.views[0]?.definition.shortNames).toEqual(["other"]);
      else expect(entry).toBe(before.groups.get(name));
    }
  });

  test("answers are made once per list of definitions", () => {
    expect(discovery.aggregatedGroups(all)).toBe(discovery.aggregatedGroups(all));
    expect(discovery.groups(all)).toBe(discovery.groups(all));
    expect(discovery.resources(all, "k8s.ovn.org", "v1")).toBe(discovery.resources(all, "k8s.ovn.org", "v1"));
  });
});

test("versions are ordered by stability, then number; other names come last", () => {
  const names = [
    "v1beta1",
    "foo10",
    "v2alpha1",
    "v10",
    "v1",
    "foo1",
    "v2",
    "v11beta2",
    "v1alpha1",
    "v3beta1",
  ];
  expect(names.sort(compareVersions)).toEqual([
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v3beta1",
    "v1beta1",
    "v2alpha1",
    "v1alpha1",
    "foo1",
    "foo10",
  ]);
});

test("/version has the numbers of the Kubernetes version that is followed", () => {
  const info = versionInfo({
    egretVersion: "0.1.0",
    buildDate: "2026-01-01T00:00:00Z",
    platform: "linux/amd64",
  });
  expect(info).toMatchObject({
    major: "1",
    minor: "36",
    emulationMajor: "1",
    emulationMinor: "36",
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "35",
    gitVersion: "v1.36.3",
    compiler: "gc",
  });
  expect(info).not.toHaveProperty("kind");
});
