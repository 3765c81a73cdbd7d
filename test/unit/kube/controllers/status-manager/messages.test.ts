import { afterEach, describe, expect, test } from "vitest";
import {
  EGRESS_FIREWALL,
  EXTERNAL_ROUTE,
  inA,
  NODES,
  node,
  statusManager,
  ZoneCluster,
} from "../../../ovn/controllers/zones/support.ts";

const FIREWALL = { egress: [{ type: "Deny", to: { cidrSelector: "0.0.0.0/0" } }] };
const ROUTE = { from: { namespaceSelector: {} }, nextHops: { static: [{ ip: "172.18.0.2" }] } };
const APPLIED = "EgressFirewall Rules applied";
const FAILED = "EgressFirewall Rules not correctly applied";

let cluster: ZoneCluster;
afterEach(() => cluster.stop());

async function firewall(...nodes: string[]): Promise<void> {
  cluster = await ZoneCluster.start([statusManager], nodes);
  await cluster.add(EGRESS_FIREWALL, inA, FIREWALL);
}

const says = (zone: string, text: string, ...more: string[]): Promise<void> =>
  cluster.report(EGRESS_FIREWALL, inA, zone, { messages: [text, ...more].map((item) => `${zone}: ${item}`) });
const summary = (): Promise<unknown> => cluster.summary(EGRESS_FIREWALL, inA);
const messages = async (): Promise<unknown> => (await cluster.status(EGRESS_FIREWALL, inA))?.["messages"];

describe("the sum of messages (rules 40–44, c.11)", () => {
  test("57: one zone that reports is enough where there is one", async () => {
    await firewall("n1");
    await says("n1", "OK");
    expect(await summary()).toBe(APPLIED);
  });

  test("57: of two zones both have to report", async () => {
    await firewall("n1", "n2");
    await says("n1", APPLIED);
    expect(await summary()).toBe("");
    await says("n2", APPLIED);
    expect(await summary()).toBe(APPLIED);
  });

  test("one failure decides at once, and is over when that zone succeeds", async () => {
    await firewall("n1", "n2");
    await says("n1", `${FAILED}: x`);
    expect(await summary()).toBe(FAILED);
    await says("n1", APPLIED);
    expect(await summary()).toBe("");
  });

  test("messages are counted, not zones", async () => {
    await firewall("n1", "n2");
    await says("n1", APPLIED, "twice");
    expect(await summary()).toBe(APPLIED);
  });

  test("a node that joins makes it unknown again, whether it is ready or not", async () => {
    await firewall("n1");
    await says("n1", APPLIED);
    await cluster.addNode("n2");
    expect(await summary()).toBe("");
  });

  test("without nodes nothing is summed up", async () => {
    await firewall("n1");
    await says("n1", APPLIED);
    await cluster.delete(NODES, node("n1"));
    expect([await summary(), await messages()]).toEqual([APPLIED, [`n1: ${APPLIED}`]]);
  });

  test("an object on which nobody has reported is left alone", async () => {
    await firewall("n1");
    expect(await cluster.status(EGRESS_FIREWALL, inA)).toBeUndefined();
  });

  test("it is owned by cluster-manager, and nothing beside it", async () => {
    await firewall("n1");
    await says("n1", APPLIED);
    expect((await cluster.owners(EGRESS_FIREWALL, inA))["cluster-manager"]).toEqual({
      "f:status": { "f:status": {} },
    });
  });

  test("a summary that somebody else has written stays until the messages or the nodes change", async () => {
    await firewall("n1");
    await says("n1", APPLIED);
    await cluster.merge(EGRESS_FIREWALL.resource, inA, { status: { status: "mine" } }, "status");
    expect(await summary()).toBe("mine");
    await cluster.merge(EGRESS_FIREWALL.resource, inA, { spec: { egress: [] } });
    expect(await summary()).toBe("mine");
    await says("n1", "again");
    expect(await summary()).toBe(APPLIED);
  });

  test("a route is well or it fails", async () => {
    cluster = await ZoneCluster.start([statusManager], ["n1"]);
    const route = { namespace: "", name: "r" };
    await cluster.add(EXTERNAL_ROUTE, route, ROUTE);
    await cluster.report(EXTERNAL_ROUTE, route, "n1", { messages: ["n1: anything"] });
    expect(await cluster.summary(EXTERNAL_ROUTE, route)).toBe("Success");
    await cluster.report(EXTERNAL_ROUTE, route, "n1", { messages: ["n1: n1 failed to apply policy: x"] });
    expect(await cluster.summary(EXTERNAL_ROUTE, route)).toBe("Fail");
  });
});

describe("messages of zones that are no nodes (rule 42)", () => {
  test("57: the message of a node that goes is taken out, and the rest decides", async () => {
    await firewall("n1", "n2");
    await says("n1", APPLIED);
    await says("n2", `${FAILED}: x`);
    await cluster.delete(NODES, node("n2"));
    expect([await summary(), await messages()]).toEqual([APPLIED, [`n1: ${APPLIED}`]]);
    expect(Object.keys(await cluster.owners(EGRESS_FIREWALL, inA)).sort()).toEqual(["cluster-manager", "n1"]);
  });

  test("one that another manager owns stays, and nothing is summed up any more", async () => {
    await firewall("n1");
    await cluster.report(EGRESS_FIREWALL, inA, "somebody", { messages: ["zone-x: OK"] });
    await says("n1", APPLIED);
    expect([await summary(), await messages()]).toEqual(["", ["zone-x: OK", `n1: ${APPLIED}`]]);
  });

  test("a message without a colon is all name", async () => {
    await firewall("n1");
    await cluster.report(EGRESS_FIREWALL, inA, "hello", { messages: ["hello"] });
    expect([await summary(), (await messages()) ?? []]).toEqual(["", []]);
  });
});

describe("quiet", () => {
  test("a restart writes nothing", async () => {
    await firewall("n1", "n2");
    await says("n1", APPLIED);
    await says("n2", APPLIED);
    const { revision } = cluster;
    await cluster.restart();
    expect(cluster.revision).toBe(revision);
  });

  test("an apply that fails is tried again", async () => {
    await firewall("n1");
    const { resource } = EGRESS_FIREWALL;
    await cluster.delete(resource, inA);
    expect(cluster.log.lines).toEqual([]);
  });
});
