import { afterEach, describe, expect, test } from "vitest";
import {
  ATTACHMENTS,
  EGRESS_FIREWALL,
  inA,
  NAMESPACES,
  NODES,
  node,
  statusManager,
  ZoneCluster,
  zones,
} from "./support.ts";

const APPLIED = "EgressFirewall Rules applied";
const FAILED = "EgressFirewall Rules not correctly applied";
const HOST_CIDRS = "k8s.ovn.org/host-cidrs";

let cluster: ZoneCluster;
afterEach(() => cluster.stop());

const start = async (nodes: readonly string[]): Promise<void> => {
  cluster = await ZoneCluster.start([zones, statusManager], nodes);
};
const rule = (to: unknown) => ({ type: "Deny", to });
const add = (...destinations: readonly unknown[]): Promise<void> =>
  cluster.add(EGRESS_FIREWALL, inA, { egress: destinations.map(rule) });
const messages = async (): Promise<unknown> => (await cluster.status(EGRESS_FIREWALL, inA))?.["messages"];
const summary = (): Promise<unknown> => cluster.summary(EGRESS_FIREWALL, inA);
const RULE_TO = (destination: string): string =>
  `cannot create EgressFirewall Rule to destination ${destination} for namespace a: `;

describe("what the zones report (rules c.9–c.11)", () => {
  test("every node reports in its own name, and the sum follows", async () => {
    await start(["n1", "n2"]);
    await add({ cidrSelector: "1.2.3.4/23" });
    expect([await messages(), await summary()]).toEqual([[`n1: ${APPLIED}`, `n2: ${APPLIED}`], APPLIED]);
    expect(Object.keys(await cluster.owners(EGRESS_FIREWALL, inA)).sort()).toEqual([
      "cluster-manager",
      "n1",
      "n2",
    ]);
  });

  test("a node that joins reports too; the message of one that goes is taken out", async () => {
    await start(["n1"]);
    await add({ cidrSelector: "0.0.0.0/0" });
    await cluster.addNode("n2");
    expect([await messages(), await summary()]).toEqual([[`n1: ${APPLIED}`, `n2: ${APPLIED}`], APPLIED]);
    await cluster.delete(NODES, node("n1"));
    expect([await messages(), await summary()]).toEqual([[`n2: ${APPLIED}`], APPLIED]);
  });

  test("a bad rule spoils the object; several are listed", async () => {
    await start(["n1"]);
    await add({ cidrSelector: "1.2.3.4" });
    const first = `${RULE_TO("1.2.3.4")}invalid CIDR address: 1.2.3.4`;
    expect([await messages(), await summary()]).toEqual([[`n1: ${FAILED}: ${first}`], FAILED]);
    await cluster.merge(EGRESS_FIREWALL.resource, inA, {
      spec: {
        egress: [{ cidrSelector: "1.2.3.4" }, { cidrSelector: "0.0.0.0/0" }, { cidrSelector: "x" }].map(rule),
      },
    });
    expect(await messages()).toEqual([`n1: ${FAILED}: [${first}, ${RULE_TO("x")}invalid CIDR address: x]`]);
    await cluster.merge(EGRESS_FIREWALL.resource, inA, {
      spec: { egress: [rule({ cidrSelector: "::/0" })] },
    });
    expect([await messages(), await summary()]).toEqual([[`n1: ${APPLIED}`], APPLIED]);
  });

  test("2: 8001 rules are let in, not one more", async () => {
    await start(["n1"]);
    const many = Array.from({ length: 8_001 }, () => ({ cidrSelector: "1.2.3.4/32" }));
    await add(...many);
    expect(await summary()).toBe(APPLIED);
    await cluster.merge(EGRESS_FIREWALL.resource, inA, {
      spec: { egress: [...many, ...many.slice(0, 1)].map(rule) },
    });
    expect(await messages()).toEqual([
      `n1: ${FAILED}: egressFirewall for namespace a has too many rules, max allowed number is 8000`,
    ]);
  });

  test("58: where there is no namespace the rules are not applied, until there is one", async () => {
    await start(["n1"]);
    const key = { namespace: "later", name: "default" };
    await cluster.add(EGRESS_FIREWALL, key, { egress: [rule({ cidrSelector: "0.0.0.0/0" })] });
    expect((await cluster.status(EGRESS_FIREWALL, key))?.["messages"]).toEqual([
      expect.stringContaining(`n1: ${FAILED}`),
    ]);
    await cluster.create(NAMESPACES, "v1", "Namespace", { name: "later" });
    expect(await cluster.status(EGRESS_FIREWALL, key)).toMatchObject({
      messages: [`n1: ${APPLIED}`],
      status: APPLIED,
    });
  });

  test("nothing is written while nothing changes, also not by a restart", async () => {
    await start(["n1", "n2"]);
    await add({ cidrSelector: "1.2.3.4" }, { nodeSelector: {} });
    const before = cluster.revision;
    await cluster.restart();
    await cluster.merge(NODES, node("n1"), { status: { nodeInfo: { kubeletVersion: "v9" } } }, "status");
    expect(cluster.revision - before).toBe(1);
  });
});

