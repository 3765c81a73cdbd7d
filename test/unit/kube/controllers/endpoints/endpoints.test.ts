import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { internalServerError } from "../../../../../src/apimachinery/meta/status.ts";
import { endpoints as definition } from "../../../../../src/kube/controllers/endpoints/controller.ts";
import { type ApiWorld, EVENTS } from "../../../../support/api-world.ts";
import { FakeClient } from "../../../../support/fake-client.ts";
import { keptLog, ManualClock } from "../support.ts";
import {
  ENDPOINTS,
  inA,
  LABELS,
  openWorld,
  PODS,
  pod,
  SERVICES,
  service,
  setStatus,
  takeCalls,
} from "./support.ts";

const open = (): Promise<ApiWorld> => openWorld("endpoints");

async function endpoints(world: ApiWorld, name = "web"): Promise<KubeObject> {
  await world.settled();
  return world.client.get(ENDPOINTS, inA(name));
}

interface Shown {
  readonly addresses?: { readonly ip: string }[];
  readonly notReadyAddresses?: { readonly ip: string }[];
  readonly ports?: { readonly name?: string; readonly port: number }[];
}

/** Subsets as "ready | not ready: ports". */
const shown = (object: KubeObject): string[] =>
  ((object["subsets"] ?? []) as Shown[]).map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const ips = (list: readonly { ip: string }[]): string => list.map(({ ip }) => ip).join(" ");
    const named = ports.map(({ name, port }) => (name ? `${name}=${port}` : String(port))).join(" ");
    return `${ips(addresses)} | ${ips(notReadyAddresses)}: ${named}`;
  });

