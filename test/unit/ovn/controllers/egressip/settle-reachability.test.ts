import { afterEach, describe, expect, test } from "vitest";
import { Cluster } from "../../../kube/controllers/support.ts";
import { CloudCluster, IP1 } from "./cloud-cluster.ts";

const N1 = { ipv4: "192.168.126.11/24" };
const N2 = { ipv4: "192.168.126.12/24" };
const IP = "192.168.126.101";
const REACHABLE = "egret.dev/reachable";

let cluster: Cluster;
afterEach(() => cluster.stop());

const reachable = (name: string, value: string | null): Promise<void> =>
  cluster.patchNode(name, { metadata: { annotations: { [REACHABLE]: value } } });

/** Until after the next check. */
async function check(): Promise<void> {
  cluster.clock.advance(5_000);
  await cluster.idle();
}

describe("a node that does not answer (rules 39–43)", () => {
  test("43: every ready node answers unless it says otherwise", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await reachable("n1", "true");
    await cluster.addEgressIp("e", [IP]);
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    expect(cluster.clock.pending).toBe(0);
  });

  test("40: gives up its addresses at the next check, in one change", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", N2);
    cluster.takeWrites();
    await reachable("n1", "false");
    cluster.clock.advance(4_999);
    await cluster.idle();
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    cluster.clock.advance(1);
    await cluster.idle();
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
    expect(cluster.takeWrites()).toHaveLength(1);
  });

  test("40: with no other node the items are emptied; they come back at the check that finds it answering", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await reachable("n1", "false");
    await check();
    expect(await cluster.items("e")).toEqual([]);
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual([]);
    await reachable("n1", null);
    expect(await cluster.items("e")).toEqual([]);
    await check();
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });

  test("40: that changes its mind between two checks is not noticed", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    cluster.takeWrites();
    await reachable("n1", "false");
    await reachable("n1", null);
    await check();
    expect(cluster.takeWrites()).toEqual([]);
  });

  test("42: a change that does not make the node looked at anew does not make it reachable", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await reachable("n1", "false");
    await check();
    await cluster.patchNode("n1", { metadata: { annotations: { [REACHABLE]: null, other: "x" } } });
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual([]);
  });

  test("42: a change of host-cidrs does", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await reachable("n1", "false");
    await check();
    await cluster.patchNode("n1", {
      metadata: {
        annotations: { [REACHABLE]: null, "k8s.ovn.org/host-cidrs": '["192.168.126.11/24","10.0.0.1/8"]' },
      },
    });
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });

  test("33: is not used when it joins", async () => {
    cluster = await Cluster.start();
    await cluster.client.create(
      { group: "", version: "v1", resource: "nodes" },
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name: "n1",
          labels: { "k8s.ovn.org/egress-assignable": "" },
          annotations: {
            "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"192.168.126.11/24"}',
            "k8s.ovn.org/host-cidrs": "[]",
            [REACHABLE]: "false",
          },
        },
        status: { conditions: [{ type: "Ready", status: "True" }] },
      },
    );
    await cluster.addEgressIp("e", [IP]);
    await check();
    expect(await cluster.items("e")).toBeUndefined();
    await reachable("n1", null);
    await check();
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
  });

  test("40: that is not labelled or not ready is not asked, and stays what it was held to be", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.label("n1", null);
    await reachable("n1", "false");
    await check();
    await cluster.addEgressIp("e", [IP]);
    await cluster.label("n1", "");
    expect(await cluster.items("e")).toEqual([`${IP}@n1`]);
    await check();
    expect(await cluster.items("e")).toEqual([]);
  });

  test("55: is found at once after a restart", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await cluster.addEgressIp("e", [IP]);
    await cluster.addNode("n2", N2);
    await reachable("n1", "false");
    await cluster.restart();
    expect(await cluster.items("e")).toEqual([`${IP}@n2`]);
  });

  test("a check that is due does not outlive the controller", async () => {
    cluster = await Cluster.start();
    await cluster.addNode("n1", N1);
    await reachable("n1", "false");
    expect(cluster.clock.pending).toBe(1);
    await cluster.stop();
    expect(cluster.clock.pending).toBe(0);
  });

  test("on a cloud, what is asked for on it stays asked for there, and a grant moves on", async () => {
    const cloud = await CloudCluster.start();
    cluster = cloud.cluster;
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await reachable("n1", "false");
    await check();
    await cluster.touch("e");
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    await cloud.grant(IP1, "n1");
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP1}@n2 of e`]]);
  });
});
