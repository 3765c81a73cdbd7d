import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { NetworkFeature } from "../../../../../src/controller/settings.ts";
import { readClusterNetworks } from "../../../../../src/ovn/controllers/networks/cluster-networks.ts";
import { renderNad } from "../../../../../src/ovn/controllers/userdefinednetwork/render-nad.ts";
import { cudn, layer2, layer3, udn } from "./support.ts";

const OPTIONS = { cluster: readClusterNetworks(), features: new Set<NetworkFeature>() };

function configOf(owner: KubeObject, options = OPTIONS): string {
  const { spec } = renderNad(owner, "ns", options) as unknown as { spec: { config: string } };
  return spec.config;
}

function shortConfig(owner: KubeObject, options = OPTIONS): Record<string, unknown> {
  const { cniVersion, type, name, netAttachDefName, topology, ...rest } = JSON.parse(
    configOf(owner, options),
  ) as Record<string, unknown>;
  return rest;
}

function refusal(owner: KubeObject, options = OPTIONS): string {
  try {
    return configOf(owner, options);
  } catch (error) {
    return (error as Error).message;
  }
}

const RENDERING = "failed to generate NetworkAttachmentDefinition: failed to render CNI network config: ";
const OVERLAPS = "pod or join subnet overlaps with already configured internal subnets: ";
const INVALID = "invalid subnet configuration: ";
const primary2 = (...subnets: string[]) => udn("ns", "net", layer2("Primary", subnets));
const secondary3 = (cidr: string, hostSubnet?: number) =>
  udn("ns", "net", layer3("Secondary", [{ cidr, ...(hostSubnet ? { hostSubnet } : {}) }]));

describe("the configuration", () => {
  test("is compact JSON with sorted keys", () => {
    expect(configOf(udn("ns", "net", layer3("Primary", [{ cidr: "10.201.0.0/16", hostSubnet: 24 }])))).toBe(
      '{"cniVersion":"1.1.0","joinSubnet":"100.65.0.0/16,fd99::/64","name":"ns_net","netAttachDefName":"ns/net",' +
        '"role":"primary","subnets":"10.201.0.0/16/24","topology":"layer3","type":"ovn-k8s-cni-overlay"}',
    );
  });

  test.each<[string, KubeObject, object]>([
    [
      "a node's part is left out where it is not said, and lists are joined by commas",
      udn("ns", "net", layer3("Secondary", [{ cidr: "10.201.0.0/16" }, { cidr: "fd00:9::/48" }])),
      { role: "secondary", subnets: "10.201.0.0/16,fd00:9::/48" },
    ],
    [
      "a Layer2 network without addresses has no subnets",
      udn("ns", "net", { topology: "Layer2", layer2: { role: "Secondary", ipam: { mode: "Disabled" } } }),
      { role: "secondary" },
    ],
    [
      "given join subnets and an mtu are taken",
      udn("ns", "net", layer2("Primary", ["10.2.0.0/16"], { joinSubnets: ["100.77.0.0/16"], mtu: 1300 })),
      {
        role: "primary",
        subnets: "10.2.0.0/16",
        joinSubnet: "100.77.0.0/16",
        mtu: 1300,
        transitSubnet: "100.88.0.0/16",
      },
    ],
    [
      "a localnet has the MTU of the physical network",
      cudn("net", {
        topology: "Localnet",
        localnet: {
          role: "Secondary",
          physicalNetworkName: "phys",
          subnets: ["10.202.0.0/16"],
          excludeSubnets: ["10.202.0.0/30"],
          vlan: { mode: "Access", access: { id: 7 } },
        },
      }),
      {
        role: "secondary",
        mtu: 1500,
        physicalNetworkName: "phys",
        subnets: "10.202.0.0/16",
        excludeSubnets: "10.202.0.0/30",
        vlanID: 7,
      },
    ],
    [
      "a network without an overlay says so",
      cudn("net", {
        ...layer3("Primary", [{ cidr: "10.201.0.0/16" }]),
        transport: "NoOverlay",
        noOverlay: { outboundSNAT: "Enabled", routing: "Managed" },
      }),
      {
        role: "primary",
        joinSubnet: "100.65.0.0/16,fd99::/64",
        subnets: "10.201.0.0/16",
        transport: "no-overlay",
        outboundSNAT: "enabled",
      },
    ],
  ])("%s", (_rule, owner, expected) => {
    expect(shortConfig(owner)).toEqual(expected);
  });

  test("the network of a ClusterUserDefinedNetwork has one name in all namespaces", () => {
    expect(JSON.parse(configOf(cudn("c.d", layer2("Secondary", ["10.2.0.0/16"]))))).toMatchObject({
      name: "cluster_udn_c.d",
      netAttachDefName: "ns/c.d",
    });
  });

  test("persistent addresses are written where they are allowed", () => {
    const owner = udn(
      "ns",
      "net",
      layer2("Secondary", ["10.2.0.0/16"], { ipam: { lifecycle: "Persistent" } }),
    );
    const features = new Set<NetworkFeature>(["persistent-ips"]);
    expect(shortConfig(owner, { ...OPTIONS, features })).toMatchObject({ allowPersistentIPs: true });
  });
});

