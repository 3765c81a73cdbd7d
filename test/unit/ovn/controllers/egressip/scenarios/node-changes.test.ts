// Scenarios 1–18: changes of EgressIPs when nodes are added, deleted and changed.
import { afterEach, describe, expect, test } from "vitest";
import { Cluster } from "../../../../kube/controllers/support.ts";
import { CloudCluster, egressIpConfig } from "../cloud-cluster.ts";
import { held, N1, N2, startWith, withItems } from "./support.ts";

let cluster: Cluster;
afterEach(() => cluster.stop());

const IP = "192.168.126.101";
const UNLABELLED = { label: false } as const;

describe("a node that is lost", () => {
  const addresses: [number, string][] = [
    [1, IP],
    [2, "10.10.10.100"],
    [3, "7.7.7.100"],
    [4, "7.7.8.100"],
  ];

  test.each(addresses)(
    "%i: %s moves from the node that loses the label to the one that gets it",
    async (_number, address) => {
      cluster = await Cluster.start();
      await cluster.addNode("n1", N1);
      await cluster.addNode("n2", { ...N2, ...UNLABELLED });
      await cluster.addEgressIp("e", [address]);
      expect(await cluster.items("e")).toEqual([`${address}@n1`]);
      await cluster.label("n1", null);
      await cluster.label("n2", "");
      expect(await cluster.items("e")).toEqual([`${address}@n2`]);
    },
  );

  test.each(addresses)("5 (as %i): %s moves when its node is deleted", async (_number, address) => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", { ...N2, ...UNLABELLED });
    await cluster.addEgressIp("e", [address]);
    await cluster.label("n2", "");
    expect(await cluster.items("e")).toEqual([`${address}@n1`]);
    await cluster.deleteNode("n1");
    expect(await cluster.items("e")).toEqual([`${address}@n2`]);
  });
});

describe("which nodes are known and which can be used", () => {
  test("7: nodes join one by one, with a network of each family they have", async () => {
    cluster = await Cluster.start();
    expect(cluster.describe()).toHaveLength(0);
    await cluster.addNode("n1", { ipv4: "192.168.128.202/24", ipv6: "::feff:c0a8:8e0c/64" });
    expect(cluster.describe()).toHaveLength(1);
    await cluster.addNode("n2", { ipv4: "192.168.126.51/24" });
    expect(cluster.describe()).toHaveLength(2);
    await cluster.addEgressIp("four", ["192.168.128.9"]);
    await cluster.addEgressIp("six", ["::feff:c0a8:8e0d"]);
    await cluster.addEgressIp("other", [IP]);
    expect([await cluster.items("four"), await cluster.items("six"), await cluster.items("other")]).toEqual([
      ["192.168.128.9@n1"],
      ["::feff:c0a8:8e0d@n1"],
      [`${IP}@n2`],
    ]);
  });

  test("8: a node that loses the label at once stays known, but is not used", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.label("n1", null);
    expect(cluster.describe()).toEqual([{ node: "n1", eligible: false, allocations: {} }]);
    await cluster.addEgressIp("e", [IP]);
    expect(await cluster.items("e")).toBeUndefined();
  });

  test.each(["", false] as const)(
    "10: a node whose primary address is none is never used (label %j)",
    async (label) => {
      cluster = await Cluster.start();
      await cluster.addNode("n1", { ipv4: "192.168.126.510/24", hosts: "[]", label });
      await cluster.addEgressIp("e", [IP]);
      await cluster.label("n1", "");
      expect(await cluster.items("e")).toBeUndefined();
      expect(cluster.describe().filter(({ eligible }) => eligible)).toEqual([]);
    },
  );

  test("11: nodes that answer are used; one that does not is found at the next check; one without the label is not asked", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", N2);
    const eligible = (): string[] =>
      cluster.describe().flatMap(({ node, eligible: is }) => (is ? [node] : []));
    expect(eligible()).toEqual(["n1", "n2"]);
    const reachable = (name: string, value: "false" | null): Promise<void> =>
      cluster.patchNode(name, { metadata: { annotations: { "egret.dev/reachable": value } } });
    await reachable("n2", "false");
    cluster.clock.advance(5_000);
    await cluster.idle();
    expect(eligible()).toEqual(["n1"]);
    await cluster.label("n2", null);
    await reachable("n2", null);
    expect(cluster.clock.pending).toBe(0);
    expect(eligible()).toEqual(["n1"]);
  });
});

