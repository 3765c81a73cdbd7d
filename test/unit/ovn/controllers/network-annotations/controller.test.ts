import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { parseClusterSubnets } from "../../../../../src/cluster/cluster-subnets.ts";
import { networkAnnotations } from "../../../../../src/ovn/controllers/network-annotations/controller.ts";
import { withSettings } from "../../../kube/controllers/support.ts";
import { core, nodeObject, World } from "../networks/support.ts";

const NODES = core("nodes");
const SUBNETS = "k8s.ovn.org/node-subnets";
const ID = "k8s.ovn.org/node-id";
const TRANSIT = "k8s.ovn.org/node-transit-switch-port-ifaddr";

const start = (clusterSubnets: string): Promise<World> =>
  World.start(withSettings(networkAnnotations, { clusterSubnets }));

const annotationsOf = async (name: string): Promise<Record<string, string>> =>
  (await world.find(NODES, name))?.metadata.annotations ?? {};
const subnetsOf = async (name: string): Promise<unknown> =>
  JSON.parse((await annotationsOf(name))[SUBNETS] ?? "{}").default;
const nodeWith = (name: string, annotations: Record<string, string>): KubeObject =>
  nodeObject(name, { annotations });
const nodeOn = (name: string, ...subnets: string[]): KubeObject =>
  nodeWith(name, { [SUBNETS]: JSON.stringify({ default: subnets }) });

let world: World;
afterEach(() => world.stop());

describe("a node", () => {
  beforeEach(async () => {
    world = await start("10.128.0.0/14/23,fd01::/48/64");
  });

  test("gets a part of each cluster network, a number, and its addresses between the nodes", async () => {
    await world.add(NODES, nodeObject("n1"));
    expect(await annotationsOf("n1")).toEqual({
      [SUBNETS]: '{"default":["10.128.0.0/23","fd01:0:0:1::/64"]}',
      [ID]: "2",
      [TRANSIT]: '{"ipv4":"100.88.0.2/16","ipv6":"fd97::2/64"}',
    });
  });

  test("gets a part that no other has, also not one that was just freed", async () => {
    for (const name of ["n1", "n2"]) await world.add(NODES, nodeObject(name));
    await world.remove(NODES, "n1");
    await world.add(NODES, nodeObject("n3"));
    expect(await subnetsOf("n2")).toEqual(["10.129.0.0/23", "fd01:0:0:2::/64"]);
    expect(await subnetsOf("n3")).toEqual(["10.130.0.0/23", "fd01:0:0:3::/64"]);
  });

  test("keeps what it says it has", async () => {
    await world.add(NODES, nodeOn("n1", "10.128.2.0/23", "fd01:0:0:9::/64"));
    expect(await subnetsOf("n1")).toEqual(["10.128.2.0/23", "fd01:0:0:9::/64"]);
  });

  test("is given another for one that lies outside", async () => {
    await world.add(NODES, nodeOn("n1", "10.0.0.0/23", "fd01:0:0:9::/64"));
    expect(await subnetsOf("n1")).toEqual(["fd01:0:0:9::/64", "10.128.0.0/23"]);
  });

  test.each([
    "garbage",
    "[]",
    '{"default":["x"]}',
    '{"default":5}',
    '{"default":["10.128.2.0/23"],"a":"10.5.0.0/24"}',
  ])("keeps an annotation that cannot be read, and is served once it is mended: %s", async (text) => {
    await world.add(NODES, nodeWith("n1", { [SUBNETS]: text }));
    expect((await annotationsOf("n1"))[SUBNETS]).toBe(text);
    await world.edit(NODES, "n1", { metadata: { annotations: { [SUBNETS]: '{"default":[]}' } } });
    expect(await subnetsOf("n1")).toEqual(["10.128.0.0/23", "fd01:0:0:1::/64"]);
  });

  test("that claims another's part is given one of its own", async () => {
    await world.add(NODES, nodeObject("n1"));
    await world.add(NODES, nodeOn("n2", "10.128.0.0/23", "fd01:0:0:1::/64"));
    expect(await subnetsOf("n1")).toEqual(["10.128.0.0/23", "fd01:0:0:1::/64"]);
    expect(await subnetsOf("n2")).toEqual(["10.129.0.0/23", "fd01:0:0:2::/64"]);
  });

  test("has removed annotations put back as they were", async () => {
    await world.add(NODES, nodeObject("n1"));
    const before = await annotationsOf("n1");
    await world.edit(NODES, "n1", { metadata: { annotations: { [SUBNETS]: null, [ID]: "77" } } });
    expect((await annotationsOf("n1"))[SUBNETS]).toBe(before[SUBNETS]);
    await world.edit(NODES, "n1", { metadata: { annotations: null } });
    expect((await annotationsOf("n1"))[SUBNETS]).toBe(before[SUBNETS]);
  });

  test("keeps the parts of other networks that stand beside", async () => {
    const text = JSON.stringify({ other: ["10.5.0.0/24"] });
    await world.add(NODES, nodeWith("n1", { [SUBNETS]: text }));
    expect((await annotationsOf("n1"))[SUBNETS]).toBe(
      '{"default":["10.128.0.0/23","fd01:0:0:1::/64"],"other":["10.5.0.0/24"]}',
    );
  });

  test("is not written when nothing changed, also after a restart", async () => {
    for (const name of ["n1", "n2"]) await world.add(NODES, nodeObject(name));
    world.takeWrites();
    await world.restart();
    await world.edit(NODES, "n1", { metadata: { labels: { touched: "yes" } } });
    expect(world.takeWrites()).toEqual([]);
  });

  test("of two that claim the same at a start the older one, then the first by name, has it", async () => {
    await world.restart(async () => {
      for (const name of ["n2", "n1"]) {
        await world.client.create(NODES, nodeOn(name, "10.128.0.0/23", "fd01:0:0:1::/64"));
      }
    });
    expect(await subnetsOf("n1")).toEqual(["10.128.0.0/23", "fd01:0:0:1::/64"]);
    expect(await subnetsOf("n2")).not.toEqual(await subnetsOf("n1"));
  });
});

describe("when the cluster network is used up", () => {
  test("the last node goes without, until another leaves", async () => {
    world = await start("10.128.0.0/23/24");
    for (const name of ["n1", "n2", "n3"]) await world.add(NODES, nodeObject(name));
    expect(await subnetsOf("n3")).toBeUndefined();
    await world.remove(NODES, "n1");
    expect(await subnetsOf("n3")).toEqual(["10.128.0.0/24"]);
  });
});

describe("--cluster-subnets", () => {
  test("may leave the size of a part open", () => {
    const prefixes = parseClusterSubnets("10.128.0.0/14,fd01::/48").map(({ hostPrefix }) => hostPrefix);
    expect(prefixes).toEqual([24, 64]);
  });

  test.each([
    ["x/14/23"],
    ["10.128.0.0/14/14"],
    ["fd01::/48/63"],
    ["10.128.0.0/14/x"],
    ["10.0.0.0/8,10.1.0.0/16"],
  ])("%s is refused", (text) => {
    expect(() => parseClusterSubnets(text)).toThrow();
  });
});
