import { afterEach, describe, expect, test } from "vitest";
import {
  Cluster,
  EGRESS_IPS,
  egressIpObject,
  LABEL,
  MARK,
  NODES,
  nodeObject,
} from "../../../kube/controllers/support.ts";

const N1 = { ipv4: "192.168.126.11/24" };
const N2 = { ipv4: "192.168.126.12/24" };
const IP = "192.168.126.101";

let cluster: Cluster;
afterEach(() => cluster.stop());

describe("a restart (rules 47, 54, 55)", () => {
  test("changes nothing", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", N2);
    await cluster.addEgressIp("e", [IP, "192.168.126.102"]);
    await cluster.addEgressIp("f", ["192.168.126.103"]);
    await cluster.addEgressIp("w", ["8.8.8.8"]);
    const before = cluster.describe();
    cluster.takeWrites();
    await cluster.restart();
    expect(cluster.takeWrites()).toEqual([]);
    expect(cluster.describe()).toEqual(before);
  });

  test("54: leaves an address with the EgressIP that has it in its status", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("z", [IP]);
    await cluster.addEgressIp("a", [IP]);
    await cluster.restart();
    expect([await cluster.items("a"), await cluster.items("z")]).toEqual([undefined, [`${IP}@n1`]]);
  });

  test("54: of two statuses that claim an address the one on a usable node counts", async () => {
    cluster = await Cluster.start();
    await cluster.restart(async () => {
      await cluster.client.create(NODES, nodeObject("n1", { ...N1, label: false }));
      await cluster.client.create(NODES, nodeObject("n2", N2));
      for (const [name, node] of [
        ["a", "n1"],
        ["b", "n2"],
      ] as const) {
        const status = { items: [{ egressIP: IP, node }] };
        await cluster.client.create(EGRESS_IPS, egressIpObject(name, [IP], { status }));
      }
    });
    expect([await cluster.items("a"), await cluster.items("b")]).toEqual([[], [`${IP}@n2`]]);
  });

  test("55: finds what became wrong in the meantime and puts it right", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", N2);
    await cluster.restart(() =>
      cluster.client.patch(
        NODES,
        { namespace: "", name: "n1" },
        { type: "merge", body: { metadata: { labels: { [LABEL]: null } } } },
      ),
    );
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
  });

  test("55: two addresses of one EgressIP on one node are spread", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addNode("n2", N2);
    await cluster.addEgressIp("e", [IP, "192.168.126.102"]);
    const status = { items: [IP, "192.168.126.102"].map((egressIP) => ({ egressIP, node: "n1" })) };
    await cluster.restart(() =>
      cluster.client.patch(EGRESS_IPS, { namespace: "", name: "e" }, { type: "merge", body: { status } }),
    );
    expect(await cluster.items("e")).toEqual([`${IP}@n1`, "192.168.126.102@n2"]);
  });

  test.each(["192.168.126.1000", "192.168.128.100", "192.168.126.0101"])(
    "55: an item that is no address, or none the node can host, is replaced: %s",
    async (egressIP) => {
      cluster = await Cluster.start();
      await cluster.addNode("n1", N1);
      await cluster.restart(async () => {
        const status = { items: [{ egressIP, node: "n1" }] };
        await cluster.client.create(EGRESS_IPS, egressIpObject("e", [IP], { status }));
      });
      expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    },
  );

  test("47: marks that are there are not given again; one that is none does no harm", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addEgressIp("f", ["192.168.126.102"], { annotations: { [MARK]: "50001" } });
    await cluster.addEgressIp("x", ["192.168.126.103"], { annotations: { [MARK]: "x" } });
    await cluster.restart();
    await cluster.addEgressIp("g", ["192.168.126.104"]);
    expect(await cluster.mark("g")).toBe("50002");
  });

  test("what happened while the history was lost is found too", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    cluster.client.holdEvents();
    await cluster.client.create(NODES, nodeObject("n2", N2));
    await cluster.client.delete(NODES, { namespace: "", name: "n1" });
    await cluster.client.create(EGRESS_IPS, egressIpObject("f", ["192.168.126.102"]));
    cluster.client.compact();
    cluster.client.releaseEvents();
    await cluster.idle();
    expect([await cluster.items("e"), await cluster.items("f")]).toEqual([
      [`${IP}@n2`],
      ["192.168.126.102@n2"],
    ]);
  });
});
