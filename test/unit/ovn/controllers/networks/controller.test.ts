import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { conflict, MODIFIED } from "../../../../../src/apimachinery/meta/status.ts";
import { controllerDescriptors } from "../../../../../src/server/controller-list.ts";
import { CUDNS, cudn, layer2, layer3, UDNS, udn } from "../userdefinednetwork/support.ts";
import { core, NADS, namespaceObject, nodeObject, World } from "./support.ts";

const NODES = core("nodes");
const NAMESPACES = core("namespaces");
const SUBNETS = "k8s.ovn.org/node-subnets";
const CONTROLLERS = ["userdefinednetwork", "networks"];
const WIDE = layer3("Secondary", [{ cidr: "10.200.0.0/16", hostSubnet: 24 }]);
const NARROW = layer3("Secondary", [{ cidr: "10.201.0.0/23", hostSubnet: 24 }]);
const SUCCEEDED = "True NetworkAllocationSucceeded: Network allocation succeeded for all synced nodes.";
const FAILED =
  "False InternalError: Network allocation failed for at least one node: n3, check UDN events for more info.";

const allocated = (name: string): Promise<string> =>
  world.condition(UDNS, "NetworkAllocationSucceeded", name, "ns");
const partsOf = async (node: string): Promise<unknown> =>
  JSON.parse((await world.find(NODES, node))?.metadata.annotations?.[SUBNETS] ?? "{}");
const numbers = async (): Promise<unknown[]> =>
  (await world.client.list(NADS)).items.map(
    ({ metadata }) => `${metadata.name} ${metadata.annotations?.["k8s.ovn.org/network-id"]}`,
  );

let world: World;
beforeEach(async () => {
  world = await World.start(...controllerDescriptors.filter(({ name }) => CONTROLLERS.includes(name)));
  await world.add(NAMESPACES, namespaceObject("ns", { team: "a" }));
});
afterEach(() => world.stop());

describe("a Layer3 network", () => {
  test("has a part noted on every node, new ones too, beside those of other networks", async () => {
    await world.add(NODES, nodeObject("n1", { annotations: { [SUBNETS]: '{"default":["10.128.0.0/23"]}' } }));
    await world.add(UDNS, udn("ns", "a", WIDE));
    await world.add(UDNS, udn("ns", "b", NARROW));
    await world.add(NODES, nodeObject("n2"));
    expect(await partsOf("n1")).toEqual({
      default: ["10.128.0.0/23"],
      ns_a: ["10.200.0.0/24"],
      ns_b: ["10.201.0.0/24"],
    });
    expect(await partsOf("n2")).toEqual({ ns_a: ["10.200.1.0/24"], ns_b: ["10.201.1.0/24"] });
  });

  test("of both families has a part of each", async () => {
    const subnets = [
      { cidr: "10.200.0.0/16", hostSubnet: 24 },
      { cidr: "fd00:200::/48", hostSubnet: 64 },
    ];
    await world.add(NODES, nodeObject("n1"));
    await world.add(CUDNS, cudn("net", layer3("Secondary", subnets)));
    expect(await partsOf("n1")).toEqual({ cluster_udn_net: ["10.200.0.0/24", "fd00:200:0:1::/64"] });
  });

  test("is taken from the nodes when it goes, also while nobody looked", async () => {
    await world.add(NODES, nodeObject("n1"));
    await world.add(UDNS, udn("ns", "a", WIDE));
    await world.add(UDNS, udn("ns", "b", NARROW));
    await world.remove(UDNS, "a", "ns");
    expect(await partsOf("n1")).toEqual({ ns_b: ["10.201.0.0/24"] });
    await world.restart(async () => {
      const free = { type: "merge", body: { metadata: { finalizers: null } } } as const;
      for (const resource of [UDNS, NADS]) {
        await world.client.patch(resource, { namespace: "ns", name: "b" }, free);
        await world.client.delete(resource, { namespace: "ns", name: "b" });
      }
    });
    expect(await partsOf("n1")).toEqual({});
  });

  test("keeps its parts through a restart, and puts them back", async () => {
    for (const name of ["n1", "n2"]) await world.add(NODES, nodeObject(name));
    await world.add(UDNS, udn("ns", "a", WIDE));
    const before = await partsOf("n2");
    await world.restart(() => world.client.delete(NODES, { namespace: "", name: "n1" }));
    expect(await partsOf("n2")).toEqual(before);
    await world.edit(NODES, "n2", { metadata: { annotations: { [SUBNETS]: null } } });
    expect(await partsOf("n2")).toEqual(before);
  });

  test("puts its part back once a broken annotation is away", async () => {
    await world.add(NODES, nodeObject("n1"));
    await world.add(UDNS, udn("ns", "a", WIDE));
    const before = await partsOf("n1");
    await world.edit(NODES, "n1", { metadata: { annotations: { [SUBNETS]: "broken" } } });
    await world.edit(NODES, "n1", { metadata: { annotations: { [SUBNETS]: null } } });
    expect(await partsOf("n1")).toEqual(before);
  });

  test("e.2.9 tells of the first node that gets no part, in an event too, until there is room", async () => {
    for (const name of ["n1", "n2", "n3", "n4"]) await world.add(NODES, nodeObject(name));
    await world.add(UDNS, udn("ns", "b", NARROW));
    expect(await allocated("b")).toBe(FAILED);
    expect(await world.events()).toEqual([
      "UserDefinedNetwork b NetworkAllocationFailed: " +
        "Error occurred for node n3: error allocating network for node n3: no subnets available.",
    ]);
    expect((await world.client.list(core("events"))).items.map((event) => event["count"])).toEqual([1]);
    await world.remove(NODES, "n1");
    await world.remove(NODES, "n4");
    expect(await partsOf("n3")).toEqual({ ns_b: ["10.201.0.0/24"] });
    expect(await allocated("b")).toBe(SUCCEEDED);
  });
});

