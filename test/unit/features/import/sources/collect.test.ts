// Which state is kept of a source that holds objects in several states, and what it reports about their kinds.
import { describe, expect, test } from "vitest";
import type { KubeObject, ObjectMeta } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { readCluster } from "../../../../../src/features/import/sources/cluster.ts";
import { collect } from "../../../../../src/features/import/sources/collect.ts";
import { kindsInDiscovery } from "../../../../../src/features/import/sources/discovery.ts";
import { KindTable } from "../../../../../src/features/import/sources/kinds.ts";
import type { SourceItem } from "../../../../../src/features/import/sources/source.ts";

const object = (apiVersion: string, kind: string, metadata: ObjectMeta): KubeObject => ({
  ...{ apiVersion, kind, metadata },
});
async function* stream(items: readonly (KubeObject | SourceItem)[]): AsyncGenerator<SourceItem> {
  for (const item of items)
    yield "type" in item ? (item as SourceItem) : { type: "object", object: item as KubeObject, origin: "f" };
}
const kept = async (...items: readonly (KubeObject | SourceItem)[]) =>
  (await collect(stream(items))).objects.map(
    ({ apiVersion, metadata: { name, resourceVersion } }) => `${apiVersion} ${name} ${resourceVersion ?? ""}`,
  );

describe("of an object", () => {
  const pod = (name: string, resourceVersion: string, uid: string) =>
    object("v1", "Pod", { name, namespace: "n", resourceVersion, uid });

  test("the newest state counts, whenever it comes, and whether it was created anew or not", async () => {
    expect(await kept(pod("a", "10", "u"), pod("a", "9", "u"))).toEqual(["v1 a 10"]);
    expect(await kept(pod("a", "9", "old"), pod("a", "10", "new"))).toEqual(["v1 a 10"]);
  });

  test("that two groups serve one is kept, in the version that is stored", async () => {
    const event = (apiVersion: string, version = "5") =>
      object(apiVersion, "Event", { name: "e", namespace: "n", uid: "u", resourceVersion: version });
    expect(await kept(event("v1"), event("events.k8s.io/v1"))).toEqual(["v1 e 5"]);
    expect(await kept(event("events.k8s.io/v1"), event("v1"))).toEqual(["v1 e 5"]);
    expect(await kept(event("v1"), event("events.k8s.io/v1", "6"))).toEqual(["events.k8s.io/v1 e 6"]);
    const ingress = (apiVersion: string) =>
      object(apiVersion, "Ingress", { name: "i", namespace: "n", uid: "u", resourceVersion: "1" });
    expect(await kept(ingress("networking.k8s.io/v1"), ingress("extensions/v1beta1"))).toEqual([
      "networking.k8s.io/v1 i 1",
    ]);
  });

  test("that somebody has copied, uid and all, both are kept", async () => {
    expect(await kept(pod("a", "1", "u"), pod("b", "1", "u"))).toEqual(["v1 a 1", "v1 b 1"]);
  });

  test("the version is one of today, where it has the same members, and nothing is kept of others", async () => {
    const crd = {
      ...object("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", { name: "w.acme.example" }),
      spec: { group: "acme.example", version: "v1", names: { plural: "w", kind: "W" }, scope: "Cluster" },
    };
    const { objects, skipped } = await collect(
      stream([
        object("policy/v1beta1", "PodDisruptionBudget", { name: "a", namespace: "n" }),
        object("resource.k8s.io/v1alpha2", "ResourceClaim", { name: "i", namespace: "n" }),
        object("autoscaling/v1", "HorizontalPodAutoscaler", { name: "h", namespace: "n" }),
        crd,
      ]),
    );
    expect(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      "policy/v1 PodDisruptionBudget",
      "autoscaling/v1 HorizontalPodAutoscaler",
      "apiextensions.k8s.io/v1 CustomResourceDefinition",
    ]);
    expect(objects[2]?.["spec"]).toMatchObject({ versions: [{ name: "v1", served: true, storage: true }] });
    expect(skipped.reasons).toMatchObject([
      { reason: "is a ResourceClaim of resource.k8s.io/v1alpha2, a version that is no more" },
    ]);
  });

  test("Ingresses and EndpointSlices are as a server has converted them", async () => {
    const backend = { serviceName: "web", servicePort: 80 };
    const named = { serviceName: "web", servicePort: "http" };
    const slice = object("discovery.k8s.io/v1beta1", "EndpointSlice", { name: "s", namespace: "n" });
    const endpoints = [
      {
        addresses: ["10.0.0.1"],
        nodeName: "a",
        topology: { "kubernetes.io/hostname": "a", "topology.kubernetes.io/zone": "z" },
      },
      { addresses: ["10.0.0.2"], topology: { "kubernetes.io/hostname": "b", own: "x" } },
      { addresses: ["10.0.0.3"] },
    ];
    const { objects, skipped } = await collect(
      stream([
        {
          ...object("extensions/v1beta1", "Ingress", { name: "i", namespace: "n" }),
          spec: {
            backend,
            rules: [{ host: "h", http: { paths: [{ path: "/", backend: named }] } }, { host: "k" }],
          },
        },
        {
          ...object("networking.k8s.io/v1beta1", "Ingress", { name: "j", namespace: "n" }),
          spec: {
            ingressClassName: "c",
            rules: [{ http: { paths: [{ pathType: "Exact", path: "/", backend }] } }],
          },
        },
        { ...slice, addressType: "IPv4", endpoints },
      ]),
    );
    expect(skipped.reasons).toEqual([]);
    const service = { name: "web", port: { number: 80 } };
    expect(objects.map(({ metadata: _metadata, ...rest }) => rest)).toEqual([
      {
        ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
        spec: {
          defaultBackend: { service },
          rules: [
            {
              host: "h",
              http: {
                paths: [
                  {
                    ...{ path: "/", pathType: "ImplementationSpecific" },
                    backend: { service: { name: "web", port: { name: "http" } } },
                  },
                ],
              },
            },
            { host: "k" },
          ],
        },
      },
      {
        ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
        spec: {
          ingressClassName: "c",
          rules: [{ http: { paths: [{ path: "/", pathType: "Exact", backend: { service } }] } }],
        },
      },
      {
        ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
        endpoints: [
          { addresses: ["10.0.0.1"], nodeName: "a", zone: "z" },
          { addresses: ["10.0.0.2"], deprecatedTopology: { "kubernetes.io/hostname": "b", own: "x" } },
          { addresses: ["10.0.0.3"] },
        ],
      },
    ]);
  });

  test("nothing is kept where servers compute it", async () => {
    const { objects, skipped } = await collect(
      stream([
        object("v1", "ComponentStatus", { name: "etcd-0" }),
        object("metrics.k8s.io/v1beta1", "NodeMetrics", { name: "a" }),
        object("metrics.k8s.io/v1beta1", "NodeMetrics", { name: "b" }),
      ]),
    );
    expect(objects).toEqual([]);
    expect(skipped.reasons.map(({ reason, count }) => `${count} ${reason}`)).toEqual([
      "2 is a NodeMetrics, which servers compute and do not keep",
      "1 is a ComponentStatus, which servers compute and do not keep",
    ]);
    expect(skipped.count).toBe(3);
  });
});

