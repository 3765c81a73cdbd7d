import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { countJob } from "../../../../src/cluster/job/counts.ts";
import { verdictOn } from "../../../../src/cluster/job/failure-policy.ts";
import { endingOf } from "../../../../src/cluster/job/finish.ts";
import { formatIndexes, readIndexes } from "../../../../src/cluster/job/index-text.ts";
import { INDEX, TRACKING } from "../../../../src/cluster/job/job-pods.ts";
import { planJobPods } from "../../../../src/cluster/job/manage.ts";
import { countable, planTracking } from "../../../../src/cluster/job/tracking.ts";
import { podOf } from "../workloads/support.ts";

const NOW = Date.UTC(2026, 0, 1);
const job = (spec: JsonObject = {}, status: JsonObject = {}): KubeObject => ({
  metadata: { name: "sum", namespace: "a", uid: "job" },
  spec: { parallelism: 1, completions: 1, backoffLimit: 6, template: { spec: { containers: [] } }, ...spec },
  status,
});
const tracked = (name: string, status: JsonObject = {}, index?: number): KubeObject =>
  podOf(name, status, {
    metadata: {
      finalizers: [TRACKING],
      ...(index === undefined ? {} : { annotations: { [INDEX]: String(index) } }),
    },
  });
const FAILED = { phase: "Failed" };
const exited = (exitCode: number, name = "c"): JsonObject => ({
  ...FAILED,
  containerStatuses: [{ name, state: { terminated: { exitCode, finishedAt: new Date(NOW).toISOString() } } }],
});
const planned = (of: KubeObject, pods: KubeObject[], nowMs = NOW) => {
  const { create, remove, againInMs } = planJobPods(of, pods, countJob(of, pods), nowMs);
  return { create: create.length, remove: remove.map(({ metadata }) => metadata.name), againInMs };
};

test.each([
  [[], ""],
  [[3], "3"],
  [[1, 0], "0,1"],
  [[0, 1, 2, 5, 7, 8], "0-2,5,7,8"],
])("the indexes %j are told as %j", (indexes, text) => {
  expect(formatIndexes(indexes)).toBe(text);
  expect([...readIndexes(text)].sort()).toEqual([...indexes].sort());
});

describe("pods of a Job", () => {
  test.each<[string, KubeObject, KubeObject[], object]>([
    ["as many as may run", job({ parallelism: 3, completions: 5 }), [podOf("x")], { create: 2, remove: [] }],
    [
      "no more than are left",
      job({ parallelism: 3, completions: 5 }, { succeeded: 4 }),
      [],
      { create: 1, remove: [] },
    ],
    [
      "none beside a queue that is being finished",
      { ...job({ parallelism: 3 }, { succeeded: 1 }), spec: { parallelism: 3 } },
      [podOf("x")],
      { create: 0 },
    ],
    [
      "those that wait go first",
      job({ parallelism: 1, completions: 5 }),
      [podOf("x", {}, { spec: { nodeName: "n" } }), podOf("y", { phase: "Pending" })],
      { create: 0, remove: ["y"] },
    ],
    ["all go while it is suspended", job({ suspend: true }), [podOf("x")], { create: 0, remove: ["x"] }],
  ])("%s", (_what, of, pods, expected) => expect(planned(of, pods)).toMatchObject(expected));

  test("a pause after failures doubles, up to ten minutes", () => {
    const pods = (failures: number) =>
      Array.from({ length: failures }, (_, index) => tracked(`f${index}`, exited(1)));
    expect(planned(job(), pods(1)).againInMs).toBe(10_000);
    expect(planned(job(), pods(3)).againInMs).toBe(40_000);
    expect(planned(job({ backoffLimit: 20 }), pods(12)).againInMs).toBe(600_000);
    expect(planned(job(), pods(3), NOW + 40_000)).toMatchObject({ create: 1 });
  });

  test("of two that do the same index one goes", () => {
    const indexed = job({ completionMode: "Indexed", parallelism: 2, completions: 2 });
    const pods = [tracked("x", {}, 0), tracked("y", {}, 0)];
    expect(planned(indexed, pods).remove).toHaveLength(1);
  });
});

