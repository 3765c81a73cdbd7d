import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { NADS, nodeObject, ovn, type World } from "../networks/support.ts";
import { CUDNS, layer2, layer3 } from "../userdefinednetwork/support.ts";
import {
  ADVERTISEMENTS,
  advertisement,
  FRR_CONFIGURATIONS,
  frr,
  generated,
  NEIGHBOR,
  NODES,
  network,
  serveFrr,
  startAdvertising,
} from "./support.ts";

const L2 = layer2("Primary", ["10.200.0.0/16"]);
const L3 = layer3("Primary", [{ cidr: "10.201.0.0/16", hostSubnet: 24 }]);
const NOTE = "k8s.ovn.org/route-advertisements";
const DEFAULT = { networkSelectors: [{ networkSelectionType: "DefaultNetwork" }] };
const ACCEPTED =
  "True Accepted: ovn-kubernetes cluster-manager validated the resource and requested the necessary configuration changes";

const accepted = (name = "ra"): Promise<string> => world.condition(ADVERTISEMENTS, "Accepted", name);
const statusText = async (): Promise<unknown> =>
  objectAt({ ...(await world.find(ADVERTISEMENTS, "ra")) }, "status")?.["status"];
const annotateNads = async (name: string, namespace: string): Promise<string | undefined> =>
  (await world.find(NADS, name, namespace))?.metadata.annotations?.[NOTE];

let world: World;
beforeEach(async () => {
  world = await startAdvertising();
});
afterEach(() => world.stop());

describe("e.3.1 a RouteAdvertisements", () => {
  test("waits for networks, nodes and FRRConfigurations, in this order", async () => {
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    const pending = (what: string) => `configuration pending: no ${what} selected`;
    expect(await accepted()).toBe(`False ConfigurationPending: ${pending("networks")}`);
    expect(await statusText()).toBe(`Not Accepted: ${pending("networks")}`);
    await network(world, "net", L2);
    expect(await accepted()).toBe(`False ConfigurationPending: ${pending("nodes")}`);
    await world.add(NODES, nodeObject("n1"));
    expect(await accepted()).toBe(`False ConfigurationPending: ${pending("FRRConfigurations")}`);
    await serveFrr(world);
    expect(await accepted()).toBe(`False ConfigurationPending: ${pending("FRRConfigurations")}`);
    await world.add(FRR_CONFIGURATIONS, frr("bgp"));
    expect(await accepted()).toBe(ACCEPTED);
    expect(await statusText()).toBe("Accepted");
  });

  test("has its condition in the controller's name, with the generation it is about", async () => {
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    const object = await world.find(ADVERTISEMENTS, "ra");
    expect(object?.["status"]).toMatchObject({ conditions: [{ observedGeneration: 1 }] });
    expect(object?.metadata.managedFields?.map(({ manager }) => manager)).toContain(
      "clustermanager-routeadvertisements-controller",
    );
  });

  test("has the note of a spec that is wrong follow the spec", async () => {
    await world.add(ADVERTISEMENTS, advertisement("ra", { advertisements: ["EgressIP"], targetVRF: "auto" }));
    expect(await accepted()).toBe(
      "False ConfigurationError: configuration error: " +
        "advertising EgressIP not supported with TargetVRF set to 'auto'",
    );
    await world.edit(ADVERTISEMENTS, "ra", { spec: { targetVRF: null } });
    expect(await accepted()).toContain("ConfigurationPending");
  });
});

