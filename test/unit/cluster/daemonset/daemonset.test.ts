import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { targetNodeOf } from "../../../../src/cluster/workloads/pods.ts";
import { core } from "../../../support/api-world.ts";
import {
  apps,
  imageOf,
  inA,
  PODS,
  SELECTOR,
  statusOf,
  template,
  Workloads,
  withControllers,
} from "../workloads/support.ts";

const SETS = apps("daemonsets");
const REVISIONS = apps("controllerrevisions");
const NODES = core("nodes");

let all: Workloads;
beforeEach(async () => {
  all = new Workloads(await withControllers("daemonset"));
  for (const name of ["x", "y", "z"])
    await all.world.create(NODES, { name, labels: { disk: name === "z" ? "hdd" : "ssd" } });
});

const make = (spec: JsonObject = {}) =>
  all.world.create(SETS, inA("agent"), { spec: { selector: SELECTOR, template: template(), ...spec } });
const status = async () => statusOf(await all.get(SETS, "agent"));
/** "x i:1" of each pod, by node. */
const shown = async () => (await all.pods()).map((pod) => `${targetNodeOf(pod)} ${imageOf(pod)}`).sort();
const podOn = async (node: string): Promise<KubeObject> => {
  const found = (await all.pods()).find((pod) => targetNodeOf(pod) === node);
  if (!found) throw new Error(`no pod is on ${node}`);
  return found;
};
const taint = (name: string, effect: string) =>
  all.world.client
    .patch(
      NODES,
      { namespace: "", name },
      { type: "merge", body: { spec: { taints: [{ key: "k", effect }] } } },
    )
    .then(() => all.world.settled());

describe("a DaemonSet", () => {
  test("has a pod for each node, bound to it by name", async () => {
    await make();
    await all.run();
    expect(await shown()).toEqual(["x i:1", "y i:1", "z i:1"]);
    const pod = await podOn("x");
    expect(pod).toMatchObject({
      metadata: {
        generateName: "agent-",
        labels: { "controller-revision-hash": expect.any(String), "pod-template-generation": "1" },
        ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", controller: true }],
      },
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["x"] }] }],
            },
          },
        },
      },
    });
    const { tolerations } = pod["spec"] as { tolerations: JsonObject[] };
    expect(tolerations.map(({ key, effect }) => `${key} ${effect}`)).toEqual([
      "node.kubernetes.io/not-ready NoExecute",
      "node.kubernetes.io/unreachable NoExecute",
      "node.kubernetes.io/disk-pressure NoSchedule",
      "node.kubernetes.io/memory-pressure NoSchedule",
      "node.kubernetes.io/pid-pressure NoSchedule",
      "node.kubernetes.io/unschedulable NoSchedule",
    ]);
    expect(await status()).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    });
  });

  test("follows the nodes: their labels, their taints, their coming and going", async () => {
    await make({ template: template("i:1", { nodeSelector: { disk: "ssd" } }) });
    expect(await shown()).toEqual(["x i:1", "y i:1"]);
    await all.world.create(NODES, { name: "w", labels: { disk: "ssd" } });
    await taint("x", "NoSchedule");
    expect(await shown()).toEqual(["w i:1", "x i:1", "y i:1"]);
    expect(await status()).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 1 });
    await taint("x", "NoExecute");
    expect(await shown()).toEqual(["w i:1", "y i:1"]);
    await all.world.client.delete(NODES, { namespace: "", name: "w" });
    expect(await shown()).toEqual(["y i:1"]);
  });

  test("makes pods anew that have failed, and says so", async () => {
    await make();
    const pod = await podOn("x");
    await all.recordEvent(pod, { phase: "Failed" });
    expect(await shown()).toEqual(["x i:1", "y i:1", "z i:1"]);
    expect((await all.pods()).some(({ metadata }) => metadata.uid === pod.metadata.uid)).toBe(false);
    expect(await all.events()).toContain(
      `Warning FailedDaemonPod: Found failed daemon pod a/${pod.metadata.name} on node x, will try to kill it`,
    );
  });
});

describe("a new template", () => {
  test("replaces as many pods at a time as may be missing", async () => {
    await make();
    await all.run();
    await all.patch(SETS, "agent", { spec: { template: template("i:2") } });
    expect(await shown()).toEqual(["x i:2", "y i:1", "z i:1"]);
    expect(await status()).toMatchObject({
      updatedNumberScheduled: 1,
      numberAvailable: 2,
      numberUnavailable: 1,
    });
    await all.run();
    expect(await shown()).toEqual(["x i:2", "y i:2", "z i:2"]);
    const revisions = await all.list(REVISIONS);
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2]);
  });

  test("with a surge comes beside the old pods, which go when it is well", async () => {
    await make({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    await all.run();
    await all.patch(SETS, "agent", { spec: { template: template("i:2") } });
    expect(await shown()).toEqual(["x i:1", "x i:2", "y i:1", "z i:1"]);
    await all.run();
    expect(await shown()).toEqual(["x i:2", "y i:2", "z i:2"]);
  });

  test("with OnDelete waits until somebody deletes the pods, and a state that comes back is no new one", async () => {
    await make({ updateStrategy: { type: "OnDelete" } });
    await all.run();
    await all.patch(SETS, "agent", { spec: { template: template("i:2") } });
    const pod = await podOn("x");
    await all.world.client.delete(PODS, inA(pod.metadata.name ?? ""));
    expect(await shown()).toEqual(["x i:2", "y i:1", "z i:1"]);
    await all.patch(SETS, "agent", { spec: { template: template("i:1") } });
    const revisions = await all.list(REVISIONS);
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3]);
  });
});

test("a revision whose name is taken is told apart by the number of collisions", async () => {
  await make();
  const [revision] = await all.list(REVISIONS);
  const { name = "" } = revision?.metadata ?? {};
  await all.patch(REVISIONS, name, { metadata: { ownerReferences: null, labels: { app: "other" } } });
  await all.world.client.delete(SETS, inA("agent"));
  await make();
  expect(await status()).toMatchObject({ collisionCount: 1 });
  expect(await all.list(REVISIONS)).toHaveLength(2);
});

test("a restart in the middle of a rollout changes nothing", async () => {
  await make();
  await all.run();
  await all.patch(SETS, "agent", { spec: { template: template("i:2") } });
  const before = [await all.pods(), await status(), await all.list(REVISIONS)];
  await all.world.stop();
  await all.world.start();
  expect([await all.pods(), await status(), await all.list(REVISIONS)]).toEqual(before);
});