describe("the Endpoints of a Service", () => {
  test("hold the addresses of the pods that it selects, with the pod and the node of each", async () => {
    const world = await open();
    const created = await service(world, {}, { labels: { tier: "front" } });
    const { metadata } = await pod(world, "p");
    await pod(world, "other", { ips: ["10.0.0.9"], metadata: { labels: { app: "other" } } });
    const object = await endpoints(world);
    const { labels, annotations } = object.metadata;
    expect(labels).toEqual({ tier: "front", "endpoints.kubernetes.io/managed-by": "endpoint-controller" });
    expect(Object.keys(annotations ?? {})).toEqual(["endpoints.kubernetes.io/last-change-trigger-time"]);
    expect(created.metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z");
    const targetRef = { kind: "Pod", namespace: "a", name: "p", uid: metadata.uid };
    expect(object["subsets"]).toEqual([
      { addresses: [{ ip: "10.0.0.1", nodeName: "n", targetRef }], ports: [{ port: 8080, protocol: "TCP" }] },
    ]);
  });

  test("tell ready addresses from others, unless the Service calls all of them ready", async () => {
    const world = await open();
    await service(world);
    await service(world, { publishNotReadyAddresses: true, clusterIP: "10.96.0.11" }, { name: "all" });
    await pod(world, "p");
    await pod(world, "q", { ips: ["10.0.0.2"], ready: false });
    expect(shown(await endpoints(world))).toEqual(["10.0.0.1 | 10.0.0.2: 8080"]);
    expect(shown(await endpoints(world, "all"))).toEqual(["10.0.0.1 10.0.0.2 | : 8080"]);
    await setStatus(world, "q", { ips: ["10.0.0.2"] });
    expect(shown(await endpoints(world))).toEqual(["10.0.0.1 10.0.0.2 | : 8080"]);
  });

  test.each([
    ["have no address", { ips: [] }],
    ["have run to their end", { phase: "Succeeded" }],
    ["have failed", { phase: "Failed" }],
    ["have no address of the family of the Service", { ips: ["fd00::1"] }],
  ])("leave out pods that %s", async (_what, options) => {
    const world = await open();
    await service(world);
    await pod(world, "p", options);
    expect(shown(await endpoints(world))).toEqual([]);
  });

  test("leave out pods that terminate, unless all are to be called ready", async () => {
    const world = await open();
    await service(world);
    await service(world, { publishNotReadyAddresses: true, clusterIP: "10.96.0.11" }, { name: "all" });
    await pod(world, "p", { metadata: { finalizers: ["example.com/hold"], labels: { app: "web" } } });
    await world.client.delete(PODS, inA("p"));
    expect(shown(await endpoints(world))).toEqual([]);
    expect(shown(await endpoints(world, "all"))).toEqual(["10.0.0.1 | : 8080"]);
  });

  test("group ports by who offers them; named target ports are looked for in the pod", async () => {
    const world = await open();
    const ports = [
      { name: "http", port: 80, targetPort: 8080 },
      { name: "metrics", port: 90, targetPort: "metrics" },
    ];
    await service(world, { ports });
    await pod(world, "p", { ports: [{ name: "metrics", containerPort: 9100 }] });
    await pod(world, "q", { ips: ["10.0.0.2"], ports: [{ name: "metrics", containerPort: 9200 }] });
    await pod(world, "r", { ips: ["10.0.0.3"] });
    expect(shown(await endpoints(world)).sort()).toEqual([
      "10.0.0.1 10.0.0.2 10.0.0.3 | : http=8080",
      "10.0.0.1 | : metrics=9100",
      "10.0.0.2 | : metrics=9200",
    ]);
  });

  test("take named ports of init containers that go on running, but of no others", async () => {
    const world = await open();
    await service(world, { ports: [{ port: 80, targetPort: "side" }] });
    const init = (name: string, containerPort: number, more: object) => ({
      name,
      image: "img:1",
      ports: [{ name: "side", containerPort }],
      ...more,
    });
    await pod(world, "p", { spec: { initContainers: [init("once", 1, {})] } });
    await pod(world, "q", {
      ips: ["10.0.0.2"],
      spec: { initContainers: [init("beside", 7000, { restartPolicy: "Always" })] },
    });
    expect(shown(await endpoints(world))).toEqual(["10.0.0.2 | : 7000"]);
  });

  test("have no ports when a headless Service has none, and then carry its label", async () => {
    const world = await open();
    await service(world, { clusterIP: "None", ports: undefined });
    await pod(world, "p", { spec: { hostname: "one", subdomain: "web" } });
    const object = await endpoints(world);
    expect(shown(object)).toEqual(["10.0.0.1 | : "]);
    expect(object["subsets"]).toMatchObject([{ addresses: [{ hostname: "one" }] }]);
    expect(object.metadata.labels).toMatchObject({ "service.kubernetes.io/headless": "" });
  });

  test("take the primary family of a Service with two", async () => {
    const world = await open();
    await service(world, {
      ipFamilies: ["IPv6", "IPv4"],
      ipFamilyPolicy: "PreferDualStack",
      clusterIP: "None",
    });
    await pod(world, "p", { ips: ["10.0.0.1", "fd00::1"] });
    expect(shown(await endpoints(world))).toEqual(["fd00::1 | : 8080"]);
  });

  test("hold 1000 addresses at most, the ready ones first, and recordEvent so", async () => {
    const world = await open();
    await service(world);
    await world.stop();
    for (let index = 0; index < 1010; index++) {
      const ip = `10.0.${index >> 8}.${index & 255}`;
      await pod(world, `p${index}`, { ips: [ip], ready: index >= 20 });
    }
    await world.start();
    const object = await endpoints(world);
    expect(object.metadata.annotations).toMatchObject({
      "endpoints.kubernetes.io/over-capacity": "truncated",
    });
    const [subset] = object["subsets"] as [Required<Shown>];
    expect([subset.addresses.length, subset.notReadyAddresses.length]).toEqual([990, 10]);
    for (let index = 0; index < 10; index++) await world.client.delete(PODS, inA(`p${index}`));
    expect((await endpoints(world)).metadata.annotations ?? {}).not.toHaveProperty(
      "endpoints.kubernetes.io/over-capacity",
    );
  });
});

describe("the Endpoints", () => {
  test("are not made for a Service without a selector, or one that is only a name elsewhere", async () => {
    const world = await open();
    await service(world, { selector: undefined });
    await service(
      world,
      { type: "ExternalName", externalName: "x.example", clusterIP: undefined, ipFamilies: undefined },
      { name: "ext" },
    );
    await pod(world, "p");
    await world.settled();
    expect(await world.names(ENDPOINTS)).toEqual([]);
  });

  test("are not written when nothing changes", async () => {
    const world = await open();
    await service(world);
    await pod(world, "p");
    await world.settled();
    takeCalls(world);
    await world.change(PODS, inA("p"), { annotations: { note: "x" } });
    await world.change(SERVICES, inA("web"), { annotations: { note: "x" } });
    await world.settled();
    await world.stop();
    await world.start();
    await world.settled();
    expect(takeCalls(world)).toEqual([]);
  });

  test("follow a pod that is labelled anew, moves or goes", async () => {
    const world = await open();
    await service(world);
    await pod(world, "p");
    await world.settled();
    await world.change(PODS, inA("p"), { labels: { app: "other" } });
    expect(shown(await endpoints(world))).toEqual([]);
    await world.change(PODS, inA("p"), { labels: { app: "web" } });
    expect(shown(await endpoints(world))).toEqual(["10.0.0.1 | : 8080"]);
    await setStatus(world, "p", { ips: ["10.0.0.7"] });
    expect(shown(await endpoints(world))).toEqual(["10.0.0.7 | : 8080"]);
    await world.client.delete(PODS, inA("p"));
    expect(shown(await endpoints(world))).toEqual([]);
  });

  test("recordEvent since when the change was due: the Service's making, then the earliest news of its pods", async () => {
    const world = await open();
    const time = async (): Promise<string | undefined> =>
      (await endpoints(world)).metadata.annotations?.["endpoints.kubernetes.io/last-change-trigger-time"];
    await service(world);
    expect(await time()).toBe("2026-01-01T00:00:00Z");
    await pod(world, "p", { ready: false, readySince: "2026-01-01T00:00:07Z" });
    expect(await time()).toBe("2026-01-01T00:00:07Z");
    await setStatus(world, "p", { readySince: "2026-01-01T00:00:09Z" });
    expect(await time()).toBe("2026-01-01T00:00:09Z");
    await world.client.delete(PODS, inA("p"));
    expect(await time()).toBeUndefined();
  });

  test("are brought back when somebody changes or deletes them", async () => {
    const world = await open();
    await service(world);
    await pod(world, "p");
    const object = await endpoints(world);
    await world.client.update(ENDPOINTS, { ...object, subsets: [] });
    expect(shown(await endpoints(world))).toEqual(["10.0.0.1 | : 8080"]);
    await world.client.delete(ENDPOINTS, inA("web"));
    expect(shown(await endpoints(world))).toEqual(["10.0.0.1 | : 8080"]);
  });

  test("go with the Service, also when it went while nobody looked", async () => {
    const world = await open();
    await service(world);
    await world.settled();
    await world.client.delete(SERVICES, inA("web"));
    await world.settled();
    expect(await world.names(ENDPOINTS)).toEqual([]);
    await service(world);
    await world.settled();
    await world.stop();
    await world.client.delete(SERVICES, inA("web"));
    await world.start();
    await world.settled();
    expect(await world.names(ENDPOINTS)).toEqual([]);
  });

  test("that somebody else made without a Service are left alone", async () => {
    const world = await open();
    const subsets = [{ addresses: [{ ip: "10.9.9.9" }] }];
    await world.create(ENDPOINTS, { name: "own", namespace: "a" }, { subsets });
    await world.stop();
    await world.start();
    await world.settled();
    expect(await world.names(ENDPOINTS)).toEqual(["own"]);
    expect(world.calls).toEqual([]);
  });

  test("are tried again when a write fails, with an event that says so", async () => {
    const world = await open();
    let failures = 1;
    world.trouble = ({ verb }) =>
      verb === "update" && failures-- > 0 ? internalServerError("no") : undefined;
    await service(world);
    await world.settled();
    await pod(world, "p");
    await world.settled();
    expect(await world.names(EVENTS, { namespace: "a" })).toHaveLength(1);
    const { items } = await world.client.list(EVENTS, { namespace: "a" });
    expect(items[0]).toMatchObject({
      reason: "FailedToUpdateEndpoint",
      message: "Failed to update endpoint a/web: Internal error occurred: no",
    });
    world.clock.advance(1_000);
    expect(shown(await endpoints(world))).toEqual(["10.0.0.1 | : 8080"]);
  });
});

test("pods are not followed before there is a Service that selects any", async () => {
  const client = new FakeClient();
  const listed = new Set<string>();
  const list = client.list.bind(client);
  client.list = (resource, options) => {
    listed.add(resource.resource);
    return list(resource, options);
  };
  const controller = definition.create({ client, clock: new ManualClock(), log: keptLog() });
  await controller.start(new AbortController().signal);
  const metadata = { name: "kubernetes", namespace: "a" };
  await client.create(SERVICES, { metadata, spec: {} });
  await controller.idle();
  expect([...listed].sort()).toEqual(["endpoints", "services"]);
  await client.create(SERVICES, { metadata: { ...metadata, name: "web" }, spec: { selector: LABELS } });
  await controller.idle();
  expect(listed).toContain("pods");
});
