import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { vtep as controller } from "../../../../../src/ovn/controllers/underlay.ts";
import { core, nodeObject, ovn, World } from "../../../ovn/controllers/networks/support.ts";
import { CUDNS, cudn } from "../../../ovn/controllers/userdefinednetwork/support.ts";

const VTEPS = ovn("vteps");
const NODES = core("nodes");
const ANNOTATION = "k8s.ovn.org/vteps";
const FINALIZER = "k8s.ovn.org/vtep-protection";
const ALLOCATED = "True Allocated: VTEP allocation succeeded";

const vtep = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "VTEP",
  metadata: { name },
  spec: { mode: "Unmanaged", cidrs: ["100.127.0.0/24"], ...spec },
});
const nodeWith = (name: string, text: string): KubeObject =>
  nodeObject(name, { annotations: { [ANNOTATION]: text } });
const evpn = (name: string, of: string): KubeObject =>
  cudn(name, {
    topology: "Layer2",
    layer2: { role: "Primary", subnets: ["10.200.0.0/16"] },
    transport: "EVPN",
    evpn: { vtep: of, macVRF: { vni: 100 } },
  });
const accepted = (name: string): Promise<string> => world.condition(VTEPS, "Accepted", name);

let world: World;
beforeEach(async () => {
  world = await World.start(controller);
});
afterEach(() => world.stop());

describe("e.5 a VTEP", () => {
  test("is accepted, and held by a finalizer", async () => {
    await world.add(VTEPS, vtep("v"));
    expect(await accepted("v")).toBe(ALLOCATED);
    const { metadata } = (await world.find(VTEPS, "v")) ?? {};
    expect(metadata?.finalizers).toEqual([FINALIZER]);
    const managers = metadata?.managedFields?.map(({ manager, subresource }) => [manager, subresource]);
    expect(managers).toContainEqual([controller.fieldManager, "status"]);
    expect(await world.events()).toEqual([]);
  });

  test("in managed mode, which is the default, is refused; an event says so", async () => {
    const { spec: _spec, ...object } = vtep("v");
    await world.add(VTEPS, { ...object, spec: { cidrs: ["100.127.0.0/24"] } });
    const message = "Managed VTEP mode is not yet implemented; only Unmanaged mode is currently supported";
    expect(await accepted("v")).toBe(`False ManagedModeNotSupported: ${message}`);
    expect(await world.events()).toEqual([`VTEP v ManagedModeNotSupported: ${message}`]);
  });

  test("must not overlap another; both are told, and freed when one goes", async () => {
    await world.add(VTEPS, vtep("a"));
    await world.add(VTEPS, vtep("b", { cidrs: ["100.127.0.0/25"] }));
    expect(await accepted("a")).toBe("False CIDROverlap: CIDRs overlap with VTEPs: [b]");
    expect(await accepted("b")).toBe("False CIDROverlap: CIDRs overlap with VTEPs: [a]");
    await world.remove(VTEPS, "b");
    expect(await accepted("a")).toBe(ALLOCATED);
  });

  test("may not be of IPv6 while an EVPN network goes over it", async () => {
    await world.add(VTEPS, vtep("v", { cidrs: ["fd00:7::/64"] }));
    expect(await accepted("v")).toBe(ALLOCATED);
    await world.add(CUDNS, evpn("net", "v"));
    expect(await accepted("v")).toMatch(
      /^False EVPNIPv6NotSupported: VTEP v contains IPv6 CIDR fd00:7::\/64/,
    );
    await world.remove(CUDNS, "net");
    expect(await accepted("v")).toBe(ALLOCATED);
  });

  test.each<[string, KubeObject, string]>([
    ["without the annotation", nodeObject("n"), "node n is missing the k8s.ovn.org/vteps annotation"],
    [
      "whose annotation is no JSON",
      nodeWith("n", "x"),
      "failed to parse k8s.ovn.org/vteps annotation on node n",
    ],
    [
      "that does not know it",
      nodeWith("n", "{}"),
      "node n has no entry for VTEP v in k8s.ovn.org/vteps annotation",
    ],
    ["without an address", nodeWith("n", '{"v":{"ips":[]}}'), "node n has an empty IP list for VTEP v"],
  ])("is refused while there is a node %s", async (_rule, node, message) => {
    await world.add(VTEPS, vtep("v"));
    await world.add(NODES, node);
    expect(await accepted("v")).toBe(`False AllocationFailed: ${message}`);
    const annotations = { [ANNOTATION]: '{"v":{"ips":["100.127.0.1"]}}' };
    await world.edit(NODES, "n", { metadata: { annotations } });
    expect(await accepted("v")).toBe(ALLOCATED);
  });
});

describe("deletion", () => {
  test("waits for the networks that go over the VTEP", async () => {
    await world.add(VTEPS, vtep("v"));
    await world.add(CUDNS, evpn("net", "v"));
    await world.remove(VTEPS, "v");
    expect((await world.find(VTEPS, "v"))?.metadata.finalizers).toEqual([FINALIZER]);
    await world.remove(CUDNS, "net");
    expect(await world.find(VTEPS, "v")).toBeUndefined();
  });
});

describe("nothing is written", () => {
  test("when nothing changed, also after a restart", async () => {
    await world.add(VTEPS, vtep("v"));
    await world.add(VTEPS, vtep("w", { mode: "Managed", cidrs: ["100.126.0.0/24"] }));
    world.takeWrites();
    await world.restart();
    await world.edit(VTEPS, "v", { metadata: { labels: { touched: "yes" } } });
    expect(world.takeWrites()).toEqual([]);
    expect(await world.events()).toHaveLength(1);
  });

  test("but a condition that somebody changed is put back", async () => {
    await world.add(VTEPS, vtep("v"));
    await world.edit(VTEPS, "v", { status: { conditions: [] } }, "", "status");
    expect(await accepted("v")).toBe(ALLOCATED);
  });
});
