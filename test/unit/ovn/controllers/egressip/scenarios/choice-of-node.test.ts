// Scenarios 19–35: which node an address gets. The nodes hold two and one addresses of other EgressIPs.
import { afterEach, describe, expect, test } from "vitest";
import type { Cluster } from "../../../../kube/controllers/support.ts";
import { held, unevenCluster, V6_N1, V6_N2 } from "./support.ts";

let cluster: Cluster;
afterEach(() => cluster.stop());

const TAKEN = ["::feff:c0a8:8e32", "::feff:c0a8:8e1e", "::feff:c0a8:8e23"];
const uneven = async (): Promise<void> => {
  cluster = await unevenCluster(V6_N1, V6_N2, TAKEN);
  expect(held(cluster)).toEqual({ n1: 2, n2: 1 });
};
const OVN1 = "0:0:0:0:0:feff:c0a8:8e0f";
const OVN2 = "0:0:0:0:0:feff:c0a8:8e10";
const OVN3 = "0:0:0:0:0:feff:c0a8:8e11";

const NO_MATCH = (ip: string): string =>
  `NoMatchingNodeFound: No matching nodes found, which can host any of the egress IPs: [${ip}] for object EgressIP: e`;

describe("the node with fewer addresses goes first", () => {
  test.each<[string, string[], string[]]>([
    ["19: one address, stored in its shortest spelling", [OVN1], ["::feff:c0a8:8e0f@n2"]],
    ["20: two addresses", [OVN1, OVN2], ["::feff:c0a8:8e0f@n2", "::feff:c0a8:8e10@n1"]],
    [
      "21: two addresses of a secondary network",
      ["10.10.10.20", "10.10.10.30"],
      ["10.10.10.20@n2", "10.10.10.30@n1"],
    ],
    ["22: one of each", ["10.10.10.20", OVN1], ["10.10.10.20@n2", "::feff:c0a8:8e0f@n1"]],
    [
      "23: three addresses on two nodes, the third is left out",
      [OVN1, OVN2, OVN3],
      ["::feff:c0a8:8e0f@n2", "::feff:c0a8:8e10@n1"],
    ],
    [
      "24: three addresses of a secondary network likewise",
      ["10.10.10.20", "10.10.10.30", "10.10.10.40"],
      ["10.10.10.20@n2", "10.10.10.30@n1"],
    ],
    [
      "25: five addresses of both networks, two nodes",
      ["10.10.10.20", "10.10.10.30", "10.10.10.40", OVN1, OVN2],
      ["10.10.10.20@n2", "10.10.10.30@n1"],
    ],
  ])("%s", async (_rule, addresses, items) => {
    await uneven();
    await cluster.addEgressIp("e", addresses);
    expect(await cluster.items("e")).toEqual(items);
    expect(cluster.log.lines).toEqual([]);
  });

  test("26: asked a second time, an address gets the same node", async () => {
    await uneven();
    await cluster.addEgressIp("e", [OVN1]);
    await cluster.patchEgressIp("e", { status: { items: [] } });
    expect(await cluster.items("e")).toEqual(["::feff:c0a8:8e0f@n2"]);
  });
});

describe("addresses that are taken", () => {
  test("27: the primary address of a node", async () => {
    await uneven();
    await cluster.addEgressIp("e", ["::feff:c0a8:8e0c"]);
    expect(await cluster.items("e")).toBeUndefined();
    expect((await cluster.events("e"))[0]).toContain("is conflicting with a host (n1) IP address");
  });

  test("28: any other address of a node", async () => {
    await uneven();
    await cluster.addEgressIp("e", ["10.10.10.4"]);
    expect(await cluster.items("e")).toBeUndefined();
    expect((await cluster.events("e"))[0]).toContain("is conflicting with a host (n2) IP address");
  });

  test.each([
    ["29: an address of another EgressIP", "::feff:c0a8:8e32"],
    ["30: the same in capital letters", "0:0:0:0:0:FEFF:C0A8:8E32"],
  ])("%s, however it is spelt", async (_rule, address) => {
    await uneven();
    await cluster.addEgressIp("e", [address]);
    expect(await cluster.items("e")).toBeUndefined();
    expect(await cluster.events("e")).toEqual([
      'UnsupportedRequest: IP: "::feff:c0a8:8e32" for EgressIP: e is already allocated for EgressIP: other0 on n1',
      NO_MATCH("::feff:c0a8:8e32"),
    ]);
  });
});

describe("texts and families", () => {
  test("31: capital letters are fine, and stored small and short", async () => {
    await uneven();
    await cluster.addEgressIp("e", ["::FEFF:C0A8:8D32"]);
    expect(await cluster.items("e")).toEqual(["::feff:c0a8:8d32@n2"]);
  });

  test("32: an IPv4 address finds no node that has only IPv6", async () => {
    cluster = await unevenCluster({ ipv6: "::feff:c0a8:8e0c/64" }, { ipv6: "::fedf:c0a8:8e0c/64" }, TAKEN);
    await cluster.addEgressIp("e", ["192.168.126.99"]);
    expect(await cluster.items("e")).toBeUndefined();
    expect(await cluster.events("e")).toEqual([NO_MATCH("192.168.126.99")]);
  });

  test.each([
    ["33: too many groups", "0:0:0:0:0:feff:c0a8:8e32:5"],
    ["34: with a prefix", "192.168.126.99/32"],
  ])("%s is no address: the spec is refused", async (_rule, text) => {
    await uneven();
    await cluster.addEgressIp("e", [text]);
    expect(await cluster.items("e")).toBeUndefined();
    expect(await cluster.events("e")).toEqual([
      `InvalidEgressIP: egress IP: ${text} for object EgressIP: e is not a valid IP address`,
    ]);
    expect(cluster.log.lines[0]).toContain(
      `invalid EgressIP spec, err: unable to parse provided EgressIP: ${text}, invalid`,
    );
  });

  test("35: the family decides before the number of addresses", async () => {
    cluster = await unevenCluster({ ipv6: "::feff:c0a8:8e0c/64" }, { ipv4: "192.168.126.51/24" }, [
      "::feff:c0a8:8e32",
      "192.168.126.68",
      "192.168.126.102",
    ]);
    expect(held(cluster)).toEqual({ n1: 1, n2: 2 });
    await cluster.addEgressIp("e", ["192.168.126.99"]);
    expect(await cluster.items("e")).toEqual(["192.168.126.99@n2"]);
  });
});