describe("a definition of a kind that no server knows", () => {
  const widget = object("acme.example/v1beta1", "Widget", { name: "w", namespace: "n" });
  const DISCOVERED = {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: { name: "acme.example" },
        versions: [
          {
            version: "v1beta1",
            resources: [
              {
                ...{ resource: "widgetry", responseKind: { kind: "Widget" }, scope: "Namespaced" },
                ...{ singularResource: "widget", shortNames: ["wd"], verbs: ["list"] },
                subresources: [{ subresource: "status" }],
              },
            ],
          },
        ],
      },
    ],
  };

  test("is derived from its objects", () => {
    const table = new KindTable();
    table.see({ object: widget });
    table.see({ object: { ...widget, apiVersion: "acme.example/v1" } });
    expect(table.definitionFor("acme.example/v1", "Widget")).toMatchObject({
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.acme.example" },
      spec: {
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [
          {
            name: "v1",
            storage: true,
            schema: { openAPIV3Schema: { "x-kubernetes-preserve-unknown-fields": true } },
          },
          { name: "v1beta1", storage: false },
        ],
      },
    });
  });

  test.each([
    ["the path at which they lay", "widgetses", undefined],
    ["discovery", "widgetry", DISCOVERED],
  ])("or better from %s", (_witness, plural, answer) => {
    const table = new KindTable();
    table.see({ object: widget });
    table.see({ object: widget, place: { group: "acme.example", resource: "widgetses", namespaced: true } });
    table.see({ object: widget });
    table.add(kindsInDiscovery(answer) ?? []);
    expect(table.definitionFor("acme.example/v1beta1", "Widget")?.metadata.name).toBe(
      `${plural}.acme.example`,
    );
  });

  test("is approved where it has to be, and cannot be where a group is no domain", () => {
    const table = new KindTable();
    table.see({ object: object("x.k8s.io/v1", "Gate", { name: "g" }) });
    table.see({ object: object("widgets/v1", "Gate", { name: "g" }) });
    expect(table.definitionFor("x.k8s.io/v1", "Gate")).toMatchObject({
      metadata: { annotations: { "api-approved.kubernetes.io": expect.stringMatching(/^unapproved/) } },
      spec: { scope: "Cluster" },
    });
    expect(table.definitionFor("widgets/v1", "Gate")).toBeUndefined();
    expect(table.definitionFor("x.k8s.io/v1", "Door")).toBeUndefined();
  });

  test("is not needed where the source has it: it says all that is known", () => {
    const table = new KindTable();
    table.see({
      object: {
        ...object("apiextensions.k8s.io/v1", "CustomResourceDefinition", { name: "w.acme.example" }),
        spec: {
          ...{ group: "acme.example", scope: "Cluster", names: { plural: "w", kind: "Widget" } },
          versions: [{ name: "v1" }],
        },
      },
    });
    table.add(kindsInDiscovery(DISCOVERED) ?? []);
    expect(table.of("acme.example/v1", "Widget")).toMatchObject({ resource: "w", namespaced: false });
  });
});

