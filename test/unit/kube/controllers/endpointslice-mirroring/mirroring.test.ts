import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { mirrorEndpoints } from "../../../../../src/kube/controllers/endpointslice-mirroring.ts";
import type { ApiWorld } from "../../../../support/api-world.ts";
import {
  ENDPOINTS,
  inA,
  LABELS,
  openWorld,
  SERVICES,
  SLICES,
  service,
  takeCalls,
} from "../endpoints/support.ts";

const open = (): Promise<ApiWorld> => openWorld("endpointslice-mirroring");
const own = (world: ApiWorld): Promise<KubeObject> => service(world, { selector: undefined });

const endpoints = (
  world: ApiWorld,
  subsets: readonly unknown[],
  metadata: KubeObject["metadata"] = {},
): Promise<KubeObject> => world.create(ENDPOINTS, { name: "web", namespace: "a", ...metadata }, { subsets });

async function slices(world: ApiWorld): Promise<readonly KubeObject[]> {
  await world.settled();
  return (await world.client.list(SLICES)).items;
}

const SUBSET = { addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] };

describe("Endpoints that somebody wrote", () => {
  test("become a slice that they own, with their labels and annotations", async () => {
    const world = await open();
    await own(world);
    const targetRef = { kind: "Pod", namespace: "a", name: "p" };
    const { metadata } = await endpoints(
      world,
      [
        {
          addresses: [{ ip: "10.0.0.1", hostname: "one", nodeName: "n", targetRef }],
          notReadyAddresses: [{ ip: "10.0.0.2" }],
          ports: [{ name: "http", port: 80, appProtocol: "http" }],
        },
      ],
      {
        labels: LABELS,
        annotations: {
          note: "x",
          "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
        },
      },
    );
    const [slice, ...more] = await slices(world);
    expect(more).toEqual([]);
    expect(slice).toMatchObject({
      metadata: {
        generateName: "web-",
        labels: {
          app: "web",
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        },
        annotations: { note: "x" },
        ownerReferences: [{ kind: "Endpoints", name: "web", uid: metadata.uid, controller: true }],
      },
      addressType: "IPv4",
      ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }],
      endpoints: [
        { addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "one", nodeName: "n", targetRef },
        { addresses: ["10.0.0.2"], conditions: { ready: false } },
      ],
    });
    expect(Object.keys(slice?.metadata.annotations ?? {})).toEqual(["note"]);
  });

  test("become one slice for each family and set of ports", async () => {
    const world = await open();
    await own(world);
    await endpoints(world, [
      { addresses: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], ports: [{ port: 80 }] },
      { addresses: [{ ip: "10.0.0.2" }], ports: [{ port: 81 }] },
    ]);
    const found = (await slices(world)).map(
      (slice) => `${slice["addressType"]} ${(slice["ports"] as { port: number }[])[0]?.port}`,
    );
    expect(found.sort()).toEqual(["IPv4 80", "IPv4 81", "IPv6 80"]);
  });

  test.each([
    ["there is no Service", async () => undefined, {}],
    ["the Service selects pods", (world: ApiWorld) => service(world), {}],
    ["they ask not to be", own, { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }],
    [
      "they are used for an election",
      own,
      { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } },
    ],
  ])("are not mirrored when %s", async (_what, prepare, metadata) => {
    const world = await open();
    await prepare(world);
    await endpoints(world, [SUBSET], metadata);
    expect(await slices(world)).toEqual([]);
  });

  test("and change, change their slice; when they go or their Service begins to select, it goes", async () => {
    const world = await open();
    await own(world);
    const object = await endpoints(world, [SUBSET]);
    const [before] = await slices(world);
    const changed = { ...SUBSET, addresses: [{ ip: "10.0.0.5" }], ports: [{ port: 81 }] };
    await world.client.update(ENDPOINTS, { ...object, subsets: [changed] });
    const [after, ...more] = await slices(world);
    expect([after?.metadata.uid, more.length]).toEqual([before?.metadata.uid, 0]);
    expect(after).toMatchObject({ endpoints: [{ addresses: ["10.0.0.5"] }], ports: [{ port: 81 }] });
    await world.client.patch(SERVICES, inA("web"), { type: "merge", body: { spec: { selector: LABELS } } });
    expect(await slices(world)).toEqual([]);
    await world.client.patch(SERVICES, inA("web"), { type: "merge", body: { spec: { selector: null } } });
    expect(await slices(world)).toHaveLength(1);
    await world.client.delete(ENDPOINTS, inA("web"));
    expect(await slices(world)).toEqual([]);
  });

  test("are not written again when nothing changes; a slice that somebody changed is mended", async () => {
    const world = await open();
    await own(world);
    await endpoints(world, [SUBSET]);
    const [slice] = await slices(world);
    takeCalls(world);
    await world.stop();
    await world.start();
    await slices(world);
    expect(takeCalls(world)).toEqual([]);
    await world.client.patch(SLICES, inA(slice?.metadata.name ?? ""), {
      type: "merge",
      body: { endpoints: [] },
    });
    expect((await slices(world))[0]).toMatchObject({ endpoints: [{ addresses: ["10.0.0.1"] }] });
  });
});

test("of one subset 1000 addresses are mirrored, and what is no address is counted", () => {
  const ips = Array.from({ length: 1001 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
  const { groups, invalid, skipped } = mirrorEndpoints({
    metadata: {},
    subsets: [{ addresses: [{ ip: "" }, ...ips] }],
  });
  expect([...groups.values()].map((group) => group.endpoints.size)).toEqual([1000]);
  expect([invalid, skipped]).toEqual([1, 2]);
});
