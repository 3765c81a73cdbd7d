import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { claimOwners } from "../../../../src/cluster/statefulset/identity.ts";
import { type Action, planPods } from "../../../../src/cluster/statefulset/plan.ts";
import { readyAt, template } from "../workloads/support.ts";

const NOW = Date.UTC(2026, 0, 1);

const set = (spec: JsonObject = {}): KubeObject => ({
  metadata: { name: "web", namespace: "a", uid: "set" },
  spec: {
    replicas: 3,
    serviceName: "web",
    template: template(),
    updateStrategy: { type: "RollingUpdate" },
    ...spec,
  },
});
/** Ready unless said otherwise, and of the new revision. */
const pod = (
  ordinal: number,
  { revision = "new", ...status }: JsonObject & { revision?: string } = {},
): KubeObject => {
  const name = `web-${ordinal}`;
  const labels = {
    "statefulset.kubernetes.io/pod-name": name,
    "apps.kubernetes.io/pod-index": String(ordinal),
    "controller-revision-hash": revision,
  };
  return {
    metadata: { name, namespace: "a", uid: name, labels },
    spec: {},
    status: { phase: "Running", ...readyAt(NOW), ...status },
  };
};
const going = (one: KubeObject): KubeObject => ({
  ...one,
  metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
});
const NOT_READY = { conditions: [] };
const shown = (actions: readonly Action[]) =>
  actions.map((action) => `${action.type} ${action.pod.metadata.name?.slice(4)}${revisionOf(action)}`);
const revisionOf = ({ type, pod: { metadata } }: Action) =>
  type === "create" ? ` ${metadata.labels?.["controller-revision-hash"]}` : "";
const plan = (of: KubeObject, pods: readonly KubeObject[]) =>
  shown(
    planPods({
      set: of,
      current: { name: "old", set: of },
      update: { name: "new", set: of },
      pods,
      nowMs: NOW,
    }),
  );

const PARALLEL = { podManagementPolicy: "Parallel" };
const old = (ordinal: number, status: JsonObject = {}) => pod(ordinal, { revision: "old", ...status });

describe("the next thing to do for a StatefulSet", () => {
  test.each<[string, KubeObject, KubeObject[], string[]]>([
    ["the first pod", set(), [], ["create 0 new"]],
    ["the next, when the one before is ready", set(), [pod(0)], ["create 1 new"]],
    ["nothing, while it is not", set(), [pod(0, NOT_READY)], []],
    ["nothing, while it goes", set(), [pod(0), going(pod(1))], []],
    ["a gap is filled first", set(), [pod(0), pod(2)], ["create 1 new"]],
    ["what has failed is made again", set(), [pod(0), pod(1, { phase: "Failed" })], ["delete 1"]],
    [
      "a pod too many, the highest first",
      set({ replicas: 1 }),
      [0, 1, 2].map((item) => pod(item)),
      ["delete 2"],
    ],
    ["one at a time", set({ replicas: 1 }), [pod(0), pod(1), going(pod(2))], []],
    [
      "the first of those that are not well goes",
      set({ replicas: 1 }),
      [pod(0), pod(1), pod(2, NOT_READY)],
      ["delete 2"],
    ],
    [
      "it waits for one below it that is not",
      set({ replicas: 1 }),
      [pod(0), pod(1, NOT_READY), pod(2, NOT_READY)],
      [],
    ],
    ["all at once where told so", set(PARALLEL), [], ["create 0 new", "create 1 new", "create 2 new"]],
    ["and away", set({ ...PARALLEL, replicas: 1 }), [pod(0), pod(1), pod(2)], ["delete 2", "delete 1"]],
    ["an old pod, the highest first", set(), [old(0), old(1), old(2)], ["delete 2"]],
    ["not the next while one is missing", set(PARALLEL), [old(0), old(1), pod(2, NOT_READY)], []],
    [
      "but one that is of no use",
      set(PARALLEL),
      [old(0, NOT_READY), old(1), pod(2, NOT_READY)],
      ["delete 0"],
    ],
    [
      "as many as may be missing",
      set({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "70%" } } }),
      [old(0), old(1), old(2)],
      ["delete 2", "delete 1"],
    ],
    [
      "none below the partition, and made there as before",
      set({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } }),
      [old(0), pod(2)],
      ["create 1 old"],
    ],
    [
      "a name that is not right is mended",
      set(PARALLEL),
      [pod(0), { ...pod(1), metadata: { ...pod(1).metadata, labels: {} } }, pod(2)],
      ["mend 1", "delete 1"],
    ],
  ])("%s", (_what, of, pods, expected) => expect(plan(of, pods)).toEqual(expected));
});

describe("who owns a claim", () => {
  const policy = (whenDeleted: string, whenScaled: string) =>
    set({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });
  const claim = { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Other", name: "o", uid: "o" }] } };
  test.each([
    ["Retain", "Retain", 0, ["o"]],
    ["Delete", "Retain", 0, ["o", "set"]],
    ["Delete", "Retain", 5, ["o", "set"]],
    ["Retain", "Delete", 0, ["o"]],
    ["Retain", "Delete", 5, ["o", "web-5"]],
    ["Delete", "Delete", 0, ["o", "set"]],
    ["Delete", "Delete", 5, ["o", "web-5"]],
  ])("deleted: %s, scaled: %s, pod %i", (deleted, scaled, ordinal, expected) => {
    const owners = claimOwners(claim, policy(deleted, scaled), pod(ordinal));
    expect(owners.map(({ uid }) => uid)).toEqual(expected);
  });
});
