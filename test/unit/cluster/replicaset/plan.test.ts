import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { BURST, planScaling, planStatus } from "../../../../src/cluster/replicaset/plan.ts";
import { podOf, readyAt, SELECTOR, template } from "../workloads/support.ts";

const NOW = Date.UTC(2026, 0, 1);
const set = (replicas: number, status: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "a", uid: "set", generation: 2 },
  spec: { replicas, selector: SELECTOR, template: template() },
  status,
});
const names = (pods: readonly KubeObject[]) => pods.map(({ metadata }) => metadata.name);
const on = (nodeName: string) => ({ spec: { nodeName } });

describe("how many pods are made and deleted", () => {
  test("as many as are missing, but so many at a time", () => {
    expect(planScaling(set(3), [podOf("x")], () => [], NOW)).toEqual({
      create: 2,
      remove: [],
      isMore: false,
    });
    expect(planScaling(set(BURST + 2), [podOf("x")], () => [], NOW)).toMatchObject({
      create: BURST,
      isMore: true,
    });
  });

  test("all go without being ranked when none is wanted", () => {
    const refuse = () => {
      throw new Error("nobody needs to know");
    };
    expect(names(planScaling(set(0), [podOf("x"), podOf("y")], refuse, NOW).remove)).toEqual(["x", "y"]);
  });

  const ready = (name: string, secondsAgo: number, more: Partial<KubeObject> = on("n")) =>
    podOf(name, readyAt(NOW - secondsAgo * 1000), more);
  const cost = (value: string): Partial<KubeObject> => ({
    ...on("n"),
    metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": value } },
  });

  test.each([
    ["what has no node", ready("kept", 5), podOf("gone")],
    ["what waits", podOf("kept", {}, on("n")), podOf("gone", { phase: "Pending" }, on("n"))],
    ["what is not ready", ready("kept", 5), podOf("gone", {}, on("n"))],
    ["what costs less", ready("kept", 5, cost("5")), ready("gone", 500, cost("-5"))],
    ["what is younger by scales", ready("kept", 500), ready("gone", 5)],
    [
      "what has started anew more often",
      podOf("kept", {}, on("n")),
      podOf("gone", { containerStatuses: [{ restartCount: 3 }] }, on("n")),
    ],
  ])("%s goes first", (_what, kept, gone) => {
    expect(names(planScaling(set(1), [kept, gone], () => [kept, gone], NOW).remove)).toEqual(["gone"]);
    expect(names(planScaling(set(1), [gone, kept], () => [gone, kept], NOW).remove)).toEqual(["gone"]);
  });

  test("of equal ones goes what shares its node with most of the related sets", () => {
    const [alone, crowded] = [ready("alone", 5, on("x")), ready("crowded", 500, on("y"))];
    const related = [alone, crowded, ready("other", 5, on("y"))];
    expect(names(planScaling(set(1), [alone, crowded], () => related, NOW).remove)).toEqual(["crowded"]);
  });
});

describe("the status", () => {
  const failure = { reason: "FailedCreate", message: "no" } as const;
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    ...failure,
  };

  test("says what failed, once, until nothing fails", () => {
    const status = planStatus(set(1), { active: [], failure }, NOW);
    expect(status).toEqual({ replicas: 0, observedGeneration: 2, conditions: [condition] });
    const again = { ...failure, message: "still no" };
    expect(planStatus(set(1, status), { active: [], failure: again }, NOW + 5000)).toBeUndefined();
    expect(planStatus(set(1, status), { active: [] }, NOW)).toEqual({ replicas: 0, observedGeneration: 2 });
  });

  test("tells pods with all labels of the template from others that are selected", () => {
    const labels = { app: "web", tier: "front" };
    const wide = { ...set(2), spec: { replicas: 2, selector: SELECTOR, template: { metadata: { labels } } } };
    const active = [podOf("x", {}, { metadata: { labels } }), podOf("y")];
    expect(planStatus(wide, { active, terminating: 1 }, NOW)).toMatchObject({
      ...{ replicas: 2, fullyLabeledReplicas: 1, terminatingReplicas: 1 },
    });
    expect(planStatus(set(2), { active }, NOW)).toMatchObject({ fullyLabeledReplicas: 2 });
  });
});