describe("what it has made", () => {
  beforeEach(async () => {
    await serveFrr(world);
    await world.add(FRR_CONFIGURATIONS, frr("bgp"));
    for (const name of ["n1", "n2"]) await world.add(NODES, nodeObject(name));
  });

  test("e.3.2 is a copy of each FRRConfiguration per node, with the node's prefixes, which the networks' VRFs share", async () => {
    await network(world, "flat", L2);
    await network(world, "cut", L3);
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    expect(await generated(world)).toEqual([
      "ra/bgp/n1 cut:  from default",
      "ra/bgp/n1 default: 10.200.0.0/16,10.201.0.0/24 from cut,flat",
      "ra/bgp/n1 flat:  from default",
      "ra/bgp/n2 cut:  from default",
      "ra/bgp/n2 default: 10.200.0.0/16,10.201.1.0/24 from cut,flat",
      "ra/bgp/n2 flat:  from default",
    ]);
  });

  test("keeps to the source's namespace, neighbours and node, under a name of its own", async () => {
    await network(world, "flat", L2);
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    const { items } = await world.client.list(FRR_CONFIGURATIONS, { labelSelector: `${NOTE}=ra` });
    expect(items).toHaveLength(2);
    expect(items.find(({ metadata }) => metadata.annotations?.[NOTE] === "ra/bgp/n1")).toMatchObject({
      metadata: { namespace: "frr", name: expect.stringMatching(/^ovnk-generated-/) },
      spec: {
        nodeSelector: { matchLabels: { "kubernetes.io/hostname": "n1" } },
        bgp: {
          routers: [
            {
              asn: 64512,
              neighbors: [
                {
                  address: "192.0.2.1",
                  toAdvertise: { allowed: { mode: "filtered", prefixes: ["10.200.0.0/16"] } },
                },
              ],
            },
            {},
          ],
        },
      },
    });
  });

  test("e.3.2 is noted on the networks' NetworkAttachmentDefinitions, of several by name", async () => {
    await network(world, "flat", L2);
    await world.add(ADVERTISEMENTS, advertisement("rb"));
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    expect(await annotateNads("flat", "in-flat")).toBe('["ra","rb"]');
    await world.remove(ADVERTISEMENTS, "rb");
    expect(await annotateNads("flat", "in-flat")).toBe('["ra"]');
  });

  test("e.3.2 of the default network is noted on a NetworkAttachmentDefinition that is made for it", async () => {
    for (const name of ["n1", "n2"]) {
      const annotations = { "k8s.ovn.org/node-subnets": `{"default":["10.128.${name.at(-1)}.0/24"]}` };
      await world.edit(NODES, name, { metadata: { annotations } });
    }
    await world.add(ADVERTISEMENTS, advertisement("ra", DEFAULT));
    expect(await accepted()).toBe(ACCEPTED);
    expect(await annotateNads("default", "ovn-kubernetes")).toBe('["ra"]');
    expect(await generated(world)).toEqual([
      "ra/bgp/n1 default: 10.128.1.0/24",
      "ra/bgp/n2 default: 10.128.2.0/24",
    ]);
  });

  test("follows networks, nodes and FRRConfigurations", async () => {
    await network(world, "flat", L2);
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    await world.remove(NODES, "n2");
    expect(await generated(world)).toHaveLength(2);
    await world.edit(FRR_CONFIGURATIONS, "bgp", { metadata: { labels: { use: "no" } } }, "frr");
    expect([await accepted(), await generated(world)]).toEqual([
      "False ConfigurationPending: configuration pending: no FRRConfigurations selected",
      [],
    ]);
    expect(await annotateNads("flat", "in-flat")).toBe("[]");
  });

  test("lets neighbours tell of other nodes' parts where there is no overlay; a node is no neighbour of itself", async () => {
    const noOverlay = { outboundSNAT: "Enabled", routing: "Unmanaged" };
    await network(world, "bare", { ...L3, transport: "NoOverlay", noOverlay });
    const neighbors = [NEIGHBOR, { asn: 64512, address: "192.168.126.11" }];
    const spec = { bgp: { routers: [{ asn: 64512, neighbors }] } };
    await world.edit(FRR_CONFIGURATIONS, "bgp", { spec }, "frr");
    const annotations = { "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"192.168.126.11/24"}' };
    await world.edit(NODES, "n1", { metadata: { annotations } });
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    const { items } = await world.client.list(FRR_CONFIGURATIONS, { labelSelector: `${NOTE}=ra` });
    const [first, second] = ["n1", "n2"].map((node) =>
      items.find(({ metadata }) => metadata.annotations?.[NOTE] === `ra/bgp/${node}`),
    );
    const received = { mode: "filtered", prefixes: [{ prefix: "10.201.0.0/16", le: 24, ge: 24 }] };
    const told = { address: "192.0.2.1", toReceive: { allowed: received } };
    const other = { address: "192.168.126.11", toReceive: { allowed: received } };
    expect(first?.["spec"]).toMatchObject({ bgp: { routers: [{ neighbors: [told] }, {}] } });
    expect(second?.["spec"]).toMatchObject({ bgp: { routers: [{ neighbors: [told, other] }, {}] } });
  });

  test("goes with it, also while nobody looked", async () => {
    await network(world, "flat", L2);
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    await world.restart(() => world.client.delete(ADVERTISEMENTS, { namespace: "", name: "ra" }));
    expect([await generated(world), await annotateNads("flat", "in-flat")]).toEqual([[], "[]"]);
  });

  test("is put back when somebody changes or deletes it", async () => {
    await network(world, "flat", L2);
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    const before = await generated(world);
    const [first, second] = (await world.client.list(FRR_CONFIGURATIONS, { labelSelector: NOTE })).items;
    await world.remove(FRR_CONFIGURATIONS, first?.metadata.name ?? "", "frr");
    await world.edit(FRR_CONFIGURATIONS, second?.metadata.name ?? "", { spec: { bgp: null } }, "frr");
    expect(await generated(world)).toEqual(before);
  });

  test("advertises egress addresses of the node that holds them", async () => {
    await network(world, "cut", L3);
    const egressIp = {
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressIP",
      metadata: { name: "e" },
      spec: { egressIPs: ["192.0.2.9"], namespaceSelector: { matchLabels: { of: "cut" } } },
    };
    await world.add(ovn("egressips"), egressIp);
    const status = { items: [{ egressIP: "192.0.2.9", node: "n2" }] };
    await world.edit(ovn("egressips"), "e", { status });
    await world.add(ADVERTISEMENTS, advertisement("ra", { advertisements: ["EgressIP"] }));
    expect(await generated(world)).toEqual([
      "ra/bgp/n2 cut:  from default",
      "ra/bgp/n2 default: 192.0.2.9/32 from cut",
    ]);
  });

  test("is not written when nothing changed, also after a restart", async () => {
    await network(world, "flat", L2);
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    await world.add(
      ADVERTISEMENTS,
      advertisement("rb", { frrConfigurationSelector: { matchLabels: { a: "b" } } }),
    );
    world.takeWrites();
    await world.restart();
    await world.edit(ADVERTISEMENTS, "ra", { metadata: { labels: { touched: "yes" } } });
    await world.edit(CUDNS, "flat", { metadata: { annotations: { "k8s.ovn.org/touched": "yes" } } });
    expect(world.takeWrites()).toEqual([]);
  });
});

describe("e.3.1 refused are", () => {
  beforeEach(async () => {
    await serveFrr(world);
    await world.add(FRR_CONFIGURATIONS, frr("bgp"));
    await world.add(NODES, nodeObject("n1"));
  });

  test("networks that share addresses in one VRF", async () => {
    await network(world, "a", L2);
    await network(world, "b", layer2("Primary", ["10.200.1.0/24"]));
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    expect(await accepted()).toBe(
      "False ConfigurationError: configuration error: overlapping CIDR detected within RouteAdvertisement " +
        '"ra" in VRF "": [cluster_udn_a:10.200.0.0/16 cluster_udn_b:10.200.1.0/24]',
    );
  });

  test("egress addresses of Layer2 networks", async () => {
    await network(world, "a", L2);
    await world.add(ADVERTISEMENTS, advertisement("ra", { advertisements: ["EgressIP"] }));
    expect(await accepted()).toBe(
      "False ConfigurationError: configuration error: " +
        "EgressIP advertisement is currently not supported for Layer2 networks, network: cluster_udn_a",
    );
  });

  test("neighbours of both families in one", async () => {
    await network(world, "a", L2);
    const neighbors = [{ ...NEIGHBOR, dualStackAddressFamily: true }];
    await world.add(FRR_CONFIGURATIONS, frr("dual", { neighbors }));
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    expect(await accepted()).toBe(
      "False ConfigurationError: configuration error: DualStackAddressFamily==true not supported, " +
        "seen on FRRConfiguration frr/dual neighbor 192.0.2.1",
    );
  });

  test("networks that are not primary", async () => {
    await network(world, "a", layer2("Secondary", ["10.200.0.0/16"]));
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    expect(await accepted()).toBe(
      "False ConfigurationError: configuration error: " +
        'selected network "cluster_udn_a" is not the default nor a primary network',
    );
  });

  test("FRRConfigurations without the VRF, which leaves what was made before", async () => {
    await network(world, "a", L2);
    await world.add(ADVERTISEMENTS, advertisement("ra"));
    const before = await generated(world);
    await world.edit(ADVERTISEMENTS, "ra", { spec: { targetVRF: "red" } });
    expect(await accepted()).toContain('FRRConfiguration "bgp" selected for node "n1" has no VRF matching');
    expect(await generated(world)).toEqual(before);
  });
});

describe("what fails through no fault of the object", () => {
  test("is not told, only tried again", async () => {
    world.refuse = ({ resource, verb }) =>
      resource === "network-attachment-definitions" && verb === "create" ? new Error("down") : undefined;
    await world.add(ADVERTISEMENTS, advertisement("ra", DEFAULT));
    expect(await accepted()).toBe("none");
    world.refuse = () => undefined;
    await world.advance(1_000);
    expect(await accepted()).toContain("no nodes selected");
  });
});
