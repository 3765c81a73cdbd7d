import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import { NADS, type World } from "../networks/support.ts";
import {
  addNetwork,
  addPod,
  allocations,
  configOf,
  finish,
  IP_POOLS,
  NAMESPACE,
  PODS,
  RESERVATIONS,
  reservations,
  setUp,
  startWhereabouts,
} from "./support.ts";

const RANGE = { range: "192.168.2.0/24" };
const POOL = "192.168.2.0-24";

let world: World;
beforeEach(async () => {
  world = await startWhereabouts();
  await addNetwork(world, "net", RANGE);
});
afterEach(() => world.stop());

describe("a network whose configuration breaks and is mended", () => {
  test("gives addresses to those who have asked meanwhile", async () => {
    await world.edit(NADS, "net", { spec: { config: "broken" } }, "ns");
    await addPod(world, "p", "net");
    expect(await allocations(world, POOL)).toBeUndefined();
    await world.edit(NADS, "net", { spec: { config: "{}" } }, "ns");
    await world.edit(NADS, "net", { spec: { config: configOf(RANGE) } }, "ns");
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
  });
});

describe("h.6 a reservation", () => {
  test("comes with the address, and goes with it", async () => {
    await addPod(world, "p", "net");
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/p net1"]);
    await world.remove(PODS, "p", "ns");
    expect(await reservations(world)).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["of IPv6 has no colons", { range: "fd00::/64" }, "fd00--1"],
    ["in a named network begins with that", { ...RANGE, network_name: "blue" }, "blue-192.168.2.1"],
  ])("%s", async (_rule, ipam, name) => {
    await addNetwork(world, "other", ipam);
    await addPod(world, "p", "other");
    expect(await reservations(world)).toEqual([`${name} ns/p net1`]);
  });

  test("keeps an address from being given in another range", async () => {
    await addNetwork(world, "wide", { range: "192.168.0.0/16", range_start: "192.168.2.1" });
    await addPod(world, "p", "net");
    await addPod(world, "q", "wide");
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/p net1", "192.168.2.2 ns/q net1"]);
  });

  test("is not made where overlapping ranges are off; an address may be given twice then", async () => {
    const off = { enable_overlapping_ranges: false };
    await addNetwork(world, "a", { range: "10.0.0.0/24", ...off });
    await addNetwork(world, "b", { range: "10.0.0.0/25", ...off });
    await addPod(world, "p", "a");
    await addPod(world, "q", "b");
    expect(await allocations(world, "10.0.0.0-24")).toEqual(["1 ns/p net1"]);
    expect(await allocations(world, "10.0.0.0-25")).toEqual(["1 ns/q net1"]);
    expect(await reservations(world)).toEqual([]);
  });

  test("of the same pod is used again", async () => {
    await world.restart(async () => {
      await world.client.create(RESERVATIONS, {
        apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
        kind: "OverlappingRangeIPReservation",
        metadata: { name: "192.168.2.1", namespace: NAMESPACE },
        spec: { podref: "ns/p", ifname: "net1" },
      });
      await world.client.create(PODS, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace: "ns", name: "p", annotations: { "k8s.v1.cni.cncf.io/networks": "net" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
    });
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/p net1"]);
  });
});

describe("h.8 what nobody uses is taken back", () => {
  test.each([["Succeeded"], ["Failed"]])("of a pod that has %s", async (phase) => {
    await addPod(world, "p", "net");
    await finish(world, "p", phase);
    expect([await allocations(world, POOL), await reservations(world)]).toEqual([[], []]);
  });

  test("of pods that went while nobody looked", async () => {
    await addPod(world, "p", "net");
    await addPod(world, "q", "net");
    await world.restart(() => world.client.delete(PODS, { namespace: "ns", name: "p" }));
    expect(await allocations(world, POOL)).toEqual(["2 ns/q net1"]);
    expect(await reservations(world)).toEqual(["192.168.2.2 ns/q net1"]);
  });

  test("of pods that never were", async () => {
    const ghost = { id: "x", podref: "ns/ghost", ifname: "net1" };
    await addPod(world, "p", "net");
    await world.edit(IP_POOLS, POOL, { spec: { allocations: { "9": ghost } } }, NAMESPACE);
    await world.add(RESERVATIONS, {
      apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
      kind: "OverlappingRangeIPReservation",
      metadata: { name: "192.168.2.9", namespace: NAMESPACE },
      spec: { podref: "ns/ghost" },
    });
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/p net1"]);
  });

  test("of a pod that was set up with other addresses, and it is given none again", async () => {
    await addPod(world, "p", "net");
    await setUp(world, "p", "192.168.2.1");
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
    await setUp(world, "p", "192.168.2.77");
    expect([await allocations(world, POOL), await reservations(world)]).toEqual([[], []]);
  });

  test("but nothing that names no pod, or stands under an odd key", async () => {
    await addPod(world, "p", "net");
    const odd = { "9": { id: "x", podref: "" }, x: { id: "x", podref: "ns/ghost" } };
    await world.edit(IP_POOLS, POOL, { spec: { allocations: odd } }, NAMESPACE);
    expect(await allocations(world, POOL)).toHaveLength(3);
  });

  test("h.7 nothing happens for a pod that has nothing", async () => {
    await addPod(world, "p", "");
    world.takeWrites();
    await world.remove(PODS, "p", "ns");
    expect(world.takeWrites()).toEqual([]);
  });
});

describe("what a user takes away", () => {
  beforeEach(() => addPod(world, "p", "net"));

  test("from a pool comes back", async () => {
    await world.edit(IP_POOLS, POOL, { spec: { allocations: { "1": null } } }, NAMESPACE);
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
  });

  test("with the whole pool comes back", async () => {
    await world.remove(IP_POOLS, POOL, NAMESPACE);
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
  });

  test("as a reservation comes back", async () => {
    await world.remove(RESERVATIONS, "192.168.2.1", NAMESPACE);
    expect(await reservations(world)).toEqual(["192.168.2.1 ns/p net1"]);
  });

  test("an entry given to another pod that lives is that pod's", async () => {
    await addPod(world, "q", "");
    const entry = { podref: "ns/q" };
    await world.edit(IP_POOLS, POOL, { spec: { allocations: { "1": entry } } }, NAMESPACE);
    expect(await allocations(world, POOL)).toEqual(["1 ns/q net1", "2 ns/p net1"]);
  });
});

describe("nothing is written", () => {
  beforeEach(async () => {
    await addPod(world, "p", "net");
    await addPod(world, "q", "net");
    world.takeWrites();
  });

  test("after a restart", async () => {
    await world.restart();
    expect(world.takeWrites()).toEqual([]);
  });

  test("for pods that change otherwise, or go away slowly", async () => {
    await world.edit(PODS, "p", { metadata: { labels: { a: "b" }, annotations: { c: "d" } } }, "ns");
    await finish(world, "p", "Running");
    expect(world.takeWrites()).toEqual([]);
  });

  test("when a network says something else later, also after a restart", async () => {
    await world.edit(NADS, "net", { spec: { config: configOf({ range: "10.0.0.0/24" }) } }, "ns");
    await world.restart();
    expect(world.takeWrites()).toEqual([]);
  });
});

describe("h.5 a write that somebody else was faster with", () => {
  test("is tried again", async () => {
    let left = 2;
    const conflict = (): unknown =>
      left-- > 0
        ? new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 422 })
        : undefined;
    world.refuse = ({ verb, resource }) =>
      verb === "patch" && resource === "ippools" ? conflict() : undefined;
    await addPod(world, "p", "net");
    expect(await allocations(world, POOL)).toEqual([]);
    await world.advance(1_000);
    expect(await allocations(world, POOL)).toEqual([]);
    await world.advance(2_000);
    expect(await allocations(world, POOL)).toEqual(["1 ns/p net1"]);
  });
});
