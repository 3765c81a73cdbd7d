import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { internalServerError } from "../../../../../src/apimachinery/meta/status.ts";
import { type ApiWorld, EVENTS, NAMESPACES } from "../../../../support/api-world.ts";
import {
  inA,
  node,
  openWorld,
  PODS,
  pod,
  SERVICES,
  SLICES,
  service,
  setStatus,
  takeCalls,
} from "../endpoints/support.ts";

async function open(): Promise<ApiWorld> {
  const world = await openWorld("endpointslice");
  await node(world);
  return world;
}

async function slices(world: ApiWorld, name = "web"): Promise<readonly KubeObject[]> {
  await world.settled();
  const labelSelector = `kubernetes.io/service-name=${name}`;
  return (await world.client.list(SLICES, { namespace: "a", labelSelector })).items;
}

interface Shown {
  readonly addresses: string[];
  readonly conditions: Record<string, boolean>;
}

const endpointsOf = (slice: KubeObject | undefined): Shown[] => (slice?.["endpoints"] ?? []) as Shown[];

/** "type addresses: ports" of each slice. */
const shown = (items: readonly KubeObject[]): string[] =>
  items
    .map((slice) => {
      const ports = (slice["ports"] ?? []) as { name?: string; port?: number }[];
      const named = ports.map(({ name, port }) => (name ? `${name}=${port}` : String(port))).join(" ");
      const addresses = endpointsOf(slice).flatMap((endpoint) => endpoint.addresses);
      return `${slice["addressType"]} ${addresses.join(" ")}: ${named}`;
    })
    .sort();

/** The conditions of the only endpoint, those that hold. */
async function conditions(world: ApiWorld, name = "web"): Promise<string[]> {
  const [slice] = await slices(world, name);
  const [endpoint] = endpointsOf(slice);
  return Object.entries(endpoint?.conditions ?? {}).flatMap(([key, holds]) => (holds ? [key] : []));
}

