// EgressQoS and NetworkQoS: every zone reports a condition.
import { afterEach, describe, expect, test } from "vitest";
import {
  ATTACHMENTS,
  EGRESS_QOS,
  inA,
  NETWORK_QOS,
  NODES,
  node,
  statusManager,
  ZoneCluster,
  zones,
} from "./support.ts";

let cluster: ZoneCluster;
afterEach(() => cluster.stop());

const start = async (...nodes: readonly string[]): Promise<void> => {
  cluster = await ZoneCluster.start([zones, statusManager], nodes);
};
const BAD_SELECTOR = { matchExpressions: [{ key: "a", operator: "Equals", values: ["b"] }] };

describe("EgressQoS (section d)", () => {
  const FAILED = "EgressQoS Rules not correctly applied";
  const conditions = async (): Promise<unknown> => (await cluster.status(EGRESS_QOS, inA))?.["conditions"];
  const summary = (): Promise<unknown> => cluster.summary(EGRESS_QOS, inA);

  test("5: every node has a condition of its own", async () => {
    await start("n1", "n2");
    await cluster.add(EGRESS_QOS, inA, { egress: [{ dscp: 10, dstCIDR: "1.2.3.0/24" }] });
    const condition = (zone: string) => ({
      type: `Ready-In-Zone-${zone}`,
      status: "True",
      reason: "SetupSucceeded",
      message: "EgressQoS Rules applied",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    expect([await conditions(), await summary()]).toEqual([
      [condition("n1"), condition("n2")],
      "EgressQoS Rules applied",
    ]);
    await cluster.delete(NODES, node("n2"));
    expect([await conditions(), await summary()]).toEqual([[condition("n1")], "EgressQoS Rules applied"]);
  });

  test("60: an operator that is none fails, and the time changes with the status only", async () => {
    await start("n1");
    await cluster.add(EGRESS_QOS, inA, { egress: [{ dscp: 10, podSelector: BAD_SELECTOR }] });
    const prefix = `${FAILED}: cannot create egressqos Rule to destination any for namespace a: `;
    const failure = { status: "False", reason: "SetupFailed", lastTransitionTime: "2026-01-01T00:00:00Z" };
    expect(await conditions()).toMatchObject([{ ...failure, message: expect.stringContaining(prefix) }]);
    expect(await summary()).toBe(FAILED);
    cluster.clock.advance(60_000);
    await cluster.merge(EGRESS_QOS.resource, inA, {
      spec: { egress: [{ dscp: 10, dstCIDR: "1.2.3.0/24", podSelector: BAD_SELECTOR }] },
    });
    expect(await conditions()).toMatchObject([
      {
        ...failure,
        message: expect.stringContaining(
          `${FAILED}: cannot create egressqos Rule to destination 1.2.3.0/24 for namespace a: `,
        ),
      },
    ]);
    await cluster.merge(EGRESS_QOS.resource, inA, { spec: { egress: [{ dscp: 10 }] } });
    expect(await conditions()).toMatchObject([
      { status: "True", lastTransitionTime: "2026-01-01T00:01:00Z" },
    ]);
    expect(await summary()).toBe("EgressQoS Rules applied");
  });

  test("2: more than 1000 rules are too many", async () => {
    await start("n1");
    await cluster.add(EGRESS_QOS, inA, { egress: Array.from({ length: 1_001 }, () => ({ dscp: 1 })) });
    expect(await conditions()).toMatchObject([
      { message: `${FAILED}: cannot create EgressQoS with 1001 rules - maximum is 1000` },
    ]);
  });
});

describe("NetworkQoS (section e.4)", () => {
  const to = (...destinations: readonly unknown[]) => ({
    priority: 1,
    egress: [{ dscp: 10, classifier: { to: destinations } }],
  });
  const conditions = async (): Promise<unknown> => (await cluster.status(NETWORK_QOS, inA))?.["conditions"];

  test("2: every node has a condition of its own", async () => {
    await start("n1");
    await cluster.add(NETWORK_QOS, inA, to({ ipBlock: { cidr: "1.2.3.4/32" } }));
    expect(await conditions()).toEqual([
      {
        type: "Ready-In-Zone-n1",
        status: "True",
        reason: "Success",
        message: "NetworkQoS was applied successfully",
        lastTransitionTime: "2026-01-01T00:00:00Z",
        observedGeneration: 0,
      },
    ]);
    expect(await cluster.summary(NETWORK_QOS, inA)).toBe("NetworkQoS Destinations applied");
  });

  test("2: what fails is named with the object", async () => {
    await start("n1");
    await cluster.add(NETWORK_QOS, inA, {
      ...to({ ipBlock: { cidr: "1.2.3.4/32" } }),
      podSelector: BAD_SELECTOR,
    });
    expect(await conditions()).toMatchObject([
      {
        status: "False",
        reason: "Failed",
        message: expect.stringMatching(/^NetworkQoS a\/default - .+, error details: .+/),
      },
    ]);
  });

  test("one for a network that nobody has is reported on by nobody", async () => {
    await start("n1");
    await cluster.add(NETWORK_QOS, inA, {
      ...to({ ipBlock: { cidr: "1.2.3.4/32" } }),
      networkSelectors: [
        {
          networkSelectionType: "NetworkAttachmentDefinitions",
          networkAttachmentDefinitionSelector: {
            namespaceSelector: {},
            networkSelector: { matchLabels: { colour: "blue" } },
          },
        },
      ],
    });
    expect(await conditions()).toBeUndefined();
    await cluster.create(
      ATTACHMENTS,
      "k8s.cni.cncf.io/v1",
      "NetworkAttachmentDefinition",
      { namespace: "b", name: "blue", labels: { colour: "blue" } },
      { spec: { config: "{}" } },
    );
    expect(await conditions()).toMatchObject([{ type: "Ready-In-Zone-n1", status: "True" }]);
  });
});
