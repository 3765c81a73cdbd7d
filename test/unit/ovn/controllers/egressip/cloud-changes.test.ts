import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { notFound } from "../../../../../src/apimachinery/meta/status.ts";
import { type Cluster, egressIpObject } from "../../../kube/controllers/support.ts";
import { assigned, CloudCluster, CONFIGS, IP1, IP2, IP3 } from "./cloud-cluster.ts";

let cloud: CloudCluster;
let cluster: Cluster;
beforeEach(async () => {
  cloud = await CloudCluster.start();
  cluster = cloud.cluster;
});
afterEach(() => cluster.stop());

describe("a changed spec (rules 61, 62)", () => {
  test("61: an address that is taken out is given back after its item has gone", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1, IP2]);
    await cloud.grant(IP1, "n1");
    await cloud.grant(IP2, "n2");
    cluster.client.writes.length = 0;
    await cluster.setSpec("e", [IP2]);
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[`${IP2}@n2`], [`${IP2}@n2 of e`]]);
    expect(cluster.client.writes.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      "patch egressips",
      "patch egressips",
      "delete cloudprivateipconfigs",
    ]);
  });

  test("a replaced address: item out, old object deleted, new one asked for", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    await cluster.setSpec("e", [IP2]);
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP2}@n1 of e`]]);
    await cloud.grant(IP2, "n1");
    expect(await cluster.items("e")).toEqual([`${IP2}@n1`]);
  });

  test("62: an address that was not granted yet is given back too, without a status", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cluster.setSpec("e", [IP2]);
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([undefined, [`${IP2}@n1 of e`]]);
  });

  test("62: even if its node was lost in the meantime", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cluster.deleteNode("n1");
    await cluster.setSpec("e", [IP2]);
    expect(await cloud.asked()).toEqual([`${IP2}@n2 of e`]);
  });

  test("an address that comes back at once is neither given back nor asked for again", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    const { uid } = (await cloud.config(IP1))?.metadata ?? {};
    cluster.client.holdEvents();
    await cluster.client.patch(
      { group: "k8s.ovn.org", version: "v1", resource: "egressips" },
      { namespace: "", name: "e" },
      { type: "merge", body: { spec: { egressIPs: [IP2] } } },
    );
    const back = cluster.setSpec("e", [IP1]);
    cluster.client.releaseEvents();
    await back;
    expect((await cloud.config(IP1))?.metadata.uid).toBe(uid);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });

  test("a spec that can be read again gives back what it does not want any more", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cluster.setSpec("e", [`${IP1}/24`]);
    await cluster.deleteNode("n1");
    await cluster.setSpec("e", [IP2]);
    expect(await cloud.asked()).toEqual([`${IP2}@n2 of e`]);
  });

  test("22: what left the spec before that became invalid does not stand in the way of others", async () => {
    await cloud.addNodes();
    cluster.client.holdEvents();
    const { client } = cluster;
    const patch = (egressIPs: string[]) =>
      client.patch(
        { group: "k8s.ovn.org", version: "v1", resource: "egressips" },
        { namespace: "", name: "e" },
        { type: "merge", body: { spec: { egressIPs } } },
      );
    await client.create(
      { group: "k8s.ovn.org", version: "v1", resource: "egressips" },
      egressIpObject("e", [IP1]),
    );
    await patch([]);
    await patch([`${IP1}/24`]);
    client.releaseEvents();
    await cluster.addEgressIp("f", [IP1]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of f`]);
  });

  test("22: an invalid address leaves all as it is", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    await cluster.setSpec("e", [`${IP1}/24`]);
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[`${IP1}@n1`], [`${IP1}@n1 of e`]]);
  });
});

describe("a deleted EgressIP (rule 27)", () => {
  test.each([true, false])("gives its address back, granted: %s", async (granted) => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    if (granted) await cloud.grant(IP1, "n1");
    await cluster.deleteEgressIp("e");
    expect(await cloud.asked()).toEqual([]);
  });

  test("gives its address back also when spec, status and node do not tell of it any more", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cluster.setSpec("e", [`${IP1}/24`]);
    await cluster.deleteNode("n1");
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    await cluster.restart();
    await cluster.deleteEgressIp("e");
    expect(await cloud.asked()).toEqual([]);
  });

  test("another that wants the address gets it after it was given back, with an object of its own", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    await cluster.addEgressIp("f", [IP1]);
    await cluster.deleteEgressIp("e");
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of f`]);
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("f")).toEqual([`${IP1}@n1`]);
  });

  test("59: an object that is held by a finalizer blocks the address until it is gone", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.change(IP1, { metadata: { finalizers: ["cloud"] } });
    await cloud.grant(IP1, "n1");
    await cluster.deleteEgressIp("e");
    await cluster.addEgressIp("f", [IP1]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    expect(cluster.log.lines.at(-1)).toContain(
      `cloud update request failed, CloudPrivateIPConfig: ${IP1} is being deleted`,
    );
    await cloud.change(IP1, { metadata: { finalizers: null } });
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of f`]);
  });

  test("made again under the same name asks with an object of its own", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    const before = await cloud.config(IP1);
    cluster.client.holdEvents();
    await cluster.client.delete(
      { group: "k8s.ovn.org", version: "v1", resource: "egressips" },
      { namespace: "", name: "e" },
    );
    const added = cluster.addEgressIp("e", [IP1]);
    cluster.client.releaseEvents();
    await added;
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    expect((await cloud.config(IP1))?.metadata.uid).not.toBe(before?.metadata.uid);
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("whose request somebody else deletes first has nothing to give back, and nothing to recordEvent", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    cluster.client.refuse = ({ verb, resource }) =>
      verb === "delete" && resource === CONFIGS.resource ? notFound(CONFIGS, IP1) : undefined;
    await cluster.deleteEgressIp("e");
    expect([await cluster.events("e"), cluster.log.lines.filter((line) => line.includes("failed"))]).toEqual([
      [],
      [],
    ]);
  });

  test("that the API does not let go is said, and tried again", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    let refusals = 1;
    cluster.client.refuse = ({ verb, resource }) =>
      verb === "delete" && resource === CONFIGS.resource && refusals-- > 0 ? new Error("no") : undefined;
    await cluster.deleteEgressIp("e");
    expect(await cluster.events("e")).toEqual([
      `CloudDeletionFailed: egress IP: ${IP1} for object EgressIP: e could not be deleted, err: no`,
    ]);
    cluster.clock.advance(1_000);
    await cluster.idle();
    expect(await cloud.asked()).toEqual([]);
  });
});

