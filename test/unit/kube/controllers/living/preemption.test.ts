// The victims of preemption for a pod that fits on no node.
import { describe, expect, test } from "vitest";
import { readLabelSelector } from "../../../../../src/apimachinery/meta/label-selector.ts";
import { type KubeObject, specOf } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { Decision } from "../../../../../src/cluster/scheduler/place.ts";
import type { Budget } from "../../../../../src/cluster/scheduler/preemption.ts";
import { Cluster, HELPLESS, LAST, node, pod, USELESS } from "./scheduler-world.ts";

describe("a pod that finds no node has others go", () => {
  const asking = (name: string, priority: number, cpu = "1", labels: Record<string, string> = {}) =>
    pod(name, { requests: { cpu }, priority }, labels);
  const on = (cluster: Cluster, nodeName: string, ...pods: KubeObject[]) => {
    for (const one of pods) cluster.state.setPod({ ...one, spec: { ...specOf(one), nodeName } }, false);
  };
  const budget = (labels: Record<string, string>, allowed: number, gone: string[] = []): Budget => {
    const selector = readLabelSelector({ matchLabels: labels });
    if (selector instanceof Error) throw selector;
    return { namespace: "a", selector, allowed, gone: new Set(gone) };
  };
  const decided = (
    cluster: Cluster,
    wanting: KubeObject,
    {
      starts = {},
      budgets = [],
      going = [],
    }: { starts?: Record<string, number>; budgets?: Budget[]; going?: string[] } = {},
  ) =>
    cluster.decide(wanting, {
      budgets,
      startOf: ({ key }) => starts[key.slice(2)] ?? 0,
      isGoing: ({ key }) => going.includes(key.slice(2)),
    });
  const victims = (decision: Decision): string | undefined =>
    "preemption" in decision && decision.preemption
      ? `${decision.preemption.node}: ${decision.preemption.victims.map(({ key }) => key.slice(2)).join(" ")}`
      : undefined;

  test("no more than have to, the least important, the youngest", () => {
    const cluster = new Cluster(node("n"));
    on(cluster, "n", asking("old", 1), asking("young", 1));
    expect(victims(decided(cluster, asking("p", 5), { starts: { old: 1, young: 2 } }))).toBe("n: young");
    expect(victims(decided(cluster, asking("q", 5, "2"), { starts: { old: 1, young: 2 } }))).toBe(
      "n: old young",
    );
    expect(victims(decided(cluster, asking("r", 1)))).toBeUndefined();
    expect(cluster.decide(asking("s", 0))).toMatchObject({ message: expect.stringContaining(HELPLESS) });
    expect(decided(cluster, asking("t", 5, "3"))).toEqual({
      message: `0/1 nodes are available: 1 Insufficient cpu. ${LAST} 0/1 nodes are available: 1 ${USELESS}.`,
    });
    expect(cluster.state.nodes.get("n")?.requested.get("cpu")).toBe(2000); // nothing is changed
  });

  test("where a budget allows it, before the priority; and where none does, nevertheless", () => {
    const cluster = new Cluster(node("n1"), node("n2"));
    on(cluster, "n1", asking("kept", 1, "2", { app: "db" }));
    on(cluster, "n2", asking("free", 4, "2"));
    expect(victims(decided(cluster, asking("p", 5, "2")))).toBe("n1: kept");
    const budgets = [budget({ app: "db" }, 0)];
    expect(victims(decided(cluster, asking("p", 5, "2"), { budgets }))).toBe("n2: free");
    expect(victims(decided(cluster, asking("p", 3, "2"), { budgets }))).toBe("n1: kept");
    expect(
      victims(decided(cluster, asking("p", 5, "2"), { budgets: [budget({ app: "db" }, 0, ["kept"])] })),
    ).toBe("n1: kept");
    expect(victims(decided(cluster, asking("p", 5, "2"), { budgets: [budget({ app: "db" }, 1)] }))).toBe(
      "n1: kept",
    );
  });

  test.each<[string, [string, number, string][], [string, number, string][], string]>([
    [
      "the highest priority that goes is the lowest",
      [["a", 3, "2"]],
      [
        ["b", 2, "1"],
        ["c", 2, "1"],
      ],
      "n2: b c",
    ],
    [
      "the sum of priorities is the lowest",
      [
        ["a", 2, "1"],
        ["b", 1, "1"],
      ],
      [["c", 2, "2"]],
      "n2: c",
    ],
    [
      "the fewest go",
      [
        ["a", 2, "1"],
        ["b", 2, "1"],
      ],
      [["c", 2, "2"]],
      "n2: c",
    ],
    ["they began last", [["a", 2, "2"]], [["z", 2, "2"]], "n2: z"],
  ])("from the node where %s", (_why, first, second, told) => {
    const cluster = new Cluster(node("n1"), node("n2"));
    for (const [name, pods] of [
      ["n1", first],
      ["n2", second],
    ] as const)
      on(cluster, name, ...pods.map(([pod, priority, cpu]) => asking(pod, priority, cpu)));
    expect(victims(decided(cluster, asking("p", 5, "2"), { starts: { z: 9 } }))).toBe(told);
  });

  test("not once more while somebody goes from the node that it is to get, and nobody lower comes between", () => {
    const cluster = new Cluster(node("n"));
    on(cluster, "n", asking("low", 1, "2"));
    const high = { ...asking("high", 5, "2"), status: { nominatedNodeName: "n" } };
    expect(decided(cluster, high, { going: ["low"] })).toEqual({
      message: `0/1 nodes are available: 1 Insufficient cpu. ${LAST} not eligible due to a terminating pod on the nominated node.`,
      keepsNomination: true,
    });
    cluster.state.setPod({ ...asking("low", 1, "2"), spec: { nodeName: "n" } }, true);
    expect(cluster.decide(asking("between", 4, "2"))).toHaveProperty("message");
    expect(cluster.decide(asking("above", 6, "2"))).toEqual({ node: "n" });
    expect(cluster.decide(high)).toEqual({ node: "n" });
  });
});
