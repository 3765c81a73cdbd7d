import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Cluster } from "../support.ts";
import { assigned, CloudCluster, CONFIGS, IP1, IP2, IP3, OWNER } from "./cloud-cluster.ts";

let cloud: CloudCluster;
let cluster: Cluster;
beforeEach(async () => {
  cloud = await CloudCluster.start();
  cluster = cloud.cluster;
});
afterEach(() => cluster.stop());

const NO_NODE =
  "NoMatchingNodeFound: no assignable nodes for EgressIP: e, please tag at least one node with label: k8s.ovn.org/egress-assignable";

describe("a request (rules 57, 58)", () => {
  test("names the address, the node and the EgressIP, and nothing more", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    const { metadata, spec, status } = (await cloud.config(IP1)) ?? { metadata: {} };
    expect({ spec, status, annotations: metadata.annotations, owners: metadata.ownerReferences }).toEqual({
      spec: { node: "n1" },
      status: undefined,
      annotations: { [OWNER]: "e" },
      owners: undefined,
    });
    expect(metadata.finalizers).toBeUndefined();
    const { metadata: own, status: none } = await cluster.egressIp("e");
    expect([none, own.annotations, own.generation]).toEqual([undefined, undefined, 1]);
  });

  test("for IPv6 is named by eight full groups joined by dots", async () => {
    await cloud.addNode("n1", { ipv6: "fc00:f853:ccd:e793::1/64" });
    await cluster.addEgressIp("e", ["FC00:F853:CCD:E793::54"]);
    const name = "fc00.f853.0ccd.e793.0000.0000.0000.0054";
    expect(await cloud.asked()).toEqual([`${name}@n1 of e`]);
    await cloud.grant(name, "n1");
    expect(await cluster.items("e")).toEqual(["fc00:f853:ccd:e793::54@n1"]);
  });

  test("is not made without a usable node", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24", label: false });
    await cluster.addEgressIp("e", [IP1]);
    expect([await cloud.asked(), await cluster.events("e")]).toEqual([[], [NO_NODE]]);
    await cluster.label("n1", "");
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });

  test("takes the address, granted or not", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cluster.addEgressIp("f", [IP1]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    expect((await cluster.events("f"))[0]).toBe(
      `UnsupportedRequest: IP: "${IP1}" for EgressIP: f is already allocated for EgressIP: e on n1`,
    );
  });

  test("is made again when its object has gone unheard and the EgressIP is touched", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.remove(IP1);
    expect(await cloud.asked()).toEqual([]);
    await cluster.touch("e");
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });

  test("that the API refuses is said and tried again", async () => {
    await cloud.addNodes();
    let refusals = 1;
    cluster.client.refuse = ({ verb, resource }) =>
      verb === "create" && resource === CONFIGS.resource && refusals-- > 0 ? new Error("no") : undefined;
    await cluster.addEgressIp("e", [IP1]);
    expect(await cluster.events("e")).toEqual([
      `CloudAssignmentFailed: egress IP: ${IP1} for object EgressIP: e could not be created, err: no`,
    ]);
    cluster.clock.advance(1_000);
    await cluster.idle();
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });
});

