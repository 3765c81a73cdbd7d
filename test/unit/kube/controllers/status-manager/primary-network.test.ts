import { afterEach, describe, expect, test } from "vitest";
import {
  ATTACHMENTS,
  EGRESS_FIREWALL,
  EGRESS_QOS,
  inA,
  NAMESPACES,
  statusManager,
  ZoneCluster,
} from "../../../ovn/controllers/zones/support.ts";

const LABEL = "k8s.ovn.org/primary-user-defined-network";
const FIREWALL = { egress: [{ type: "Deny", to: { cidrSelector: "0.0.0.0/0" } }] };
const APPLIED = "EgressFirewall Rules applied";

let cluster: ZoneCluster;
afterEach(() => cluster.stop());

const attach = (role: string): Promise<void> =>
  cluster.create(
    ATTACHMENTS,
    "k8s.cni.cncf.io/v1",
    "NetworkAttachmentDefinition",
    { namespace: "a", name: "blue" },
    { spec: { config: JSON.stringify({ name: "blue", role }) } },
  );

const labelNamespace = (value: string | null): Promise<void> =>
  cluster.merge(NAMESPACES, { namespace: "", name: "a" }, { metadata: { labels: { [LABEL]: value } } });

const says = (zone: string): Promise<void> =>
  cluster.report(EGRESS_FIREWALL, inA, zone, { messages: [`${zone}: ${APPLIED}`] });
const summary = (): Promise<unknown> => cluster.summary(EGRESS_FIREWALL, inA);

describe("a firewall in a namespace with a primary network (rule 45)", () => {
  test("57: a network that is there is on all nodes, and each of them counts", async () => {
    cluster = await ZoneCluster.start([statusManager], ["n1", "n2"]);
    await labelNamespace("");
    await attach("primary");
    await cluster.add(EGRESS_FIREWALL, inA, FIREWALL);
    await says("n1");
    expect(await summary()).toBe("");
    await says("n2");
    expect(await summary()).toBe(APPLIED);
  });

  test.each([
    ["does not exist", undefined],
    ["is a secondary one", "secondary"],
  ])("nothing is summed up while the network %s", async (_what, role) => {
    cluster = await ZoneCluster.start([statusManager], ["n1"]);
    await labelNamespace("");
    if (role) await attach(role);
    await cluster.add(EGRESS_FIREWALL, inA, FIREWALL);
    await says("n1");
    expect(await summary()).toBe("");
    await labelNamespace(null);
    expect(await summary()).toBe(APPLIED);
  });

  test("the other kinds do not care", async () => {
    cluster = await ZoneCluster.start([statusManager], ["n1"]);
    await labelNamespace("");
    await cluster.add(EGRESS_QOS, inA, { egress: [{ dscp: 1 }] });
    const lastTransitionTime = "2024-01-01T00:00:00Z";
    const condition = {
      type: "Ready-In-Zone-n1",
      status: "True",
      reason: "R",
      message: "m",
      lastTransitionTime,
    };
    await cluster.report(EGRESS_QOS, inA, "n1", { conditions: [condition] });
    expect(await cluster.summary(EGRESS_QOS, inA)).toBe("EgressQoS Rules applied");
  });
});
