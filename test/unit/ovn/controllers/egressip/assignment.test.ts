import { afterEach, describe, expect, test } from "vitest";
import { Cluster, EVENTS, type NodeOptions } from "../../../kube/controllers/support.ts";

const NO_NODE = (name: string) =>
  `NoMatchingNodeFound: no assignable nodes for EgressIP: ${name}, please tag at least one node with label: k8s.ovn.org/egress-assignable`;
const NO_MATCH = (name: string, ips: string) =>
  `NoMatchingNodeFound: No matching nodes found, which can host any of the egress IPs: [${ips}] for object EgressIP: ${name}`;
const NOT_ALL = (name: string) =>
  `UnassignedRequest: Not all egress IPs for EgressIP: ${name} could be assigned, please tag more nodes`;

const N1: NodeOptions = { ipv4: "192.168.126.11/24" };
const N2: NodeOptions = { ipv4: "192.168.126.12/24" };

let cluster: Cluster;
afterEach(() => cluster.stop());

test("what is said is a warning about the EgressIP", async () => {
  cluster = await Cluster.start();
  await cluster.addEgressIp("e", ["192.168.126.101"]);
  const { items } = await cluster.client.list(EVENTS);
  expect(items).toMatchObject([{ type: "Warning", involvedObject: { kind: "EgressIP", name: "e" } }]);
});

describe("which nodes can be used (rules 1–11)", () => {
  test.each<[string, NodeOptions, boolean]>([
    ["1: the value of the label does not matter", { ...N1, label: "false" }, true],
    ["1: without the label a node is not used", { ...N1, label: false }, false],
    [
      "1: a label with a similar key does not count",
      { ...N1, label: false, labels: { "egress-assignable": "" } },
      false,
    ],
    ["6: a node whose Ready condition is Unknown is not ready", { ...N1, ready: "Unknown" }, false],
    ["6: a node whose Ready condition is False is not ready", { ...N1, ready: false }, false],
    ["2: a node without any primary address is not known", {}, false],
    ["2: a primary address needs a prefix", { ipv4: "192.168.126.11", hosts: "[]" }, false],
    ["2: a primary address must be an address", { ipv4: "192.168.126.510/24", hosts: "[]" }, false],
    ["3: an empty list of host addresses is fine", { ...N1, hosts: "[]" }, true],
    ["3: null is an empty list", { ...N1, hosts: "null" }, true],
  ])("%s", async (_rule, options, used) => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", options);
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toEqual(used ? ["192.168.126.101@n1"] : undefined);
    expect(await cluster.events("e")).toEqual(used ? [] : [NO_NODE("e")]);
  });

  test("4: a node whose node-subnets cannot be read is not known until they can", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ...N1, subnets: '{"default":["nonsense"]}' });
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toBeUndefined();
    await cluster.annotate("n1", { "node-subnets": { default: "10.128.0.0/24" } });
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
  });

  test("4: a node may have no node-subnets, and once seen they may go", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
    await cluster.annotate("n1", { "node-subnets": { default: ["10.128.0.0/24", "fd01::/64"] } });
    await cluster.annotate("n1", { "node-subnets": null });
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
  });

  test("10: a known node keeps its configuration when the annotation becomes unreadable", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.annotate("n1", { "node-primary-ifaddr": "x" });
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
  });
});