describe("an answer (rules 64, 65, 67)", () => {
  beforeEach(async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
  });

  test("64: the item and the mark come with the grant, in one change", async () => {
    cluster.takeWrites();
    await cloud.grant(IP1, "n1");
    expect([await cluster.items("e"), await cluster.mark("e")]).toEqual([[`${IP1}@n1`], "50000"]);
    expect(cluster.takeWrites()).toHaveLength(1);
    await cloud.answer(IP1, "n1", assigned("True", "again"));
    expect(cluster.takeWrites()).toEqual([]);
  });

  test.each<[string, string, ReturnType<typeof assigned>]>([
    ["67: that is pending", "n1", assigned("Unknown")],
    ["67: that is an error", "n1", assigned("False")],
    ["64: that is about another node", "n2", assigned("True")],
    ["64: whose first condition is another", "n1", { ...assigned("True"), type: "Other" }],
  ])("%s makes no status", async (_rule, node, condition) => {
    await cloud.answer(IP1, node, condition);
    expect((await cluster.egressIp("e"))["status"]).toBeUndefined();
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("64: items come in the order of granting", async () => {
    await cluster.setSpec("e", [IP1, IP2]);
    await cloud.grant(IP2, "n2");
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP2}@n2`, `${IP1}@n1`]);
  });

  test.each(["Unknown", "False"] as const)("a grant that turns %s later leaves the item", async (status) => {
    await cloud.grant(IP1, "n1");
    await cloud.answer(IP1, "n1", assigned(status));
    await cluster.touch("e");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
    expect((await cluster.egressIp("e")).metadata.generation).toBe(2);
  });

  test("65: what the cloud takes back on its own goes, and comes with the next grant", async () => {
    await cloud.grant(IP1, "n1");
    await cloud.release(IP1);
    expect(await cluster.items("e")).toEqual([]);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    await cloud.answer(IP1, "n1", assigned("Unknown"));
    expect(await cluster.items("e")).toEqual([]);
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("65: an object that somebody deletes empties the items and is made anew", async () => {
    await cloud.grant(IP1, "n1");
    await cloud.remove(IP1);
    expect(await cluster.items("e")).toEqual([]);
    expect((await cloud.config(IP1))?.["status"]).toBeUndefined();
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
  });

  test("that could not be written is written later", async () => {
    let refusals = 1;
    cluster.client.refuse = ({ verb, resource }) =>
      verb === "patch" && resource === "egressips" && refusals-- > 0 ? new Error("no") : undefined;
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toBeUndefined();
    cluster.clock.advance(1_000);
    await cluster.idle();
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });
});

describe("a move (rule 60)", () => {
  const lose: Record<string, () => Promise<void>> = {
    "when the node is not ready": () => cluster.ready("n1", false),
    "when the node is deleted": () => cluster.deleteNode("n1"),
    "when the node loses the label": () => cluster.label("n1", null),
  };

  test.each(Object.keys(lose))(
    "%s empties the items, then changes the node of the same object",
    async (rule) => {
      await cloud.addNodes();
      await cluster.addEgressIp("e", [IP1]);
      await cloud.grant(IP1, "n1");
      const before = await cloud.config(IP1);
      await lose[rule]?.();
      const after = await cloud.config(IP1);
      expect(after).toMatchObject({
        metadata: { uid: before?.metadata.uid, generation: 2 },
        spec: { node: "n2" },
        status: { node: "n1" },
      });
      expect([await cluster.items("e"), (await cluster.egressIp("e")).metadata.generation]).toEqual([[], 3]);
      await cloud.release(IP1);
      await cloud.answer(IP1, "n2", assigned("Unknown"));
      expect((await cluster.egressIp("e")).metadata.generation).toBe(3);
      await cloud.grant(IP1, "n2");
      expect([await cluster.items("e"), await cluster.mark("e")]).toEqual([[`${IP1}@n2`], "50000"]);
      expect((await cluster.egressIp("e")).metadata.generation).toBe(4);
    },
  );

  test("to nowhere deletes the object; the address is asked for anew when the node recovers", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24" });
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    await cluster.ready("n1", false);
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], []]);
    expect((await cluster.events("e"))[0]).toContain(NO_NODE);
    await cluster.ready("n1", true);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    await cloud.grant(IP1, "n1");
    expect(await cluster.items("e")).toEqual([`${IP1}@n1`]);
  });

  test("does not happen because a node joins", async () => {
    await cloud.addNode("n1", { ipv4: "192.168.126.11/24" });
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    await cloud.addNode("n2", { ipv4: "192.168.126.12/24" });
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[`${IP1}@n1`], [`${IP1}@n1 of e`]]);
  });

  test("that the API refuses is said, and made later", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cloud.grant(IP1, "n1");
    let refusals = 1;
    cluster.client.refuse = ({ verb, resource }) =>
      verb === "patch" && resource === CONFIGS.resource && refusals-- > 0 ? new Error("no") : undefined;
    await cluster.ready("n1", false);
    expect(await cluster.events("e")).toEqual([
      `CloudUpdateFailed: egress IP: ${IP1} for object EgressIP: e could not be updated, err: no`,
    ]);
    cluster.clock.advance(1_000);
    await cluster.idle();
    expect(await cloud.asked()).toEqual([`${IP1}@n2 of e`]);
  });

  test("of an address that was granted on a node that is lost meanwhile", async () => {
    await cloud.addNodes();
    await cluster.addEgressIp("e", [IP1]);
    await cluster.label("n1", null);
    expect(await cloud.asked()).toEqual([`${IP1}@n1 of e`]);
    await cloud.grant(IP1, "n1");
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP1}@n2 of e`]]);
  });
});

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
    await cluster.patchEgressIp("e", { status: { items: [{ egressIP: spelled, node: "n1" }] } });
    expect([await cluster.items("e"), await cloud.asked()]).toEqual([[], [`${IP1}@n1 of e`]]);
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
