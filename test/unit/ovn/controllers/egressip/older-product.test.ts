// The EgressIP controller in OpenShift 4.13: src/ovn/rules.md R130 to R133.
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../../../../src/controller/settings.ts";
import { Cluster, EGRESS_IPS, EVENTS, MARK } from "../../../kube/controllers/support.ts";

const N1 = { ipv4: "192.168.126.11/24" };
const N2 = { ipv4: "192.168.126.22/24" };
const NODE_IP = "192.168.126.22";
const FREE = "192.168.126.101";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await Cluster.start({ settings: { ...DEFAULT_SETTINGS, profile: "openshift-4.13" } });
});
afterEach(() => cluster.stop());

test("i.2: an address of a secondary network finds no node", async () => {
  await cluster.addNode("n1", { ...N1, hosts: ["10.10.10.3/24"] });
  await cluster.addEgressIp("e", ["10.10.10.100"]);
  expect(await cluster.items("e")).toBeUndefined();
});

test("i.2: nodes without host-cidrs keep nobody from an address", async () => {
  await cluster.addNode("n1", { ...N1, hosts: "not read" });
  await cluster.addEgressIp("e", [FREE]);
  expect(await cluster.items("e")).toEqual([`${FREE}@n1`]);
});

test("i.2: an EgressIP with a node carries no mark", async () => {
  await cluster.addNode("n1", N1);
  await cluster.addEgressIp("e", [FREE]);
  const { metadata } = await cluster.client.get(EGRESS_IPS, { namespace: "", name: "e" });
  expect(metadata.annotations?.[MARK]).toBeUndefined();
});

test("i.2: the address of a node is refused as unsupported, and nothing more is said or placed", async () => {
  await cluster.addNode("n1", N1);
  await cluster.addNode("n2", N2);
  await cluster.addEgressIp("e", [NODE_IP, FREE]);
  expect(await cluster.items("e")).toBeUndefined();
  expect(await cluster.events("e")).toEqual([
    `UnsupportedRequest: Egress IP: ${NODE_IP} for object EgressIP: e is the IP address of node: n2, this is unsupported`,
  ]);
});

test("i.2: what stands before such an address is placed", async () => {
  await cluster.addNode("n1", N1);
  await cluster.addNode("n2", N2);
  await cluster.addEgressIp("e", [FREE, NODE_IP]);
  expect(await cluster.items("e")).toEqual([`${FREE}@n1`]);
});

test("i.2: of an address that another EgressIP holds nothing is said", async () => {
  await cluster.addNode("n1", N1);
  await cluster.addEgressIp("first", [FREE]);
  await cluster.addEgressIp("second", [FREE]);
  expect(await cluster.items("second")).toBeUndefined();
  expect(await cluster.events("second")).toEqual([]);
});

test("23: an address that becomes a node's own is taken out of the status", async () => {
  await cluster.addNode("n1", N1);
  await cluster.addEgressIp("e", [NODE_IP]);
  expect(await cluster.items("e")).toEqual([`${NODE_IP}@n1`]);
  await cluster.addNode("n2", N2);
  await cluster.touch("e");
  expect(await cluster.items("e")).toEqual([]);
});

test("i.6: events come from controlplane", async () => {
  await cluster.addEgressIp("e", [FREE]);
  const { items } = await cluster.client.list(EVENTS);
  expect(items.map(({ source }) => source)).toEqual([{ component: "controlplane" }]);
});
