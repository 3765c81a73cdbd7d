// What a person is advised to do about an EgressIP helps.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { assignmentOf } from "../../../../src/ovn/assignment/assignment.ts";
import { explainEgressIp } from "../../../../src/ovn/explain/explain-egress-ip.ts";
import { clusterOf, egressIp, egressNode, LABEL, node, READY } from "../world.ts";

const N1 = egressNode("n1", ["192.168.126.12/24"]);
const wants = (...addresses: string[]) => egressIp("web", addresses);

describe("advice", () => {
  const unlabelled = (name: string, ...addresses: string[]): KubeObject => ({
    ...node(name, addresses),
    ...READY,
  });
  const adviceOf = (...objects: KubeObject[]): readonly string[] =>
    explainEgressIp(clusterOf(objects), "web")?.advice ?? [];
  const NEW = "add a node in that network, or take another address";

  test("names the nodes that a label would help", () => {
    const [near, far] = [unlabelled("n2", "192.168.126.51/24"), unlabelled("n3", "10.0.0.3/24")];
    expect(adviceOf(wants("192.168.126.101"), near, far)).toEqual([
      "label a ready node k8s.ovn.org/egress-assignable: n2",
    ]);
    expect(adviceOf(wants("192.168.126.101"), far)).toEqual([NEW]);
    expect(adviceOf(wants("10.0.0.9"), N1, near, far)).toEqual([
      NEW,
      "label a ready node k8s.ovn.org/egress-assignable: n3",
    ]);
    expect(adviceOf(egressIp("web", ["192.168.126.101@n1", "192.168.126.102"]), N1, far)).toEqual([
      "add a node in that network, or take one address fewer",
    ]);
  });

  test("to repair a node is given where it would do then", () => {
    const [near, far] = [node("n2", ["192.168.126.51/24"]), node("n3", ["10.0.0.3/24"])];
    expect(adviceOf(wants("192.168.126.101"), near, far)).toEqual(["repair the node"]);
  });

  test("about nodes is not given where an address lacks something else", () => {
    expect(adviceOf(wants("192.168.126.12"), N1, unlabelled("n2", "192.168.126.51/24"))).toEqual([
      "take another address",
    ]);
  });

  test("to label a node helps with each that is named, and with no other", () => {
    const arbitraryNode = fc.record({
      isLabelled: fc.boolean(),
      isReady: fc.boolean(),
      network: fc.constantFrom("192.168.126", "10.0.0"),
    });
    const addresses = fc.uniqueArray(fc.constantFrom("192.168.126.101", "192.168.126.102", "10.0.0.99"), {
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.array(arbitraryNode, { maxLength: 4 }), addresses, (drawn, wanted) => {
        const nodes = drawn.map(
          ({ isLabelled, isReady, network }, index): KubeObject => ({
            ...node(`n${index}`, [`${network}.${index + 2}/24`], isLabelled ? { labels: LABEL } : {}),
            ...(isReady ? READY : {}),
          }),
        );
        const before = placed(wanted, nodes);
        const advice = adviceOf(egressIp("web", before), ...nodes);
        const named = advice.flatMap(
          (text) => /^label a ready node \S+: (.*)$/.exec(text)?.[1]?.split(", ") ?? [],
        );
        const helps = nodes.flatMap(({ metadata: { name = "", ...metadata } }, index) => {
          if (metadata.labels !== undefined || !drawn[index]?.isReady) return [];
          const labelled = nodes.map((one, at) =>
            at === index ? { ...one, metadata: { ...metadata, name, labels: LABEL } } : one,
          );
          return count(placed(before, labelled)) > count(before) ? [name] : [];
        });
        expect([...new Set(named)].sort()).toEqual(helps);
      }),
      { numRuns: 300 },
    );
  });

  /** With the nodes on which the controller would place them: "192.168.126.101@n1". */
  function placed(items: readonly string[], nodes: readonly KubeObject[]): string[] {
    const assignment = assignmentOf(clusterOf([egressIp("web", items), ...nodes]));
    const web = assignment.egressIps.get("web");
    const found = web && assignment.plan(web);
    const nodeOf = new Map(
      [...(found?.kept ?? []), ...(found?.placed ?? [])].map(({ egressIP, node: at }) => [egressIP, at]),
    );
    return items.map((item) => {
      const [address = ""] = item.split("@");
      const at = nodeOf.get(address);
      return at === undefined ? address : `${address}@${at}`;
    });
  }

  const count = (items: readonly string[]): number => items.filter((item) => item.includes("@")).length;
});
