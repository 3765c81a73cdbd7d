import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { NetworkFeature } from "../../../../../src/controller/settings.ts";
import { parseConfig } from "../../../../../src/ovn/controllers/networks/net-conf.ts";
import { core, NADS, namespaceObject, ovn, type World } from "../networks/support.ts";
import { CUDNS, cudn, layer2, layer3, PRIMARY, startNetworks } from "./support.ts";

const ADVERTISEMENTS = ovn("routeadvertisements");
const VTEPS = ovn("vteps");
const NO_OVERLAY = {
  ...layer3("Primary", [{ cidr: "10.200.0.0/16" }]),
  transport: "NoOverlay",
  noOverlay: { outboundSNAT: "Enabled", routing: "Unmanaged" },
};
const EVPN = {
  ...layer2("Primary", ["10.200.0.0/16"]),
  transport: "EVPN",
  evpn: { vtep: "v", macVRF: { vni: 100 } },
};
const vtep: KubeObject = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "VTEP",
  metadata: { name: "v" },
  spec: { mode: "Unmanaged", cidrs: ["100.127.0.0/24"] },
};
const advertisement: KubeObject = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "RouteAdvertisements",
  metadata: { name: "ra" },
  spec: {
    advertisements: ["PodNetwork"],
    nodeSelector: {},
    frrConfigurationSelector: {},
    networkSelectors: [
      {
        networkSelectionType: "ClusterUserDefinedNetworks",
        clusterUserDefinedNetworkSelector: { networkSelector: {} },
      },
    ],
  },
};

let world: World;
afterEach(() => world.stop());

async function start(...features: readonly NetworkFeature[]): Promise<void> {
  world = await startNetworks(...features);
  await world.add(core("namespaces"), namespaceObject("ns", { team: "a", [PRIMARY]: "" }));
}
const told = (type: string): Promise<string> => world.condition(CUDNS, type, "net");

const accept = (resource: typeof VTEPS, name: string): Promise<void> => {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const condition = { type: "Accepted", status: "True", reason: "R", message: "", lastTransitionTime };
  return world.edit(resource, name, { status: { conditions: [condition] } }, "", "status");
};

describe("e.2.10 a network without an overlay", () => {
  test("is made, but not accepted where routes cannot be advertised", async () => {
    await start();
    await world.add(CUDNS, cudn("net", NO_OVERLAY));
    expect(await told("NetworkCreated")).toContain("True");
    expect(await told("TransportAccepted")).toBe(
      "False RouteAdvertisementsNotEnabled: " +
        "RouteAdvertisements feature is not enabled but required for NoOverlay transport.",
    );
  });

  test("is accepted with the RouteAdvertisements that announces it", async () => {
    await start("route-advertisements");
    await world.add(CUDNS, cudn("net", NO_OVERLAY));
    expect(await told("TransportAccepted")).toBe(
      "False NoOverlayRouteAdvertisementsIsMissing: No RouteAdvertisements CR is advertising the pod networks.",
    );
    await world.add(ADVERTISEMENTS, advertisement);
    expect(await told("TransportAccepted")).toBe(
      "False NoOverlayRouteAdvertisementsNotAccepted: " +
        "RouteAdvertisements CR ra advertises the pod subnets, but its status is not accepted.",
    );
    await accept(ADVERTISEMENTS, "ra");
    expect(await told("TransportAccepted")).toBe(
      "True NoOverlayTransportAccepted: Transport has been configured as 'no-overlay'.",
    );
    await world.remove(ADVERTISEMENTS, "ra");
    expect(await told("TransportAccepted")).toContain("IsMissing");
  });

  test("says so in its configuration", async () => {
    await start();
    await world.add(CUDNS, cudn("net", NO_OVERLAY));
    const text = JSON.stringify(await world.find(NADS, "net", "ns"));
    expect(text).toContain(String.raw`\"outboundSNAT\":\"enabled\"`);
    expect(text).toContain(String.raw`\"transport\":\"no-overlay\"`);
  });
});