describe("an EndpointSlice", () => {
  test("is named after its Service, owned by it, labelled as it is, and holds its pods", async () => {
    const world = await open();
    await node(world, "z", { "topology.kubernetes.io/zone": "east" });
    const { metadata } = await service(world, {}, { labels: { tier: "front" } });
    const { metadata: podMetadata } = await pod(world, "p", { node: "z" });
    const [slice, ...more] = await slices(world);
    expect(more).toEqual([]);
    expect(slice?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(slice?.metadata).toMatchObject({
      generateName: "web-",
      labels: {
        tier: "front",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      },
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Service",
          name: "web",
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(slice).toMatchObject({
      addressType: "IPv4",
      ports: [{ name: "", port: 8080, protocol: "TCP" }],
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "z",
          zone: "east",
          targetRef: { kind: "Pod", namespace: "a", name: "p", uid: podMetadata.uid },
        },
      ],
    });
  });

  test("without endpoints stands for a Service that has none, and is filled when it has", async () => {
    const world = await open();
    await service(world);
    const [empty] = await slices(world);
    expect([empty?.["endpoints"], empty?.["ports"]]).toEqual([null, null]);
    expect(empty?.metadata.annotations).toEqual({
      "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
    });
    await pod(world, "p");
    const [filled, ...more] = await slices(world);
    expect([filled?.metadata.uid, more.length]).toEqual([empty?.metadata.uid, 0]);
    expect(shown(await slices(world))).toEqual(["IPv4 10.0.0.1: 8080"]);
    await setStatus(world, "p", { phase: "Succeeded" });
    expect(shown(await slices(world))).toEqual(["IPv4 : "]);
    expect((await slices(world))[0]?.metadata.uid).toBe(empty?.metadata.uid);
  });

  test("says of each endpoint whether it is ready, serves and terminates", async () => {
    const world = await open();
    await service(world);
    await service(world, { publishNotReadyAddresses: true, clusterIP: "10.96.0.11" }, { name: "all" });
    await pod(world, "p", { ready: false, metadata: { labels: { app: "web" }, finalizers: ["x.io/hold"] } });
    expect(await conditions(world)).toEqual([]);
    expect(await conditions(world, "all")).toEqual(["ready"]);
    await setStatus(world, "p", {});
    expect(await conditions(world)).toEqual(["ready", "serving"]);
    await world.client.delete(PODS, inA("p"));
    expect(await conditions(world)).toEqual(["serving", "terminating"]);
    expect(await conditions(world, "all")).toEqual(["ready", "serving", "terminating"]);
    await setStatus(world, "p", { phase: "Failed" });
    expect(shown(await slices(world))).toEqual(["IPv4 : "]);
  });

  test("is there once for each family of the Service", async () => {
    const world = await open();
    const families = { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack", clusterIP: "None" };
    await service(world, families);
    await pod(world, "p", { ips: ["10.0.0.1", "fd00::1"] });
    await pod(world, "q", { ips: ["10.0.0.2"] });
    expect(shown(await slices(world))).toEqual(["IPv4 10.0.0.1 10.0.0.2: 8080", "IPv6 fd00::1: 8080"]);
    for (const slice of await slices(world)) {
      expect(slice.metadata.labels).toMatchObject({ "service.kubernetes.io/headless": "" });
    }
  });

  test("is there once for each set of ports; ports carry their names and protocols of the application", async () => {
    const world = await open();
    const ports = [{ name: "m", port: 90, targetPort: "metrics", appProtocol: "http" }];
    await service(world, { ports });
    await pod(world, "p", { ports: [{ name: "metrics", containerPort: 9100 }] });
    await pod(world, "q", { ips: ["10.0.0.2"], ports: [{ name: "metrics", containerPort: 9200 }] });
    await pod(world, "r", { ips: ["10.0.0.3"] });
    expect(shown(await slices(world))).toEqual([
      "IPv4 10.0.0.1: m=9100",
      "IPv4 10.0.0.2: m=9200",
      "IPv4 10.0.0.3: ",
    ]);
    expect((await slices(world)).map((slice) => slice["ports"])).toContainEqual([
      { name: "m", port: 9100, protocol: "TCP", appProtocol: "http" },
    ]);
  });

  test("gives a pod its name in the domain of the Service", async () => {
    const world = await open();
    await service(world, { clusterIP: "None" });
    await pod(world, "p", { spec: { hostname: "one", subdomain: "web" } });
    const [slice] = await slices(world);
    expect(slice?.["endpoints"]).toMatchObject([{ hostname: "one" }]);
  });

  test("holds 100 endpoints at most; what is in a slice stays there", async () => {
    const world = await open();
    await world.stop();
    await service(world);
    for (let index = 0; index < 210; index++) await pod(world, `p${index}`, { ips: [`10.0.1.${index}`] });
    await world.start();
    const sizes = async (): Promise<number[]> =>
      (await slices(world)).map((slice) => endpointsOf(slice).length).sort((a, b) => a - b);
    expect(await sizes()).toEqual([10, 100, 100]);
    const before = await slices(world);
    await pod(world, "new", { ips: ["10.0.2.1"] });
    expect(await sizes()).toEqual([11, 100, 100]);
    const unchanged = (await slices(world)).filter(({ metadata: { resourceVersion } }) =>
      before.some(({ metadata }) => metadata.resourceVersion === resourceVersion),
    );
    expect(unchanged).toHaveLength(2);
  });
});

describe("EndpointSlices", () => {
  test("are not made for a Service without a selector; those of others are left alone", async () => {
    const world = await open();
    await service(world, { selector: undefined });
    const labels = { "kubernetes.io/service-name": "web" };
    await world.create(
      SLICES,
      { name: "own", namespace: "a", labels },
      { addressType: "IPv4", endpoints: [] },
    );
    await world.settled();
    expect(await world.names(SLICES)).toEqual(["own"]);
    await world.change(SERVICES, inA("web"), { labels: { x: "y" } });
    await service(world, { clusterIP: "10.96.0.11" }, { name: "second" });
    await world.settled();
    expect((await slices(world)).map(({ metadata }) => metadata.name)).toEqual(["own"]);
  });

  test("are not written when nothing changes", async () => {
    const world = await open();
    await service(world);
    await service(world, { clusterIP: "10.96.0.11", selector: { app: "none" } }, { name: "empty" });
    await pod(world, "p");
    await world.settled();
    const { revision } = world.store;
    takeCalls(world);
    await world.stop();
    await world.start();
    await world.settled();
    expect([takeCalls(world), world.store.revision]).toEqual([[], revision]);
    await world.change(PODS, inA("p"), { annotations: { note: "x" } });
    await world.settled();
    expect(takeCalls(world)).toEqual([]);
  });

  test("are brought back when somebody changes, claims or deletes them", async () => {
    const world = await open();
    await service(world);
    await pod(world, "p");
    const [slice] = await slices(world);
    const key = inA(slice?.metadata.name ?? "");
    await world.client.patch(SLICES, key, { type: "merge", body: { endpoints: [] } });
    expect(shown(await slices(world))).toEqual(["IPv4 10.0.0.1: 8080"]);
    await world.client.delete(SLICES, key);
    expect(shown(await slices(world))).toEqual(["IPv4 10.0.0.1: 8080"]);
    const [again] = await slices(world);
    const labels = { "endpointslice.kubernetes.io/managed-by": "example.com" };
    await world.change(SLICES, inA(again?.metadata.name ?? ""), { labels });
    expect(shown(await slices(world))).toEqual(["IPv4 10.0.0.1: 8080", "IPv4 10.0.0.1: 8080"]);
  });

  test("follow the labels of the Service", async () => {
    const world = await open();
    await service(world, {}, { labels: { tier: "front" } });
    await pod(world, "p");
    await world.settled();
    await world.change(SERVICES, inA("web"), { labels: { tier: null, rank: "1" } });
    const [slice] = await slices(world);
    expect(slice?.metadata.labels).toMatchObject({ rank: "1" });
    expect(slice?.metadata.labels).not.toHaveProperty("tier");
  });

  test("of a Service that was there before are not those of a new one with its name", async () => {
    const world = await open();
    await service(world);
    await pod(world, "p");
    const [old] = await slices(world);
    await world.client.delete(SERVICES, inA("web"));
    await service(world);
    const [next, ...more] = await slices(world);
    expect(more).toEqual([]);
    expect(next?.metadata.uid).not.toBe(old?.metadata.uid);
  });

  test("wait for the node of a pod, which an event tells, unless all pods are to be called ready", async () => {
    const world = await open();
    await service(world);
    await service(world, { publishNotReadyAddresses: true, clusterIP: "10.96.0.11" }, { name: "all" });
    await pod(world, "p", { node: "late" });
    expect(shown(await slices(world))).toEqual(["IPv4 : "]);
    expect(shown(await slices(world, "all"))).toEqual(["IPv4 10.0.0.1: 8080"]);
    const { items } = await world.client.list(EVENTS, { namespace: "a" });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      reason: "FailedToUpdateEndpointSlices",
      message:
        "Error updating Endpoint Slices for Service a/web: skipping Pod p for Service a/web: Node late Not Found",
    });
    await node(world, "late");
    expect(shown(await slices(world))).toEqual(["IPv4 10.0.0.1: 8080"]);
    await world.change(
      { group: "", version: "v1", resource: "nodes" },
      { namespace: "", name: "late" },
      {
        labels: { "topology.kubernetes.io/zone": "west" },
      },
    );
    expect((await slices(world))[0]?.["endpoints"]).toMatchObject([{ zone: "west" }]);
  });

  test("are not made in a namespace that is going away", async () => {
    const world = await open();
    await world.change(NAMESPACES, { namespace: "", name: "a" }, { finalizers: ["example.com/hold"] });
    await world.stop();
    await service(world);
    await world.client.delete(NAMESPACES, { namespace: "", name: "a" });
    await world.start();
    expect(await slices(world)).toEqual([]);
    expect(world.log.lines).toEqual([]);
  });

  test("are tried again when a write fails, and keep the time since when it was due", async () => {
    const world = await open();
    await service(world);
    await world.settled();
    let failing = true;
    world.trouble = ({ verb }) => (verb === "update" && failing ? internalServerError("no") : undefined);
    await pod(world, "p", { readySince: "2026-01-01T00:00:07Z" });
    expect(shown(await slices(world))).toEqual(["IPv4 : "]);
    failing = false;
    world.clock.advance(4_000); // the pod and its status may have failed one by one: the second pause is longer
    const [slice] = await slices(world);
    expect(slice?.metadata.annotations).toEqual({
      "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:07Z",
    });
  });
});
