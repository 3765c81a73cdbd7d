import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { uplink as controller } from "../../../../../src/ovn/controllers/underlay.ts";
import { core, nodeObject, ovn, World } from "../../../ovn/controllers/networks/support.ts";
import { CUDNS, cudn, layer3 } from "../../../ovn/controllers/userdefinednetwork/support.ts";

const UPLINKS = ovn("uplinks", "v1alpha1");
const STATES = ovn("uplinkstates", "v1alpha1");
const NODES = core("nodes");
const FINALIZER = "k8s.ovn.org/uplink-protection";
const READY = "True Ready: all selected nodes are ready";

const uplink = (name: string, ...nodeConfigs: object[]): KubeObject => ({
  apiVersion: "k8s.ovn.org/v1alpha1",
  kind: "Uplink",
  metadata: { name },
  spec: { nodeConfigs },
});
const on = (labels: Record<string, string>) => ({
  nodeSelector: { matchLabels: labels },
  type: "OVSBridge",
  hostInterfaceName: "br-up",
});
const node = (name: string, labels: Record<string, string> = { rack: "a" }): KubeObject =>
  nodeObject(name, { labels });
const ready = (name = "u"): Promise<string> => world.condition(UPLINKS, "Ready", name);

async function report(name: string, of: object, status = "True"): Promise<void> {
  const object = {
    apiVersion: "k8s.ovn.org/v1alpha1",
    kind: "UplinkState",
    metadata: { name },
    spec: of,
  };
  await world.add(STATES, object);
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const condition = { type: "Resolved", status, reason: "R", message: "", lastTransitionTime };
  await world.edit(STATES, name, { status: { conditions: [condition] } }, "", "status");
}

let world: World;
beforeEach(async () => {
  world = await World.start(controller);
});
afterEach(() => world.stop());

describe("e.5 an Uplink", () => {
  test("that chooses no node is not ready", async () => {
    await world.add(UPLINKS, uplink("u", on({ rack: "a" })));
    expect(await ready()).toBe("False NoMatchingNodes: no nodes match any Uplink nodeConfig");
  });

  test("waits for the state of every node that it chooses, in the order of their names", async () => {
    await world.add(NODES, node("n2"));
    await world.add(NODES, node("n1"));
    await world.add(UPLINKS, uplink("u", on({ rack: "a" })));
    expect(await ready()).toBe("False MissingUplinkState: UplinkState u.n1 is missing");
    await report("u.n1", { uplinkName: "u", nodeName: "n1" });
    expect(await ready()).toBe("False MissingUplinkState: UplinkState u.n2 is missing");
    await report("u.n2", { uplinkName: "u", nodeName: "n2" });
    expect(await ready()).toBe(READY);
    await world.remove(STATES, "u.n2");
    expect(await ready()).toContain("MissingUplinkState");
  });

  test("needs the states to be resolved", async () => {
    await world.add(NODES, node("n1"));
    await world.add(UPLINKS, uplink("u", on({ rack: "a" })));
    await report("u.n1", { uplinkName: "u", nodeName: "n1" }, "False");
    expect(await ready()).toBe("False UplinkStateNotResolved: UplinkState u.n1 is not resolved");
  });

  test("must not choose a node twice; relabelling it helps", async () => {
    await world.add(NODES, node("n1", { rack: "a", row: "b" }));
    await world.add(UPLINKS, uplink("u", on({ rack: "a" }), on({ row: "b" })));
    expect(await ready()).toBe("False NodeSelectorOverlap: multiple Uplink nodeConfigs select nodes: n1");
    await world.edit(NODES, "n1", { metadata: { labels: { row: null } } });
    expect(await ready()).toContain("MissingUplinkState");
  });

  test("is held while a network names it", async () => {
    const network = layer3("Primary", [{ cidr: "10.200.0.0/16" }]);
    await world.add(UPLINKS, uplink("u", on({ rack: "a" })));
    expect((await world.find(UPLINKS, "u"))?.metadata.finalizers).toBeUndefined();
    await world.add(CUDNS, cudn("net", network, { uplinks: ["u"] }));
    expect((await world.find(UPLINKS, "u"))?.metadata.finalizers).toEqual([FINALIZER]);
    await world.remove(UPLINKS, "u");
    expect(await world.find(UPLINKS, "u")).toBeDefined();
    await world.remove(CUDNS, "net");
    expect(await world.find(UPLINKS, "u")).toBeUndefined();
  });
});

describe("nothing is written", () => {
  test("when nothing changed, also after a restart", async () => {
    await world.add(NODES, node("n1"));
    await world.add(UPLINKS, uplink("u", on({ rack: "a" })));
    world.takeWrites();
    await world.restart();
    await world.edit(UPLINKS, "u", { metadata: { labels: { touched: "yes" } } });
    await world.edit(NODES, "n1", { metadata: { annotations: { touched: "yes" } } });
    expect(world.takeWrites()).toEqual([]);
  });

  test("but a condition that somebody changed is put back", async () => {
    await world.add(UPLINKS, uplink("u", on({ rack: "a" })));
    await world.edit(UPLINKS, "u", { status: { conditions: [] } }, "", "status");
    expect(await ready()).toContain("NoMatchingNodes");
  });
});
