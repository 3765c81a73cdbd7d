import { afterEach, describe, expect, test } from "vitest";
import { Cluster } from "../../../kube/controllers/support.ts";

const N1 = { ipv4: "192.168.126.11/24" };
const N2 = { ipv4: "192.168.126.12/24" };
const IP = "192.168.126.101";

let cluster: Cluster;
afterEach(() => cluster.stop());

const NO_NODE =
  "NoMatchingNodeFound: no assignable nodes for EgressIP: e, please tag at least one node with label: k8s.ovn.org/egress-assignable";

describe("a node that can be used now lets waiting EgressIPs look again (rules 33, 34, 38)", () => {
  test("33: when it joins", async () => {
    cluster = await Cluster.start();
    await cluster.addEgressIp("e", [IP]);
    expect(await cluster.events("e")).toEqual([NO_NODE]);
    await cluster.addNode("n1", N1);
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });

  test("34c: when a ready node gets the label", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ...N1, label: false });
    await cluster.addEgressIp("e", [IP]);
    await cluster.label("n1", "");
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });

  test("34c: not yet when a node gets the label that is not ready, but when it becomes so", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ...N1, label: false, ready: false });
    await cluster.addEgressIp("e", [IP]);
    await cluster.label("n1", "");
    expect(await cluster.items("e")).toBeUndefined();
    await cluster.ready("n1", true);
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });

  test("34: when its primary address becomes readable", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ...N1 });
    await cluster.addNode("n2", {});
    await cluster.addEgressIp("e", [IP, "192.168.126.102"]);
    await cluster.annotate("n2", { "node-primary-ifaddr": { ipv4: "192.168.126.12/24" } });
    expect(await cluster.items("e")).toEqual([`${IP}@n1`, "192.168.126.102@n2"]);
  });

  test("34e: when host-cidrs of a labelled, ready node change", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["10.10.10.100"]);
    await cluster.annotate("n1", { "host-cidrs": ["192.168.126.11/24", "10.10.10.3/24"] });
    expect(await cluster.items("e")).toEqual(["10.10.10.100@n1"]);
  });

  test("34e: when host-cidrs of a labelled, ready node appear", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.annotate("n1", { "host-cidrs": null });
    await cluster.addEgressIp("e", [IP]);
    expect(await cluster.items("e")).toBeUndefined();
    await cluster.annotate("n1", { "host-cidrs": ["192.168.126.11/24"] });
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });
});

describe("a node that cannot be used any more gives up its addresses (rules 34–36)", () => {
  const leave: Record<string, () => Promise<void>> = {
    "34a: loses the label": () => cluster.label("n1", null),
    "34e: is not ready": () => cluster.ready("n1", false),
    "35: is deleted": () => cluster.deleteNode("n1"),
  };
  test.each(Object.keys(leave))("%s: the address moves in a single change", async (rule) => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", N2);
    cluster.takeWrites();
    await leave[rule]?.();
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
    expect(cluster.takeWrites()).toHaveLength(1);
    expect((await cluster.egressIp("e")).metadata.generation).toBe(3);
  });

  test.each(Object.keys(leave))("%s, the last one: the items are emptied, with an event", async (rule) => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await leave[rule]?.();
    expect(await cluster.items("e")).toEqual([]);
    // Once for the loss, once for its own change of the status.
    expect(await cluster.events("e")).toEqual([`${NO_NODE} ×2`]);
  });

  test("36: an address never moves to a node without a network for it", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", { ipv4: "192.168.200.12/24" });
    await cluster.ready("n1", false);
    expect(await cluster.items("e")).toEqual([]);
    expect(await cluster.events("e")).toEqual([
      `NoMatchingNodeFound: No matching nodes found, which can host any of the egress IPs: [${IP}] for object EgressIP: e ×2`,
    ]);
  });

  test("36: only what was on the node moves; what stays keeps its place", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", N2);
    await cluster.addNode("n3", { ipv4: "192.168.126.13/24" });
    await cluster.addEgressIp("e", [IP, "192.168.126.102", "192.168.126.103"]);
    await cluster.addNode("n4", { ipv4: "192.168.126.14/24" });
    await cluster.label("n1", null);
    expect(await cluster.items("e")).toEqual(["192.168.126.102@n2", "192.168.126.103@n3", `${IP}@n4`]);
  });

  test("36: many are spread over what is left", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    for (let index = 0; index < 6; index++)
      await cluster.addEgressIp(`e${index}`, [`192.168.126.${100 + index}`]);
    await cluster.addNode("n2", N2);
    await cluster.addNode("n3", { ipv4: "192.168.126.13/24" });
    await cluster.deleteNode("n1");
    expect(cluster.describe().map(({ allocations }) => Object.keys(allocations).length)).toEqual([3, 3]);
  });
});

