import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { core, NADS, nadObject, namespaceObject, type World } from "../networks/support.ts";
import {
  addNetwork,
  addPod,
  allocations,
  configOf,
  IP_POOLS,
  NAMESPACE,
  PODS,
  reservations,
  startWhereabouts,
} from "./support.ts";

const RANGE = { range: "192.168.2.0/24" };
const POOL = "192.168.2.0-24";
const specOf = async (pool: string) => objectAt({ ...(await world.find(IP_POOLS, pool, NAMESPACE)) }, "spec");

let world: World;
beforeEach(async () => {
  world = await startWhereabouts();
});
afterEach(() => world.stop());

describe("h.1 the pool of a range", () => {
  test.each<[string, object, string]>([
    ["is named after it", RANGE, POOL],
    ["with host bits is of the network", { range: "192.168.2.7/24" }, POOL],
    ["of IPv6 has no colons", { range: "fd00::/64" }, "fd00---64"],
    ["in a named network begins with that", { ...RANGE, network_name: "blue" }, `blue-${POOL}`],
  ])("%s", async (_rule, ipam, name) => {
    await addNetwork(world, "net", ipam);
    await addPod(world, "p", "net");
    expect(await allocations(world, name)).toEqual(["1 ns/p net1"]);
  });

  test("h.2 is made when it is first used", async () => {
    await addNetwork(world, "net", RANGE);
    expect(await world.keys(IP_POOLS)).toEqual([]);
    await addPod(world, "p", "net");
    expect(await specOf(POOL)).toMatchObject({ range: "192.168.2.0/24" });
  });
});

describe("h.3 an allocation", () => {
  test("stands under the distance from the address of the range, and says whose it is", async () => {
    await addNetwork(world, "net", RANGE);
    await addPod(world, "p", "net");
    const id = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect((await specOf(POOL))?.["allocations"]).toEqual({ "1": { id, podref: "ns/p", ifname: "net1" } });
  });

  test("in a pool whose range has host bits counts from those", async () => {
    await addNetwork(world, "net", RANGE);
    await world.add(IP_POOLS, {
      apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
      kind: "IPPool",
      metadata: { name: POOL, namespace: NAMESPACE },
      spec: { range: "192.168.2.10/24", allocations: {} },
    });
    await addPod(world, "p", "net");
    expect(await allocations(world, POOL)).toEqual(["0 ns/p net1"]);
    expect(await reservations(world)).toEqual(["192.168.2.10 ns/p net1"]);
  });
});

describe("h.4 the address is the lowest free one", () => {
  test.each<[string, object, string[]]>([
    ["of the network, without its first", RANGE, ["1", "2"]],
    ["from range_start on", { ...RANGE, range_start: "192.168.2.200" }, ["200", "201"]],
    ["unless range_start lies outside", { ...RANGE, range_start: "10.0.0.1" }, ["1", "2"]],
    ["of a range that says start and end in one", { range: "192.168.2.5-192.168.2.9/24" }, ["5", "6"]],
    ["beside excluded ones", { ...RANGE, exclude: ["192.168.2.1", "192.168.2.4/30"] }, ["2", "3"]],
    ["behind an excluded network", { ...RANGE, exclude: ["192.168.2.0/29"] }, ["8", "9"]],
  ])("%s", async (_rule, ipam, offsets) => {
    await addNetwork(world, "net", ipam);
    await addPod(world, "p", "net");
    await addPod(world, "q", "net");
    const pool = await allocations(world, POOL);
    expect(pool).toEqual([`${offsets[0]} ns/p net1`, `${offsets[1]} ns/q net1`]);
  });

  test("freed ones are given again", async () => {
    await addNetwork(world, "net", RANGE);
    for (const name of ["p", "q", "r"]) await addPod(world, name, "net");
    await world.remove(PODS, "p", "ns");
    await addPod(world, "s", "net");
    expect(await allocations(world, POOL)).toEqual(["1 ns/s net1", "2 ns/q net1", "3 ns/r net1"]);
  });

  test("a pod made anew under its name has another container", async () => {
    await addNetwork(world, "net", RANGE);
    await addPod(world, "p", "net");
    const before = await specOf(POOL);
    await world.remove(PODS, "p", "ns");
    await addPod(world, "p", "net");
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
    expect(await specOf(POOL)).not.toEqual(before);
  });

  test("h.4 a pod made anew while nobody looked keeps its address, under its new container", async () => {
    await addNetwork(world, "net", RANGE);
    await addPod(world, "o", "net");
    await addPod(world, "p", "net");
    const before = await specOf(POOL);
    await world.restart(async () => {
      const { metadata, ...pod } = (await world.find(PODS, "p", "ns")) ?? { metadata: {} };
      await world.client.delete(PODS, { namespace: "ns", name: "p" });
      const { name = "", namespace = "", annotations = {} } = metadata;
      await world.client.create(PODS, { ...pod, metadata: { name, namespace, annotations } });
    });
    expect(await allocations(world, POOL)).toEqual(["1 ns/o net1", "2 ns/p net1"]);
    expect(await specOf(POOL)).not.toEqual(before);
  });
});