describe("the transit subnet of a primary Layer2 network", () => {
  test.each<[string, string[], object, string]>([
    ["is the cluster's, one per family", ["10.12.0.0/16", "fd12:dbba::/64"], {}, "100.88.0.0/16,fd97::/64"],
    ["follows a subnet that takes it", ["100.88.0.0/16"], {}, "100.89.0.0/16"],
    ["begins behind a larger network", ["100.88.0.0/15", "fd97::/63"], {}, "100.90.0.0/16,fd97:0:0:2::/64"],
    [
      "begins behind its own range where a smaller network lies in it",
      ["10.12.0.0/16", "fd12:dbba::/64"],
      { joinSubnets: ["100.88.0.0/17", "fd97::/65"] },
      "100.89.0.0/16,fd97:0:0:1::/64",
    ],
    [
      "steps on until nothing overlaps",
      ["100.88.0.0/15", "fd97::/65"],
      { joinSubnets: ["100.90.0.0/16", "fd97:0:0:1::/64"] },
      "100.91.0.0/16,fd97:0:0:2::/64",
    ],
  ])("%s", (_rule, subnets, more, expected) => {
    const owner = udn("ns", "net", layer2("Primary", subnets, more));
    expect(shortConfig(owner)["transitSubnet"]).toBe(expected);
  });
});

describe("refused are", () => {
  test.each<[string, KubeObject, string]>([
    [
      "a subnet over the network's join subnet; a Layer2 network fails while its transit subnet is looked for",
      primary2("100.65.1.0/24"),
      `${OVERLAPS}user defined join subnet "100.65.0.0/16" overlaps user defined subnet "100.65.1.0/24"`,
    ],
    [
      "a subnet over the cluster's pods",
      primary2("10.128.0.0/16"),
      `${OVERLAPS}user defined subnet "10.128.0.0/16" overlaps cluster subnet "10.128.0.0/14"`,
    ],
    [
      "a subnet over the cluster's services",
      secondary3("10.96.0.0/12", 24),
      `${INVALID}${OVERLAPS}user defined subnet "10.96.0.0/12" overlaps service subnet "10.96.0.0/16"`,
    ],
    [
      "a secondary network over the join subnet that it has by default",
      secondary3("100.65.0.0/16", 24),
      `${INVALID}${OVERLAPS}user defined join subnet "100.65.0.0/16" overlaps user defined subnet "100.65.0.0/16"`,
    ],
    [
      "a Layer3 network over the cluster's transit subnet",
      secondary3("100.88.0.0/17", 24),
      `${INVALID}${OVERLAPS}user defined subnet "100.88.0.0/17" overlaps transit switch subnet "100.88.0.0/16"`,
    ],
    [
      "addresses of the masquerade subnet",
      primary2("169.254.4.0/24"),
      `${OVERLAPS}user defined subnet "169.254.4.0/24" overlaps masquerade subnet "169.254.0.0/17"`,
    ],
    [
      "join subnets over the cluster's own",
      udn("ns", "net", layer2("Primary", ["10.2.0.0/16"], { joinSubnets: ["100.64.10.0/24"] })),
      `${OVERLAPS}user defined join subnet "100.64.10.0/24" overlaps built-in join subnet "100.64.0.0/16"`,
    ],
    [
      "a Layer3 network that is smaller than a node's part",
      secondary3("10.201.0.0/25"),
      `${INVALID}error while parsing subnets: cannot use a host subnet length mask shorter than or equal to the cluster subnet mask. host subnet length: 24, cluster subnet length: 25`,
    ],
    [
      "parts of an IPv6 network that are no /64",
      secondary3("fd00:9::/48", 56),
      `${INVALID}error while parsing subnets: IPv6 only supports /64 host subnets`,
    ],
    [
      "persistent addresses where they are not allowed",
      udn("ns", "net", layer2("Secondary", ["10.2.0.0/16"], { ipam: { lifecycle: "Persistent" } })),
      "allowPersistentIPs is set but persistentIPs is Disabled",
    ],
    [
      "excluded addresses that are none of the localnet's",
      cudn("net", {
        topology: "Localnet",
        localnet: {
          role: "Secondary",
          physicalNetworkName: "phys",
          subnets: ["192.168.0.0/16"],
          excludeSubnets: ["192.200.0.0/30"],
        },
      }),
      "the provided network subnets do not contain excluded subnets 192.200.0.0/30",
    ],
  ])("%s", (_rule, owner, message) => {
    expect(refusal(owner)).toBe(RENDERING + message);
  });

  test("a primary network of a family that the cluster does not have", () => {
    const cluster = readClusterNetworks({ clusterSubnets: "10.128.0.0/14/23" });
    const owner = udn("ns", "net", layer3("Primary", [{ cidr: "fd00:9::/48" }]));
    expect(refusal(owner, { ...OPTIONS, cluster })).toBe(
      `${RENDERING}${INVALID}error while parsing subnets: network ns_net is attempting to use ipv6 subnets but the cluster does not support ipv6`,
    );
  });

  test("nothing for a localnet that lies over the cluster's networks: it is never compared", () => {
    const localnet = { role: "Secondary", physicalNetworkName: "phys", subnets: ["10.128.0.0/16"] };
    expect(shortConfig(cudn("net", { topology: "Localnet", localnet }))).toMatchObject({
      subnets: "10.128.0.0/16",
    });
  });
});

describe("the metadata", () => {
  test("labels go along, annotations too unless they are ovn-kubernetes' own", () => {
    const owner = udn("ns", "net", layer2("Secondary", ["10.2.0.0/16"]), {
      uid: "u1",
      labels: { a: "b" },
      annotations: { "example.com/x": "y", "k8s.ovn.org/z": "no" },
    });
    expect(renderNad(owner, "ns", OPTIONS).metadata).toEqual({
      name: "net",
      namespace: "ns",
      labels: { a: "b", "k8s.ovn.org/user-defined-network": "" },
      annotations: { "example.com/x": "y" },
      finalizers: ["k8s.ovn.org/user-defined-network-protection"],
      ownerReferences: [
        {
          apiVersion: "k8s.ovn.org/v1",
          kind: "UserDefinedNetwork",
          name: "net",
          uid: "u1",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
  });
});