describe("every network", () => {
  test("e.2.9 is allocated, with or without nodes", async () => {
    await world.add(UDNS, udn("ns", "l2", layer2("Secondary", ["10.202.0.0/16"])));
    expect(await allocated("l2")).toBe(SUCCEEDED);
    await world.add(NODES, nodeObject("n1"));
    expect(await allocated("l2")).toBe(SUCCEEDED);
    expect(await partsOf("n1")).toEqual({});
  });

  test("has a number; the lowest free one comes next, and a restart changes none", async () => {
    for (const name of ["a", "b", "c"]) {
      await world.add(UDNS, udn("ns", name, layer2("Secondary", ["10.202.0.0/16"])));
    }
    await world.remove(UDNS, "a", "ns");
    await world.restart();
    expect(await numbers()).toEqual(["b 2", "c 3"]);
    await world.add(UDNS, udn("ns", "d", layer2("Secondary", ["10.202.0.0/16"])));
    expect(await numbers()).toEqual(["b 2", "c 3", "d 1"]);
  });

  test("has nothing written when nothing changed, also after a restart", async () => {
    for (const name of ["n1", "n2", "n3"]) await world.add(NODES, nodeObject(name));
    await world.add(UDNS, udn("ns", "a", WIDE));
    await world.add(UDNS, udn("ns", "b", NARROW));
    world.takeWrites();
    await world.restart();
    await world.edit(NODES, "n1", { metadata: { labels: { touched: "yes" } } });
    expect(world.takeWrites()).toEqual([]);
    expect(await world.events()).toHaveLength(1);
  });

  test("has a part written again where somebody else was faster", async () => {
    await world.add(NODES, nodeObject("n1"));
    let touched = false;
    world.refuse = ({ verb, resource }) => {
      if (touched || verb !== "patch" || resource !== "nodes") return undefined;
      touched = true;
      return conflict({ group: "", resource: "nodes" }, "n1", MODIFIED);
    };
    await world.add(UDNS, udn("ns", "a", WIDE));
    expect(touched).toBe(true);
    expect(await partsOf("n1")).toEqual({ ns_a: ["10.200.0.0/24"] });
  });
});
