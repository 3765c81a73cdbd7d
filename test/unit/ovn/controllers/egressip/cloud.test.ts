import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Cluster } from "../../../kube/controllers/support.ts";
import { assigned, CloudCluster, CONFIGS, IP1, IP2, OWNER } from "./cloud-cluster.ts";

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

test("of two requests the one that is refused is told of, and made again", async () => {
  await cloud.addNodes();
  const asked: string[] = [];
  cluster.client.refuse = ({ verb, resource, name }) => {
    if (verb !== "create" || resource !== CONFIGS.resource) return undefined;
    asked.push(name);
    return asked.length === 2 ? new Error("no") : undefined;
  };
  await cluster.addEgressIp("e", [IP1, IP2]);
  cluster.clock.advance(1_000);
  await cluster.idle();
  expect(cluster.log.lines.join("\n")).toContain(
    `cloud add request failed for CloudPrivateIPConfig: ${IP2}, err: no`,
  );
  expect([asked, await cloud.asked()]).toEqual([
    [IP1, IP2, IP2],
    [`${IP1}@n1 of e`, `${IP2}@n2 of e`],
  ]);
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