describe("rules for nodes (rule c.7)", () => {
  test("59: a node gets the label, loses it or goes: the rules stay in force", async () => {
    await start([]);
    const annotations = { [HOST_CIDRS]: '["192.168.126.12/24","fd00::c/64"]' };
    await cluster.addNode("n1", { annotations });
    await add({ nodeSelector: { matchLabels: { far: "yes" } } });
    expect(await summary()).toBe(APPLIED);
    await cluster.merge(NODES, node("n1"), { metadata: { labels: { far: "yes" } } });
    expect(await summary()).toBe(APPLIED);
    await cluster.addNode("n2");
    await cluster.delete(NODES, node("n1"));
    expect([await messages(), await summary()]).toEqual([[`n2: ${APPLIED}`], APPLIED]);
  });

  test("a selected node whose addresses cannot be read spoils the rule until they can be", async () => {
    await start([]);
    await cluster.addNode("n1", { labels: { far: "yes" }, annotations: { [HOST_CIDRS]: "nonsense" } });
    await cluster.addNode("n2");
    await add({ nodeSelector: { matchLabels: { far: "yes" } } });
    expect([await messages(), await summary()]).toEqual([
      [expect.stringContaining(`n1: ${FAILED}: ${RULE_TO("")}`), expect.stringContaining(`n2: ${FAILED}`)],
      FAILED,
    ]);
    await cluster.merge(NODES, node("n1"), { metadata: { annotations: { [HOST_CIDRS]: "[]" } } });
    expect(await summary()).toBe(APPLIED);
  });

  test("a selector that is none is an error", async () => {
    await start(["n1"]);
    await add({ nodeSelector: { matchExpressions: [{ key: "a", operator: "Equals" }] } });
    expect(await messages()).toEqual([
      expect.stringContaining(`${RULE_TO("")}rule destination has invalid node selector, err: `),
    ]);
  });
});

describe("60: names (rule c.8)", () => {
  const names = async (name: string): Promise<unknown> => {
    await start(["n1"]);
    await add({ dnsName: name });
    return summary();
  };

  test("a wildcard is no destination without the DNSNameResolver feature, which nobody has here", async () => {
    expect(await names("*.example.com")).toBe(FAILED);
    expect(await messages()).toEqual([
      `n1: ${FAILED}: ${RULE_TO("")}wildcard dns name is not supported as rule destination, *.example.com`,
    ]);
  });

  test.each(["www.example.com", "example.com.", "com"])("%s is fine", async (name) => {
    expect(await names(name)).toBe(APPLIED);
  });
});

describe("networks of their own (rule 45)", () => {
  const PRIMARY = "k8s.ovn.org/primary-user-defined-network";
  const attach = (): Promise<void> =>
    cluster.create(
      ATTACHMENTS,
      "k8s.cni.cncf.io/v1",
      "NetworkAttachmentDefinition",
      { namespace: "a", name: "blue" },
      { spec: { config: JSON.stringify({ name: "blue", role: "primary" }) } },
    );

  test("57: a network that is there is on all nodes, and all of them report", async () => {
    await start(["n1", "n2"]);
    await cluster.merge(NAMESPACES, node("a"), { metadata: { labels: { [PRIMARY]: "" } } });
    await attach();
    await add({ cidrSelector: "0.0.0.0/0" });
    expect([await messages(), await summary()]).toEqual([[`n1: ${APPLIED}`, `n2: ${APPLIED}`], APPLIED]);
  });

  test("a network that does not exist is an error of the zones, and makes no sum", async () => {
    await start(["n1"]);
    await cluster.merge(NAMESPACES, node("a"), { metadata: { labels: { [PRIMARY]: "" } } });
    await add({ cidrSelector: "0.0.0.0/0" });
    expect([await messages(), await summary()]).toEqual([[expect.stringContaining(`n1: ${FAILED}: `)], ""]);
    await attach();
    expect([await messages(), await summary()]).toEqual([[`n1: ${APPLIED}`], APPLIED]);
  });
});