describe("what users do to it", () => {
  beforeEach(async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
  });

  test("items that are emptied come back only when the cloud speaks again", async () => {
    await cluster.patchEgressIp("e", { status: { items: [] } });
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual([]);
    await cloud.answer(IP1, "n1", assigned("Unknown"));
    expect(await cluster.items("e")).toEqual([]);
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("an item on another node goes, and the request stays", async () => {
    await cluster.patchEgressIp("e", { status: { items: [{ egressIP: IP1, node: "n2" }] } });
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP1}@n1 of e`]]);
  });

  test("an item with the address of another EgressIP takes nothing from that one", async () => {
    await cluster.addEgressIp("f", [IP2]);
    await cloud.grant(IP2, "n2");
    await cluster.patchEgressIp("f", { status: { items: [{ egressIP: IP1, node: "n1" }] } });
    expect([await cluster.items("f"), await cluster.items("e")]).toEqual([[], [`${IP1}@n1`]]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`, `${IP2}@n2 of f`]);
  });

  test("an item in another spelling of the address costs only the item", async () => {
    const spelled = `::ffff:${IP1}`;
    const { uid } = (await cloud.config(IP1))?.metadata ?? {};
    await cluster.patchEgressIp("e", { status: { items: [{ egressIP: spelled, node: "n1" }] } });
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP1}@n1 of e`]]);
    expect((await cloud.config(IP1))?.metadata.uid).toBe(uid);
  });

  test("an item that is no address costs only itself", async () => {
    const items = ["x", IP1].map((egressIP) => ({ egressIP, node: "n1" }));
    await cluster.patchEgressIp("e", { status: { items } });
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[`${IP1}@n1`], [`${IP1}@n1 of e`]]);
    expect(await cluster.events("e")).toEqual([]);
  });
});

describe("a CloudPrivateIPConfig that is there already (rules 59, 65)", () => {
  beforeEach(() => cloud.addNodes());

  test("for another node is left alone, and the address waits", async () => {
    await cloud.create(IP1, "n2");
    await cluster.addEgressIp("e", [IP1]);
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([undefined, [`${IP1}@n2 of nobody`]]);
    expect(cluster.log.lines.at(-1)).toContain(
      `cloud request failed for CloudPrivateIPConfig: ${IP1}, err: cannot be assigned to node n1 because cloud has it in node n2`,
    );
    await cloud.remove(IP1);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });

  test("for the same node is taken as it is, but its grant reaches nobody", async () => {
    await cloud.create(IP1, "n1");
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([undefined, [`${IP1}@n1 of nobody`]]);
    await cluster.deleteEgressIp("e");
    expect(await cloud.asked()).toEqual([]);
  });

  test("with the annotation the EgressIP gets its item", async () => {
    await cloud.create(IP1, "n1", "e");
    await cluster.addEgressIp("e", [IP1]);
    expect(await cluster.items("e")).toBeUndefined();
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("granted before the EgressIP comes, it gives the item when that has come", async () => {
    await cloud.create(IP1, "n1", "e");
    await cloud.grant(IP1, "n1");
    await cluster.addEgressIp("e", [IP1]);
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("for an address that the EgressIP does not want is given back once it is granted", async () => {
    await cluster.addEgressIp("e", [IP1]);
    await cloud.create(IP3, "n2", "e");
    await cluster.touch("e");
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`, `${IP3}@n2 of e`]);
    await cloud.grant(IP3, "n2");
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP1}@n1 of e`]]);
  });

  test("that failed on a node that is gone is deleted, with an event, and asked for anew", async () => {
    await cloud.create(IP1, "gone");
    await cloud.answer(IP1, "gone", assigned("False", 'Node "gone" does not exist'));
    await cluster.addEgressIp("e", [IP1]);
    expect(await cluster.events("e")).toEqual([
      `CloudAssignmentRetry: egress IP: ${IP1} previously failed on deleted node gone (reason: Node "gone" does not exist), will retry assignment`,
    ]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    expect(await cluster.items("e")).toBeUndefined();
  });

  test("of our own that failed on a node that is gone is asked for anew by itself", async () => {
    await cluster.addEgressIp("e", [IP1]);
    await cluster.deleteNode("n1");
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    await cloud.answer(IP1, "n1", assigned("False", 'Node "n1" does not exist'));
    expect(await cloud.asked()).toEqual([`${IP1}@n2 of e`]);
  });
});