describe("a secondary network (rule 34f)", () => {
  test("that goes takes its addresses along", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ...N1, hosts: ["10.10.10.3/24"] });
    await cluster.addEgressIp("e", ["10.10.10.100"]);
    await cluster.addNode("n2", { ...N2, hosts: ["10.10.10.4/24"] });
    await cluster.annotate("n1", { "host-cidrs": ["192.168.126.11/24"] });
    expect(await cluster.items("e")).toEqual(["10.10.10.100@n2"]);
    await cluster.annotate("n2", { "host-cidrs": ["192.168.126.12/24"] });
    expect(await cluster.items("e")).toEqual([]);
  });

  test("in which the host gets another address changes nothing", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ...N1, hosts: ["10.10.10.3/24"] });
    await cluster.addEgressIp("e", ["10.10.10.100"]);
    cluster.takeWrites();
    await cluster.annotate("n1", { "host-cidrs": ["192.168.126.11/24", "10.10.10.9/24"] });
    expect(cluster.takeWrites()).toEqual([]);
  });

  test("addresses in the primary network are not re-examined", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    cluster.takeWrites();
    await cluster.annotate("n1", { "host-cidrs": [`${IP}/24`] });
    expect(cluster.takeWrites()).toEqual([]);
    expect(await cluster.events("e")).toEqual([]);
  });

  test("whose annotation becomes unreadable keeps what it has", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ...N1, hosts: ["10.10.10.3/24"] });
    await cluster.addEgressIp("e", ["10.10.10.100"]);
    await cluster.annotate("n1", { "host-cidrs": "x" });
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual(["10.10.10.100@n1"]);
  });
});

describe("what is not re-examined (rules 34d, 37)", () => {
  test("37: nothing moves for balance, not when a node joins and not when one recovers", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addEgressIp("f", ["192.168.126.102"]);
    await cluster.addNode("n2", N2);
    expect(await cluster.items("f")).toEqual(["192.168.126.102@n1"]);
    await cluster.ready("n1", false);
    await cluster.ready("n1", true);
    expect([await cluster.items("e"), await cluster.items("f")]).toEqual([
      [`${IP}@n2`],
      ["192.168.126.102@n2"],
    ]);
  });

  test("34d: other labels, annotations and another value of the label do nothing", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addEgressIp("w", ["8.8.8.8"]);
    cluster.client.writes.length = 0;
    await cluster.label("n1", "x");
    await cluster.patchNode("n1", { metadata: { labels: { x: "y" }, annotations: { x: "y" } } });
    await cluster.patchNode("n1", { spec: { unschedulable: true } });
    expect(cluster.client.writes.map(({ resource }) => resource)).toEqual(["nodes", "nodes", "nodes"]);
  });

  test("34d: the primary annotation of a known node changes nothing until the EgressIP is touched", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.annotate("n1", {
      "node-primary-ifaddr": { ipv4: "192.168.200.12/24" },
    });
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    await cluster.annotate("n1", { "host-cidrs": [] });
    expect(await cluster.items("e")).toEqual([]);
  });

  test("16.1: an address that is placed stays when a node with that address joins", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["192.168.126.12"]);
    await cluster.addNode("n2", N2);
    expect(await cluster.items("e")).toEqual(["192.168.126.12@n1"]);
    expect(await cluster.events("e")).toEqual([]);
  });

  test("an address listed twice is reconsidered at node events, without effect", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP, IP]);
    cluster.takeWrites();
    await cluster.addNode("n2", N2);
    expect(cluster.takeWrites()).toEqual([]);
    expect(await cluster.events("e")).toEqual([]);
  });
});
