import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controllerDescriptors } from "../../../../../src/server/controller-list.ts";
import { core, namespaceObject, ovn, World } from "../../../ovn/controllers/networks/support.ts";
import {
  CUDNS,
  cudn,
  layer2,
  layer3,
  PRIMARY,
  UDNS,
  udn,
} from "../../../ovn/controllers/userdefinednetwork/support.ts";

const CONNECTS = ovn("clusternetworkconnects");
const NAMESPACES = core("namespaces");
const CONTROLLERS = ["userdefinednetwork", "networks", "clusternetworkconnect"];
const SUCCEEDED = "True ResourceAllocationSucceeded: All validation checks passed successfully";
const FAILED = "False ResourceAllocationFailed: ";
const SUBNETS = [{ cidr: "192.168.0.0/16", networkPrefix: 24 }];

const byNetwork = (labels: Record<string, string>) => ({
  networkSelectionType: "ClusterUserDefinedNetworks",
  clusterUserDefinedNetworkSelector: { networkSelector: { matchLabels: labels } },
});
const byNamespace = (labels: Record<string, string>) => ({
  networkSelectionType: "PrimaryUserDefinedNetworks",
  primaryUserDefinedNetworkSelector: { namespaceSelector: { matchLabels: labels } },
});
const connect = (name: string, networkSelectors: object[], connectSubnets: object[] = SUBNETS) => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "ClusterNetworkConnect",
  metadata: { name },
  spec: { networkSelectors, connectSubnets, connectivity: ["PodNetwork"] },
});
const accepted = (name = "c"): Promise<string> => world.condition(CONNECTS, "Accepted", name);

/** A ClusterUserDefinedNetwork with the label net=yes in a namespace of its own. */
async function network(name: string, spec: object): Promise<void> {
  await world.add(NAMESPACES, namespaceObject(`in-${name}`, { [PRIMARY]: "", of: name }));
  const object = cudn(name, spec, { namespaceSelector: { matchLabels: { of: name } } });
  await world.add(CUDNS, { ...object, metadata: { name, labels: { net: "yes" } } });
}

let world: World;
beforeEach(async () => {
  world = await World.start(...controllerDescriptors.filter(({ name }) => CONTROLLERS.includes(name)));
});
afterEach(() => world.stop());

describe("e.5 a ClusterNetworkConnect", () => {
  test("is accepted, also while it chooses nothing; the text of its status is not written", async () => {
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })]));
    expect(await accepted()).toBe(SUCCEEDED);
    const { status, metadata } = (await world.find(CONNECTS, "c")) ?? { metadata: {} };
    expect(Object.keys(status ?? {})).toEqual(["conditions"]);
    expect(metadata.managedFields?.map(({ manager }) => manager)).toContain(
      "clustermanager-networkconnect-controller",
    );
  });

  test("connects networks that keep clear of each other, chosen by label or by namespace", async () => {
    await network("a", layer3("Primary", [{ cidr: "10.200.0.0/16" }]));
    await world.add(NAMESPACES, namespaceObject("b", { [PRIMARY]: "", team: "b" }));
    await world.add(UDNS, udn("b", "net", layer2("Primary", ["10.201.0.0/16"])));
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" }), byNamespace({ team: "b" })]));
    expect(await accepted()).toBe(SUCCEEDED);
  });

  test("is told of networks that overlap, and heals with the labels", async () => {
    await network("a", layer3("Primary", [{ cidr: "10.200.0.0/16" }]));
    await network("b", layer3("Primary", [{ cidr: "10.200.0.0/20" }]));
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })]));
    expect(await accepted()).toContain(
      `${FAILED}validation failed for CNC c: can not connect selected networks: ` +
        "selected networks have overlapping subnets",
    );
    await world.edit(CUDNS, "b", { metadata: { labels: { net: "no" } } });
    expect(await accepted()).toBe(SUCCEEDED);
  });

  test.each<[string, object, string]>([
    ["the cluster", { cidr: "10.128.0.0/16", networkPrefix: 24 }, "cluster subnets overlap"],
    ["services", { cidr: "10.96.0.0/16", networkPrefix: 24 }, "cluster subnets overlap"],
    ["a chosen network", { cidr: "10.200.0.0/17", networkPrefix: 24 }, "selected networks overlap"],
  ])("must keep clear of %s", async (_rule, subnet, error) => {
    await network("a", layer3("Primary", [{ cidr: "10.200.0.0/16" }]));
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })], [subnet]));
    expect(await accepted()).toContain(`${FAILED}validation failed for CNC c: ${error}`);
  });

  test("needs subnets of the networks' family", async () => {
    await network("a", layer3("Primary", [{ cidr: "fd00:200::/48", hostSubnet: 64 }]));
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })]));
    expect(await accepted()).toContain("do not contain an ipv6 subnet");
  });

  test("needs a part of its subnets for every network", async () => {
    for (const [index, name] of ["a", "b", "d"].entries()) {
      await network(name, layer3("Primary", [{ cidr: `10.20${index}.0.0/16` }]));
    }
    const subnets = [{ cidr: "192.168.0.0/23", networkPrefix: 24 }];
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })], subnets));
    expect(await accepted()).toBe(
      `${FAILED}failed to allocate subnets for CNC c: ` +
        "failed to allocate Layer3 subnet for network cluster_udn_d: no subnets available.",
    );
    await world.remove(CUDNS, "b");
    expect(await accepted()).toBe(SUCCEEDED);
  });

  test("shares no subnets with another that chooses the same network: both are told, until one goes", async () => {
    await network("a", layer3("Primary", [{ cidr: "10.200.0.0/16" }]));
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })]));
    await world.add(CONNECTS, connect("d", [byNetwork({ net: "yes" })]));
    expect(await accepted("c")).toContain("connectSubnets overlap detected between CNC c and CNC d");
    expect(await accepted("d")).toContain("connectSubnets overlap detected between CNC d and CNC c");
    await world.remove(CONNECTS, "d");
    expect(await accepted("c")).toBe(SUCCEEDED);
  });
});

describe("nothing is written", () => {
  test("when nothing changed, also after a restart", async () => {
    await network("a", layer3("Primary", [{ cidr: "10.200.0.0/16" }]));
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })]));
    await world.add(CONNECTS, connect("d", [byNetwork({ net: "yes" })]));
    world.takeWrites();
    await world.restart();
    await world.edit(CONNECTS, "c", { metadata: { labels: { touched: "yes" } } });
    expect(world.takeWrites()).toEqual([]);
  });

  test("but a condition that somebody changed is put back", async () => {
    await world.add(CONNECTS, connect("c", [byNetwork({ net: "yes" })]));
    await world.edit(CONNECTS, "c", { status: { conditions: [] } }, "", "status");
    expect(await accepted()).toBe(SUCCEEDED);
  });
});
