import { afterEach, describe, expect, test } from "vitest";
import type { ZonedKind } from "../../../../../src/ovn/controllers/zones/status-manager.ts";
import {
  EGRESS_QOS,
  inA,
  NETWORK_QOS,
  NODES,
  node,
  statusManager,
  ZoneCluster,
} from "../../../ovn/controllers/zones/support.ts";

const SPECS = new Map<ZonedKind, Record<string, unknown>>([
  [EGRESS_QOS, { egress: [{ dscp: 10 }] }],
  [
    NETWORK_QOS,
    { priority: 1, egress: [{ dscp: 10, classifier: { to: [{ ipBlock: { cidr: "1.2.3.4/32" } }] } }] },
  ],
]);

let cluster: ZoneCluster;
afterEach(() => cluster.stop());

async function start(kind: ZonedKind, ...nodes: string[]): Promise<void> {
  cluster = await ZoneCluster.start([statusManager], nodes);
  await cluster.add(kind, inA, SPECS.get(kind) ?? {});
}

const says = (
  kind: ZonedKind,
  manager: string,
  type: string,
  message: string,
  status = "True",
): Promise<void> =>
  cluster.report(kind, inA, manager, {
    conditions: [{ type, status, reason: "R", message, lastTransitionTime: "2024-01-01T00:00:00Z" }],
  });

describe.each([
  [EGRESS_QOS, "EgressQoS Rules applied", "EgressQoS Rules not correctly applied"],
  [NETWORK_QOS, "NetworkQoS Destinations applied", "NetworkQoS Destinations not correctly applied"],
] as const)("the sum of conditions of $kind", (kind, applied, failed) => {
  test("every zone has to report", async () => {
    await start(kind, "n1", "n2");
    await says(kind, "n1", "Ready-In-Zone-n1", "fine");
    expect(await cluster.summary(kind, inA)).toBe("");
    await says(kind, "n2", "Ready-In-Zone-n2", "fine");
    expect(await cluster.summary(kind, inA)).toBe(applied);
  });

  test("the message decides, not the status of the condition", async () => {
    await start(kind, "n1");
    await says(kind, "n1", "Ready-In-Zone-n1", "went wrong", "False");
    expect(await cluster.summary(kind, inA)).toBe(applied);
    await says(kind, "n1", "Ready-In-Zone-n1", `${failed}: x`);
    expect(await cluster.summary(kind, inA)).toBe(failed);
  });

  test("other conditions do not count as reports, but may recordEvent that something failed", async () => {
    await start(kind, "n1", "n2");
    await says(kind, "n1", "Ready-In-Zone-n1", "fine");
    await says(kind, "somebody", "Other", "fine");
    expect(await cluster.summary(kind, inA)).toBe("");
    await says(kind, "another", "Another", `${failed}`);
    await says(kind, "n2", "Ready-In-Zone-n2", "fine");
    expect(await cluster.summary(kind, inA)).toBe(failed);
  });

  test("the condition of a node that goes is taken out", async () => {
    await start(kind, "n1", "n2");
    await says(kind, "n1", "Ready-In-Zone-n1", "fine");
    await says(kind, "n2", "Ready-In-Zone-n2", "fine");
    await cluster.delete(NODES, node("n2"));
    const conditions = (await cluster.status(kind, inA))?.["conditions"] as { type: string }[];
    expect(conditions.map(({ type }) => type)).toEqual(["Ready-In-Zone-n1"]);
    expect(await cluster.summary(kind, inA)).toBe(applied);
  });
});