describe("a cluster by its API", () => {
  const RESOURCES = [
    { name: "pods", kind: "Pod", namespaced: true, verbs: ["list"] },
    { name: "pods/status", kind: "Pod", namespaced: true, verbs: ["get"] },
    { name: "bindings", kind: "Binding", namespaced: true, verbs: ["create"] },
    { name: "nodes", kind: "Node", namespaced: false, verbs: ["list"] },
  ];
  const ANSWERS: Readonly<Record<string, object>> = {
    "/api": { versions: ["v1"] },
    "/apis": {
      groups: [{ versions: [{ groupVersion: "acme.example/v1" }, { groupVersion: "events.k8s.io/v1" }] }],
    },
    "/api/v1": { kind: "APIResourceList", groupVersion: "v1", resources: RESOURCES },
    "/apis/events.k8s.io/v1": {
      groupVersion: "events.k8s.io/v1",
      resources: [{ name: "events", kind: "Event", verbs: ["list"] }],
    },
    "/version": { gitVersion: "v1.30.2" },
    "/api/v1/pods?limit=500": {
      metadata: { resourceVersion: "77" },
      items: [{ metadata: { name: "p", namespace: "n" } }],
    },
    "/api/v1/nodes?limit=500": { metadata: { resourceVersion: "79" }, items: [{ metadata: { name: "n" } }] },
  };

  test("is read once for each kind, at the revision of the first list, as long as the server has it", async () => {
    const asked: string[] = [];
    const items = readCluster(async (path) => {
      asked.push(path);
      const answer = ANSWERS[path];
      return { status: answer === undefined ? 404 : 200, text: JSON.stringify(answer ?? {}) };
    });
    const found = await collect(items);
    const exactly = "/api/v1/nodes?limit=500&resourceVersion=77&resourceVersionMatch=Exact";
    expect(asked.filter((path) => path.includes("?"))).toEqual(["/api/v1/pods?limit=500", exactly]);
    expect(found.objects.map(({ kind }) => kind)).toEqual(["Pod"]);
    expect(found.notes).toEqual({ kubernetesVersion: "v1.30.2" });
    expect(found.skipped.reasons).toMatchObject([{ reason: "cannot be discovered", count: 1 }]);
    expect(found.kinds.of("v1", "Node")).toMatchObject({ resource: "nodes", namespaced: false });
  });

  test("and as it is where the server has forgotten that revision", async () => {
    const { objects } = await collect(
      readCluster(async (path) => {
        if (path.includes("Exact")) return { status: 410, text: "{}" };
        const answer = ANSWERS[path];
        return { status: answer === undefined ? 404 : 200, text: JSON.stringify(answer ?? {}) };
      }),
    );
    expect(objects.map(({ kind }) => kind)).toEqual(["Pod", "Node"]);
  });

  test("is refused where it is none", async () => {
    await expect(collect(readCluster(async () => ({ status: 404, text: "" })))).rejects.toThrow(
      "names no kinds",
    );
  });
});