describe("how ended pods are counted", () => {
  const pods = [tracked("s", { phase: "Succeeded" }), tracked("f", FAILED), tracked("r")];
  test("they are written down before they are let go, and counted when nobody holds them", () => {
    const { letGo, uncounted } = planTracking(job(), pods, countJob(job(), pods));
    expect(letGo.map(({ metadata }) => metadata.name)).toEqual(["s", "f"]);
    expect(uncounted).toEqual({ succeeded: ["uid-s"], failed: ["uid-f"] });
    expect(countable(uncounted, pods)).toEqual({ succeeded: [], failed: [] });
    expect(countable(uncounted, [])).toEqual(uncounted);
  });

  test("what is written down is not counted anew", () => {
    const noted = job({}, { succeeded: 2, uncountedTerminatedPods: { succeeded: ["uid-s"] } });
    expect(countJob(noted, pods)).toMatchObject({ succeeded: 3, failed: 1, newSucceeded: [] });
  });
});

describe("why a Job ends", () => {
  const ending = (of: KubeObject, pods: KubeObject[] = []) =>
    endingOf(of, pods, countJob(of, pods), NOW)?.reason;
  const indexed = {
    completionMode: "Indexed",
    completions: 3,
    backoffLimitPerIndex: 0,
    backoffLimit: 2 ** 31 - 1,
  };
  test.each<[string | undefined, KubeObject, KubeObject[]]>([
    [undefined, job(), [tracked("f", FAILED)]],
    ["BackoffLimitExceeded", job({ backoffLimit: 0 }), [tracked("f", FAILED)]],
    [
      "BackoffLimitExceeded",
      job({ backoffLimit: 2, template: { spec: { restartPolicy: "OnFailure" } } }),
      [tracked("r", { containerStatuses: [{ restartCount: 2 }] })],
    ],
    ["DeadlineExceeded", job({ activeDeadlineSeconds: 60 }, { startTime: "2025-12-31T23:59:00Z" }), []],
    ["MaxFailedIndexesExceeded", job({ ...indexed, maxFailedIndexes: 0 }), [tracked("f", FAILED, 1)]],
    ["FailedIndexes", job(indexed, { completedIndexes: "0,2" }), [tracked("f", FAILED, 1)]],
    [undefined, job(indexed, { completedIndexes: "0" }), [tracked("f", FAILED, 1)]],
    [
      "SuccessPolicy",
      job(
        { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,2" }] } },
        { completedIndexes: "0,2" },
      ),
      [],
    ],
  ])("%s", (reason, of, pods) => expect(ending(of, pods)).toBe(reason));
});

describe("what a policy says of a failed pod", () => {
  const withRules = (...rules: JsonObject[]) => job({ podFailurePolicy: { rules } });
  const onExit = (action: string, operator: string, values: number[], containerName?: string) => ({
    action,
    onExitCodes: { operator, values, ...(containerName ? { containerName } : {}) },
  });
  test.each([
    ["FailJob", onExit("FailJob", "In", [1, 2]), exited(2)],
    ["Count", onExit("FailJob", "In", [1, 2]), exited(3)],
    ["Ignore", onExit("Ignore", "NotIn", [1, 2]), exited(3)],
    ["Count", onExit("Ignore", "In", [3], "other"), exited(3)],
    ["Count", onExit("Ignore", "NotIn", [1]), exited(0)],
    [
      "Ignore",
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
      { ...FAILED, conditions: [{ type: "DisruptionTarget", status: "True" }] },
    ],
    [
      "Count",
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
      { ...FAILED, conditions: [{ type: "DisruptionTarget", status: "False" }] },
    ],
  ])("%s", (action, rule, status) =>
    expect(verdictOn(tracked("f", status), withRules(rule)).action).toBe(action),
  );
});
