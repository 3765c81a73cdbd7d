import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readCloudConfig } from "../../../../../src/ovn/assignment/node-state.ts";
import type { Cluster } from "../../../kube/controllers/support.ts";
import { assigned, CloudCluster, egressIpConfig, IP1, IP2, IP3 } from "./cloud-cluster.ts";

let cloud: CloudCluster;
let cluster: Cluster;
beforeEach(async () => {
  cloud = await CloudCluster.start();
  cluster = cloud.cluster;
});
afterEach(() => cluster.stop());

const NETWORK = { ipv4: "192.168.126.0/24" };
const DUAL = { ipv4: "192.168.126.11/24", ipv6: "fd00:1::11/64" };
const NO_MATCH = (name: string, ips: string) =>
  `NoMatchingNodeFound: No matching nodes found, which can host any of the egress IPs: [${ips}] for object EgressIP: ${name}`;

describe("the limits of a node (rule 5)", () => {
  test.each<[string, string, string[], number]>([
    ["without limits there is none", "{}", [IP1, IP2, IP3], 3],
    ["ip limits the total", '{"ip":2}', [IP1, IP2, IP3], 2],
    ["ip limits both families together", '{"ip":1}', [IP1, "fd00:1::101"], 1],
    ["ipv4 limits IPv4", '{"ipv4":1}', [IP1, IP2], 1],
    ["one number is the limit for the other family and the total too", '{"ipv6":0}', [IP1], 0],
    ["the number written last counts, if larger", '{"ipv4":1,"ipv6":2}', [IP1, IP2, IP3], 2],
    ["the number written last counts, if smaller", '{"ipv4":9,"ipv6":1}', [IP1, IP2], 1],
    ["the number written last counts, whatever its name", '{"ipv6":0,"ipv4":0,"ip":2}', [IP1, IP2, IP3], 2],
    ["2147483647 is no limit", '{"ip":2147483647}', [IP1, IP2, IP3], 3],
    ["null lifts the limit of its own family only", '{"ipv4":null,"ip":2}', [IP1, IP2, IP3], 2],
    ["a negative number lets nothing in", '{"ip":-1}', [IP1], 0],
  ])("%s: %s", async (_rule, capacity, addresses, placed) => {
    const ifaddr = { ipv4: "192.168.126.0/24", ipv6: "fd00:1::/64" };
    const config = `[{"interface":"eni-0","ifaddr":${JSON.stringify(ifaddr)},"capacity":${capacity}}]`;
    await cloud.addNode("n1", { ...DUAL, config });
    for (const [index, address] of addresses.entries()) await cluster.addEgressIp(`e${index}`, [address]);
    expect(await cloud.asked()).toHaveLength(placed);
  });

  test("a full node is passed over for one with more addresses but room", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", capacity: { ipv4: 1 } });
    await cluster.addEgressIp("e", [IP1]);
    await cloud.addNode("n2", { ipv4: "192.168.126.12/24", capacity: { ipv4: 9 } });
    await cluster.addEgressIp("f", [IP2]);
    await cluster.addEgressIp("g", [IP3]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`, `${IP2}@n2 of f`, `${IP3}@n2 of g`]);
  });

  test("raising lets waiting addresses in, lowering takes nothing away", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", capacity: { ipv4: 0 } });
    await cluster.addEgressIp("e", [IP1]);
    expect(await cluster.events("e")).toEqual([NO_MATCH("e", IP1)]);
    await cloud.setConfig("n1", egressIpConfig(NETWORK, { ipv4: 1 }));
    await cloud.grant(IP1, "n1");
    await cloud.setConfig("n1", egressIpConfig(NETWORK, { ipv4: 0 }));
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("66: room that is given back goes to who waits", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", capacity: { ipv4: 1 } });
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    await cluster.addEgressIp("f", [IP2]);
    await cluster.deleteEgressIp("e");
    expect(await cloud.asked()).toEqual([`${IP2}@n1 of f`]);
  });

  test("66: also the owner's own next address", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", capacity: { ipv4: 1 } });
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    await cluster.setSpec("e", [IP2]);
    expect(await cloud.asked()).toEqual([`${IP2}@n1 of e`]);
  });

  test("66: but not when the cloud had never answered", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", capacity: { ipv4: 1 } });
    await cluster.addEgressIp("e", [IP1]);
    await cluster.addEgressIp("f", [IP2]);
    await cluster.deleteEgressIp("e");
    expect(await cloud.asked()).toEqual([]);
    await cluster.touch("f");
    expect(await cloud.asked()).toEqual([`${IP2}@n1 of f`]);
  });

  test("66: any answer will do, also a refusal", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", capacity: { ipv4: 1 } });
    await cluster.addEgressIp("e", [IP1]);
    await cloud.answer(IP1, "n1", assigned("False"));
    await cluster.addEgressIp("f", [IP2]);
    await cluster.deleteEgressIp("e");
    expect(await cloud.asked()).toEqual([`${IP2}@n1 of f`]);
  });
});

describe("egress-ipconfig (rules 2, 17)", () => {
  test.each([
    null,
    "x",
    "{}",
    "[]",
    "null",
    '[{"ifaddr":{"ipv4":"192.168.126.0"}}]',
    '[{"ifaddr":{"ipv4":5}}]',
    '[{"ifaddr":[]}]',
    '[{"interface":1}]',
    '[{"capacity":{"ip":"1"}}]',
    '[{"capacity":{"ip":1.5}}]',
    '[{"capacity":7}]',
    "[7]",
    '[{"ifaddr":{"ipv4":"192.168.126.0/24"}},7]',
  ])("a node with %j is not used until it has a readable one", async (config) => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", config: config ?? undefined });
    await cluster.addEgressIp("e", [IP1]);
    expect(await cloud.asked()).toEqual([]);
    expect((await cluster.events("e"))[0]).toContain("no assignable nodes for EgressIP: e");
    await cloud.setConfig("n1", egressIpConfig(NETWORK));
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });

  test("only the first entry counts", () => {
    const entries = [
      { ifaddr: { ipv4: "10.0.0.0/8" } },
      { ifaddr: { ipv4: "11.0.0.0/8" }, capacity: { ip: 1 } },
    ];
    const read = readCloudConfig(JSON.stringify(entries));
    expect(read?.networks.map(({ text }) => text)).toEqual(["10.0.0.0/8"]);
    expect(read?.capacity.total).toBeUndefined();
  });

  test("unknown members and any case of the names are fine", () => {
    const read = readCloudConfig('[{"IfAddr":{"IPv4":"10.0.0.7/8"},"Capacity":{"IP":3},"more":[1]}]');
    expect([read?.networks.map(({ text }) => text), read?.capacity.ipv6]).toEqual([["10.0.0.0/8"], 3]);
  });

  test("its networks decide, not the primary address", async () => {
    const config = egressIpConfig({ ipv4: "10.0.0.0/18" });
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", config });
    await cluster.addEgressIp("e", ["10.0.63.9"]);
    await cluster.addEgressIp("f", [IP1]);
    expect(await cloud.asked()).toEqual(["10.0.63.9@n1 of e"]);
    expect(await cluster.events("f")).toEqual([NO_MATCH("f", IP1)]);
  });

  test("other networks of the hosts are not used", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", hosts: ["10.10.10.3/24"] });
    await cluster.addEgressIp("e", ["10.10.10.100"]);
    expect(await cluster.events("e")).toEqual([NO_MATCH("e", "10.10.10.100")]);
  });

  test("addresses of hosts are refused all the same", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", ["192.168.126.12"]);
    expect((await cluster.events("e"))[0]).toContain("is conflicting with a host (n2) IP address");
  });

  test("the primary address has to be readable too", async () => {
    await cloud.addNode("n1", { config: egressIpConfig(NETWORK), hosts: "[]" });
    await cluster.addEgressIp("e", [IP1]);
    expect(await cloud.asked()).toEqual([]);
    await cluster.annotate("n1", { "node-primary-ifaddr": { ipv4: "192.168.126.11/24" } });
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });

  test("one that becomes unreadable leaves the node as it was", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24" });
    await cloud.setConfig("n1", null);
    await cluster.addEgressIp("e", [IP1]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });
});

describe("a restart (rule 68)", () => {
  const drop = (name: string) => () => cluster.client.delete(cloudResource, { namespace: "", name });
  const cloudResource = {
    group: "cloud.network.openshift.io",
    version: "v1",
    resource: "cloudprivateipconfigs",
  };

  beforeEach(async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1, IP2]);
    await cloud.grant(IP1, "n1");
  });

  test("changes nothing, granted or not", async () => {
    const before = [cluster.describe(), await cloud.asked()];
    cluster.client.writes.length = 0;
    await cluster.restart();
    expect([cluster.describe(), await cloud.asked()]).toEqual(before);
    expect(cluster.client.writes).toEqual([]);
    await cloud.grant(IP2, "n2");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`, `${IP2}@n2`]);
  });

  test("drops items whose request is gone, and asks anew", async () => {
    await cluster.restart(drop(IP1));
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([
      [],
      [`${IP1}@n1 of e`, `${IP2}@n2 of e`],
    ]);
  });

  test("brings back items that were lost while their request is granted", async () => {
    await cluster.patchEgressIp("e", { status: { items: [] } });
    await cluster.restart();
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("gives back what nobody wants any more", async () => {
    await cluster.restart(() =>
      cluster.client.delete(
        { group: "k8s.ovn.org", version: "v1", resource: "egressips" },
        { namespace: "", name: "e" },
      ),
    );
    expect(await cloud.asked()).toEqual([]);
  });

  test("gives back what left the spec", async () => {
    await cluster.restart(() =>
      cluster.client.patch(
        { group: "k8s.ovn.org", version: "v1", resource: "egressips" },
        { namespace: "", name: "e" },
        { type: "merge", body: { spec: { egressIPs: [IP1] } } },
      ),
    );
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[`${IP1}@n1`], [`${IP1}@n1 of e`]]);
  });

  test("moves what stands on a node that was lost", async () => {
    await cloud.addNode("n3", { ipv4: "192.168.126.13/24" });
    await cluster.restart(() =>
      cluster.client.delete({ group: "", version: "v1", resource: "nodes" }, { namespace: "", name: "n1" }),
    );
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([
      [],
      [`${IP1}@n3 of e`, `${IP2}@n2 of e`],
    ]);
  });

  test("what somebody else asked for, for nobody, stays", async () => {
    await cloud.create(IP3, "n1");
    await cluster.restart();
    expect(await cloud.asked()).toContain(`${IP3}@n1 of nobody`);
  });
});