describe("e.2.8 a network over EVPN", () => {
  test("is not made where that is off", async () => {
    await start();
    await world.add(CUDNS, cudn("net", EVPN));
    expect(await told("NetworkCreated")).toBe(
      "False EVPNConfigError: EVPN transport requested but EVPN feature is not enabled",
    );
    expect(await world.keys(NADS)).toEqual([]);
  });

  test("waits for its VTEP to be there, and accepted", async () => {
    await start("evpn", "route-advertisements");
    await world.add(CUDNS, cudn("net", EVPN));
    expect(await told("NetworkCreated")).toContain("False VTEPNotFound: Cannot create network: VTEP 'v'");
    expect(await told("TransportAccepted")).toContain("False VTEPNotFound");
    await world.add(VTEPS, vtep);
    expect(await told("NetworkCreated")).toContain("False VTEPNotAccepted: Cannot create network: VTEP 'v'");
    await accept(VTEPS, "v");
    expect(await told("NetworkCreated")).toContain("True");
    expect(await world.keys(NADS)).toEqual(["ns/net"]);
  });

  test("stays as it is when the VTEP is no longer accepted", async () => {
    await start("evpn");
    await world.add(VTEPS, vtep);
    await accept(VTEPS, "v");
    await world.add(CUDNS, cudn("net", EVPN));
    await world.edit(VTEPS, "v", { status: { conditions: [] } }, "", "status");
    expect(await told("NetworkCreated")).toContain("True");
    expect(await world.keys(NADS)).toEqual(["ns/net"]);
  });
});

describe("the numbers of EVPN networks", () => {
  const over = (vni: number) => ({ ...EVPN, evpn: { vtep: "v", macVRF: { vni }, ipVRF: { vni: vni + 1 } } });
  const evpnOf = async (name: string): Promise<unknown> => {
    const nad = await world.find(NADS, name, `in-${name}`);
    return nad && parseConfig(nad)?.["evpn"];
  };
  async function add(name: string, vni: number): Promise<void> {
    await world.add(core("namespaces"), namespaceObject(`in-${name}`, { of: name, [PRIMARY]: "" }));
    await world.add(CUDNS, cudn(name, over(vni), { namespaceSelector: { matchLabels: { of: name } } }));
  }

  beforeEach(async () => {
    await start("evpn");
    await world.add(VTEPS, vtep);
    await accept(VTEPS, "v");
    await add("a", 100);
  });

  test("each VRF has a VLAN id, which stays through a restart", async () => {
    const a = { vtep: "v", macVRF: { vni: 100, vid: 2 }, ipVRF: { vni: 101, vid: 3 } };
    expect(await evpnOf("a")).toEqual(a);
    await world.restart();
    await add("b", 200);
    expect(await evpnOf("a")).toEqual(a);
    expect(await evpnOf("b")).toEqual({
      vtep: "v",
      macVRF: { vni: 200, vid: 4 },
      ipVRF: { vni: 201, vid: 5 },
    });
  });

  test("over one VTEP a VNI is used once, until its network goes", async () => {
    await add("b", 101);
    expect(await world.condition(CUDNS, "NetworkCreated", "b")).toBe(
      "False NetworkAttachmentDefinitionSyncError: failed to allocate EVPN IDs: failed to reserve VNIs: " +
        'VNI 101 on VTEP "v" is already reserved by network "a"',
    );
    await world.remove(CUDNS, "a");
    await world.advance(60_000);
    expect(await evpnOf("b")).toMatchObject({ macVRF: { vni: 101 } });
  });
});

describe("uplinks", () => {
  const network = layer3("Primary", [{ cidr: "10.200.0.0/16" }]);

  test("are refused where they are off", async () => {
    await start();
    await world.add(CUDNS, cudn("net", network, { uplinks: ["u"] }));
    expect(await told("NetworkCreated")).toBe(
      "False NetworkAttachmentDefinitionSyncError: " +
        "spec.uplinks is set but the Uplink feature is disabled, ignoring this CUDN",
    );
  });

  test("stand in the configuration where they are on", async () => {
    await start("uplinks");
    await world.add(CUDNS, cudn("net", network, { uplinks: ["u"] }));
    expect(JSON.stringify(await world.find(NADS, "net", "ns"))).toContain(String.raw`\"uplink\":\"u\"`);
  });
});