describe("what waits and what moves", () => {
  test("9: the second address waits for a second node, and comes behind the first", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv4: "192.168.126.12/24" });
    await cluster.addNode("n2", { ipv4: "192.168.126.13/24", ...UNLABELLED });
    await cluster.addEgressIp("e1", ["192.168.126.25", "192.168.126.30"]);
    await cluster.addEgressIp("e2", ["192.168.126.35"]);
    expect([await cluster.items("e1"), await cluster.items("e2")]).toEqual([
      ["192.168.126.25@n1"],
      ["192.168.126.35@n1"],
    ]);
    expect(await cluster.events("e1")).toContain(
      "UnassignedRequest: Not all egress IPs for EgressIP: e1 could be assigned, please tag more nodes",
    );
    await cluster.label("n2", "");
    expect(await cluster.items("e1")).toEqual(["192.168.126.25@n1", "192.168.126.30@n2"]);
  });

  test("12: the address of a node is refused, with two events each time", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv4: "192.168.128.202/24" });
    await cluster.addNode("n2", { ipv4: "192.168.126.51/24" });
    await cluster.addEgressIp("e", ["192.168.126.51"]);
    expect(await cluster.items("e")).toBeUndefined();
    expect(await cluster.events("e")).toEqual([
      "EgressIPConflict: Egress IP e with IP 192.168.126.51 is conflicting with a host (n2) IP address and will not be assigned",
      "NoMatchingNodeFound: No matching nodes found, which can host any of the egress IPs: [192.168.126.51] for object EgressIP: e",
    ]);
    await cluster.touch("e");
    expect((await cluster.events("e")).map((text) => text.slice(-3))).toEqual([" ×2", " ×2"]);
  });

  test("13: a label that was lost while the manager was down moves the address at the start", async () => {
    cluster = await startWith({ n1: { ...N1, ...UNLABELLED }, n2: N2 }, [["e", [IP], withItems([IP, "n1"])]]);
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
  });

  test("14: a node of another network does not help, one of the right network does", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv4: "192.168.128.202/24", ...UNLABELLED });
    await cluster.addNode("n2", { ipv4: "192.168.126.51/24", ...UNLABELLED });
    await cluster.addEgressIp("e", [IP]);
    expect(await cluster.items("e")).toBeUndefined();
    await cluster.label("n1", "");
    expect(await cluster.items("e")).toBeUndefined();
    await cluster.label("n2", "");
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
  });

  test("15: a second node draws nothing to it, but takes over when the first is deleted", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv4: "192.168.126.12/24" });
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", { ipv4: "192.168.126.51/24" });
    expect([await cluster.items("e"), held(cluster)]).toEqual([[`${IP}@n1`], { n1: 1, n2: 0 }]);
    await cluster.deleteNode("n1");
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
  });

  test("16: only the periodic check brings back a node that had stopped answering", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    const annotate = (annotations: Record<string, string | null>): Promise<void> =>
      cluster.patchNode("n1", { metadata: { annotations } });
    const check = async (): Promise<void> => {
      cluster.clock.advance(5_000);
      await cluster.idle();
    };
    await annotate({ "egret.dev/reachable": "false" });
    await check();
    expect(await cluster.items("e")).toEqual([]);
    await annotate({ "egret.dev/reachable": null, unrelated: "x" });
    expect(await cluster.items("e")).toEqual([]);
    await check();
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });
});

describe("on a cloud", () => {
  const ADDRESS = "fc00:f853:ccd:e793::101";
  const NODE = { ipv4: "192.168.126.12/24", ipv6: "fc00:f853:ccd:e793::1/64" };
  const onlyV4 = egressIpConfig({ ipv4: "192.168.126.0/24" });

  test("17: an address without a network is asked for when the cloud names the network", async () => {
    const cloud = await CloudCluster.start();
    cluster = cloud.cluster;
    await cloud.addNode("n1", { ...NODE, config: onlyV4 });
    await cluster.addEgressIp("e", [ADDRESS]);
    expect(await cloud.asked()).toEqual([]);
    await cloud.setConfig(
      "n1",
      egressIpConfig({ ipv4: "192.168.126.0/24", ipv6: "fc00:f853:ccd:e793::/64" }),
    );
    expect(await cloud.asked()).toEqual(["fc00.f853.0ccd.e793.0000.0000.0000.0101@n1 of e"]);
  });

  test("18: another annotation changes nothing", async () => {
    const cloud = await CloudCluster.start();
    cluster = cloud.cluster;
    await cloud.addNode("n1", { ...NODE, config: onlyV4 });
    await cluster.addEgressIp("e", [ADDRESS]);
    await cluster.patchNode("n1", { metadata: { annotations: { unrelated: "x" } } });
    expect(await cloud.asked()).toEqual([]);
  });
});