describe("exhaustion", () => {
  const SMALL = { range: "192.168.2.0/30", exclude: ["192.168.2.2"] };
  const MESSAGE =
    "Pod q FailedCreatePodSandBox: Failed to create pod sandbox: error at storage engine: " +
    "Could not allocate IP in range: ip: 192.168.2.1 / - 192.168.2.2 / range: 192.168.2.0/30 / " +
    "excludeRanges: [192.168.2.2]";

  beforeEach(async () => {
    await addNetwork(world, "net", SMALL);
    await addPod(world, "p", "net");
    await addPod(world, "q", "net");
  });

  test("h.4 is told in an event, once", async () => {
    expect(await allocations(world, "192.168.2.0-30")).toEqual(["1 ns/p net1"]);
    await world.edit(PODS, "q", { metadata: { annotations: { touched: "yes" } } }, "ns");
    expect(await world.events()).toEqual([MESSAGE]);
  });

  test("ends when an address is freed", async () => {
    await world.remove(PODS, "p", "ns");
    expect(await allocations(world, "192.168.2.0-30")).toEqual(["1 ns/q net1"]);
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/q net1"]);
  });

  test("ends when the network gets a wider range", async () => {
    await world.edit(NADS, "net", { spec: { config: configOf(RANGE) } }, "ns");
    expect(await allocations(world, POOL)).toEqual(["2 ns/q net1"]);
  });

  test("of one network leaves a pod without any address", async () => {
    await addNetwork(world, "other", { range: "10.0.0.0/24" });
    await addPod(world, "r", "other,net");
    expect(await allocations(world, "10.0.0.0-24")).toBeUndefined();
  });

  test("a range of fewer than two host bits has nothing to give", async () => {
    await addNetwork(world, "tiny", { range: "10.0.0.0/31" });
    await addPod(world, "r", "tiny");
    expect((await world.events()).at(-1)).toContain("10.0.0.0/31");
    expect(await world.keys(IP_POOLS)).toEqual([`${NAMESPACE}/192.168.2.0-30`]);
  });
});

describe("the networks of a pod", () => {
  test("are read as Multus reads them: names, namespaces and interfaces", async () => {
    await world.add(core("namespaces"), namespaceObject("far"));
    await addNetwork(world, "a", { range: "10.0.0.0/24" });
    await addNetwork(world, "b", { range: "10.0.1.0/24" }, "far");
    await addPod(world, "p", "a, far/b@eth5");
    await addPod(world, "q", '[{"name":"b","namespace":"far"},{"name":"a","interface":"eth7"}]');
    expect(await allocations(world, "10.0.0.0-24")).toEqual(["1 ns/p net1", "2 ns/q eth7"]);
    expect(await allocations(world, "10.0.1.0-24")).toEqual(["1 ns/p eth5", "2 ns/q net1"]);
  });

  test("may be one network twice", async () => {
    await addNetwork(world, "net", RANGE);
    await addPod(world, "p", "net,net");
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1", "2 ns/p net2"]);
  });

  test("may have several ranges, and lie in a list of plugins", async () => {
    const ipam = { type: "whereabouts", ipRanges: [RANGE, { range: "fd00:1::/64" }] };
    const config = JSON.stringify({ name: "net", plugins: [{ type: "macvlan", ipam }, { type: "tuning" }] });
    await world.add(NADS, nadObject("ns", "net", config));
    await addPod(world, "p", "net");
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
    expect(await allocations(world, "fd00-1---64")).toEqual(["1 ns/p net1"]);
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/p net1", "fd00-1--1 ns/p net1"]);
  });

  test("without Whereabouts are none of its business", async () => {
    await world.add(NADS, nadObject("ns", "net", '{"ipam":{"type":"static"}}'));
    await addPod(world, "p", "net");
    expect([await world.keys(IP_POOLS), await world.events()]).toEqual([[], []]);
  });

  test("are waited for while one is missing", async () => {
    await addNetwork(world, "a", { range: "10.0.0.0/24" });
    await addPod(world, "p", "a,b");
    expect(await allocations(world, "10.0.0.0-24")).toBeUndefined();
    await addNetwork(world, "b", RANGE);
    expect(await allocations(world, "10.0.0.0-24")).toEqual(["1 ns/p net1"]);
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net2"]);
  });

  test.each<[string, object, string]>([
    ["no range", {}, "no IP ranges are configured"],
    ["a range that is none", { range: "10.0.0.0" }, "invalid CIDR 10.0.0.0"],
    ["a start that is none", { ...RANGE, range_start: "x" }, "invalid IP address x"],
    ["an exclusion that is none", { ...RANGE, exclude: ["x"] }, "could not parse exclude range x"],
    ["slices of nodes", { ...RANGE, node_slice_size: "/28" }, "node_slice_size is not supported"],
  ])("with %s are told of", async (_rule, ipam, error) => {
    await addNetwork(world, "net", ipam);
    await addPod(world, "p", "net");
    expect(await world.events()).toEqual([
      `Pod p FailedCreatePodSandBox: Failed to create pod sandbox: error at storage engine: ${error}`,
    ]);
  });
});

describe("as OpenShift 4.13 did it", () => {
  beforeEach(async () => {
    await world.stop();
    world = await startWhereabouts({ profile: "openshift-4.13" });
    await addNetwork(world, "net", RANGE);
    await addPod(world, "p", "net,net");
  });

  test("h.3 no interface is noted, and those of a pod in one range share an address", async () => {
    const id = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect((await specOf(POOL))?.["allocations"]).toEqual({ "1": { id, podref: "ns/p" } });
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/p undefined"]);
  });

  test("nothing is written when nothing changed, also after a restart", async () => {
    world.takeWrites();
    await world.restart();
    expect(world.takeWrites()).toEqual([]);
  });
});
