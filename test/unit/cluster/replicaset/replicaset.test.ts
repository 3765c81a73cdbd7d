import { beforeEach, describe, expect, test } from "vitest";
import { core } from "../../../support/api-world.ts";
import {
  apps,
  inA,
  LABELS,
  PODS,
  SELECTOR,
  statusOf,
  template,
  Workloads,
  withControllers,
} from "../workloads/support.ts";

const SETS = apps("replicasets");
const CONTROLLERS = core("replicationcontrollers");
const POD = { spec: { containers: [{ name: "c", image: "i:1" }] } };

let all: Workloads;
beforeEach(async () => {
  all = new Workloads(await withControllers("replicaset", "replicationcontroller"));
});

const make = (spec: Record<string, unknown> = {}) =>
  all.world.create(SETS, inA("web"), {
    spec: { replicas: 3, selector: SELECTOR, template: template(), ...spec },
  });

describe("a ReplicaSet", () => {
  test("gets its pods, which name it as their controller", async () => {
    const { metadata } = await make();
    const pods = await all.pods();
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      expect(pod.metadata.generateName).toBe("web-");
      expect(pod.metadata.labels).toEqual(LABELS);
      expect(pod.metadata.ownerReferences).toEqual([
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web",
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    expect((await all.events()).sort()).toEqual(
      pods.map((pod) => `Normal SuccessfulCreate: Created pod: ${pod.metadata.name}`).sort(),
    );
    expect(statusOf(await all.get(SETS, "web"))).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
  });

  test("counts pods as available once they have been ready for long enough", async () => {
    await make({ minReadySeconds: 10 });
    await all.makeReady((await all.pods()).slice(0, 2));
    expect(statusOf(await all.get(SETS, "web"))).toMatchObject({ readyReplicas: 2 });
    expect(statusOf(await all.get(SETS, "web"))).not.toHaveProperty("availableReplicas");
    await all.advance(10);
    expect(statusOf(await all.get(SETS, "web"))).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
  });

  test("deletes first what is not ready", async () => {
    await make();
    const [ready] = await all.pods();
    await all.makeReady([ready!]);
    await all.patch(SETS, "web", { spec: { replicas: 1 } });
    expect((await all.pods()).map(({ metadata }) => metadata.name)).toEqual([ready?.metadata.name]);
    expect((await all.events()).filter((event) => event.includes("SuccessfulDelete"))).toHaveLength(2);
  });

  test("replaces pods that have failed and those that go", async () => {
    await make();
    const [failed, gone] = await all.pods();
    await all.recordEvent(failed!, { phase: "Failed" });
    await all.world.client.delete(PODS, inA(gone?.metadata.name ?? ""));
    expect(await all.pods()).toHaveLength(4);
    expect(statusOf(await all.get(SETS, "web"))).toMatchObject({ replicas: 3 });
  });

  test("adopts what it selects, and releases what it does not select any more", async () => {
    await all.world.create(PODS, { ...inA("mine"), labels: LABELS }, POD);
    const { metadata } = await make({ replicas: 2 });
    const before = await all.pods();
    expect(before).toHaveLength(2);
    const adopted = before.find((pod) => pod.metadata.name === "mine");
    expect(adopted?.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    await all.patch(PODS, "mine", { metadata: { labels: { app: "other" } } });
    const pods = await all.pods();
    expect(pods).toHaveLength(3);
    expect(pods.find((pod) => pod.metadata.name === "mine")?.metadata.ownerReferences).toBeUndefined();
  });

  test("makes many pods in several goes, each of them once", async () => {
    await make({ replicas: 505 });
    expect(await all.pods()).toHaveLength(505);
    await all.patch(SETS, "web", { spec: { replicas: 0 } });
    expect(await all.pods()).toHaveLength(0);
  });

  test("says the counts of many pods far less often than one of them changes", async () => {
    const many = 800;
    await make({ replicas: many });
    const pods = await all.pods();
    const { calls } = all.world;
    calls.length = 0;
    await all.makeReady(pods);
    expect(statusOf(await all.get(SETS, "web"))).toMatchObject({ replicas: many, readyReplicas: many });
    const writes = calls.filter(({ resource }) => resource === SETS.resource);
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.length).toBeLessThan(many / 8); // one for each of the turns that are waited, and not for each pod
  });

  test("does nothing anew after a restart", async () => {
    await make();
    const before = await all.pods();
    await all.world.stop();
    await all.world.start();
    expect(await all.pods()).toEqual(before);
  });
});

test("a ReplicationController is kept in the same way", async () => {
  await all.world.create(CONTROLLERS, inA("old"), {
    spec: { replicas: 2, selector: LABELS, template: template() },
  });
  const pods = await all.pods();
  expect(pods.map(({ metadata }) => metadata.ownerReferences?.[0])).toMatchObject([
    { apiVersion: "v1", kind: "ReplicationController", name: "old" },
    { kind: "ReplicationController" },
  ]);
  expect(statusOf(await all.get(CONTROLLERS, "old"))).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    observedGeneration: 1,
  });
});