describe("which node gets an address (rules 13–21)", () => {
  test("13: the one with the fewest addresses, of all EgressIPs and both families", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv4: "192.168.126.11/24", ipv6: "fd00:1::11/64" });
    await cluster.addEgressIp("e", ["fd00:1::101"]);
    await cluster.addEgressIp("f", ["192.168.126.102"]);
    await cluster.addNode("n2", { ipv4: "192.168.126.12/24", ipv6: "fd00:1::12/64" });
    await cluster.addEgressIp("g", ["192.168.126.103"]);
    await cluster.addEgressIp("h", ["192.168.126.104"]);
    await cluster.addEgressIp("i", ["192.168.126.105"]);
    expect(await cluster.items("g")).toEqual(["192.168.126.103@n2"]);
    expect(await cluster.items("h")).toEqual(["192.168.126.104@n2"]);
    expect(await cluster.items("i")).toEqual(["192.168.126.105@n1"]);
  });

  test("13: of equally empty nodes the first by name", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n2", N2);
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
  });

  test.each<[string, string[], NodeOptions]>([
    [
      "the address of an unlabelled node that is not ready",
      ["192.168.126.12"],
      { ...N2, label: false, ready: false },
    ],
    ["however an IPv6 address is spelled", ["FD00:1:0::0011"], { ipv6: "fd00:1::11/64" }],
  ])("16.1: a host's address is refused: %s", async (_case, ips, options) => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", options);
    await cluster.addEgressIp("e", ips);
    const canonical = ips[0] === "192.168.126.12" ? ips[0] : "fd00:1::11";
    expect(await cluster.items("e")).toBeUndefined();
    expect(await cluster.events("e")).toEqual([
      `EgressIPConflict: Egress IP e with IP ${canonical} is conflicting with a host (n2) IP address and will not be assigned`,
      NO_MATCH("e", canonical),
    ]);
  });

  test("16.1: one node without readable host-cidrs stops every new assignment, silently", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", { ...N2, label: false, hosts: '["192.168.126.12"]' });
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toBeUndefined();
    expect(await cluster.events("e")).toEqual([]);
    await cluster.annotate("n2", { "host-cidrs": ["192.168.126.12/24"] });
    expect(await cluster.items("e")).toBeUndefined();
    await cluster.label("n2", "");
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
  });

  test("16.2: an address held by another EgressIP is left out, others are placed", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    await cluster.addEgressIp("f", ["::ffff:192.168.126.101", "192.168.126.102"]);
    expect(await cluster.items("f")).toEqual(["192.168.126.102@n1"]);
    const taken =
      'UnsupportedRequest: IP: "192.168.126.101" for EgressIP: f is already allocated for EgressIP: e on n1';
    const [first, second, third] = await cluster.events("f");
    expect([first, second]).toEqual([`${taken} ×2`, NOT_ALL("f")]);
    // Its own change of the status makes it look once more.
    expect(third).toBe(NO_MATCH("f", "192.168.126.101"));
  });

  test("16.3: where nodes have the address in a secondary network only those are used", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n2", { ipv4: "192.168.200.12/24", hosts: ["192.168.126.50/24"] });
    await cluster.addEgressIp("f", ["192.168.200.101"]);
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["192.168.126.101"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n2"]);
  });

  test("16.3: that does not narrow the choice for the next address", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", { ...N2, hosts: ["10.10.10.3/24"] });
    await cluster.addEgressIp("e", ["10.10.10.100", "192.168.126.101"]);
    expect(await cluster.items("e")).toEqual(["10.10.10.100@n2", "192.168.126.101@n1"]);
  });

  test("16.4: a node takes one address of an EgressIP, whatever the family or network", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", {
      ipv4: "192.168.126.11/24",
      ipv6: "fd00:1::11/64",
      hosts: ["10.10.10.3/24"],
    });
    await cluster.addEgressIp("e", ["192.168.126.101", "fd00:1::101", "10.10.10.100"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1"]);
    expect(await cluster.events("e")).toEqual([NOT_ALL("e"), NO_MATCH("e", "fd00:1::101 10.10.10.100")]);
  });

  test("17: each address goes to a node that has its network; a family that a node lacks is none", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", { ipv6: "fd00:1::11/64" });
    await cluster.addEgressIp("e", ["fd00:1::101", "8.8.8.8", "192.168.126.101"]);
    expect(await cluster.items("e")).toEqual(["fd00:1::101@n2", "192.168.126.101@n1"]);
  });

  test("17: the network and the broadcast address are taken like any other", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["192.168.126.0"]);
    await cluster.addEgressIp("f", ["192.168.126.255"]);
    expect([await cluster.items("e"), await cluster.items("f")]).toEqual([
      ["192.168.126.0@n1"],
      ["192.168.126.255@n1"],
    ]);
  });

  test.each(["169.254.7.7/16", "fe80::7/64"])(
    "18: the link-local network of %s is used like any other",
    async (host) => {
      cluster = await Cluster.start();
      await cluster.addNode("n1", { ...N1, hosts: [host] });
      const address = host.startsWith("fe80") ? "fe80::100" : "169.254.1.100";
      await cluster.addEgressIp("e", [address]);
      expect(await cluster.items("e")).toEqual([`${address}@n1`]);
    },
  );

  test("19: an address outside every network is named by an event", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", ["8.8.8.8"]);
    expect(await cluster.items("e")).toBeUndefined();
    expect(await cluster.events("e")).toEqual([NO_MATCH("e", "8.8.8.8")]);
  });

  test("20: of more addresses than nodes the first are placed, the rest wait for a node", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", N2);
    await cluster.addEgressIp("e", ["192.168.126.101", "192.168.126.102", "192.168.126.103"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n1", "192.168.126.102@n2"]);
    await cluster.addNode("n3", { ipv4: "192.168.126.13/24" });
    expect(await cluster.items("e")).toEqual([
      "192.168.126.101@n1",
      "192.168.126.102@n2",
      "192.168.126.103@n3",
    ]);
  });

  test("21: a dual-stack EgressIP needs two nodes", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", { ipv6: "fd00:1::11/64" });
    await cluster.addNode("n2", { ipv4: "192.168.126.12/24" });
    await cluster.addEgressIp("e", ["192.168.126.101", "fd00:1::101"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.101@n2", "fd00:1::101@n1"]);
  });
});
