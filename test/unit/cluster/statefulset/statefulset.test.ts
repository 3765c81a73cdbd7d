import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
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

const SETS = apps("statefulsets");
const REVISIONS = apps("controllerrevisions");
const CLAIMS = core("persistentvolumeclaims");
const CLAIM = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

let all: Workloads;
beforeEach(async () => {
  all = new Workloads(await withControllers("statefulset", "garbage-collector"));
});

const make = (spec: JsonObject = {}) =>
  all.world.create(SETS, inA("web"), {
    spec: { replicas: 3, serviceName: "web", selector: SELECTOR, template: template(), ...spec },
  });
const names = async () => (await all.pods()).map(({ metadata }) => metadata.name).sort();
const images = async () => (await all.pods()).map((pod) => `${pod.metadata.name} ${imageOf(pod)}`);
const web = async () => statusOf(await all.get(SETS, "web"));

describe("the pods of a StatefulSet", () => {
  test("are made one after the other, each with a name that stays", async () => {
    const { metadata } = await make();
    expect(await names()).toEqual(["web-0"]);
    const [first] = await all.pods();
    expect(first).toMatchObject({
      metadata: {
        generateName: "web-",
        labels: {
          app: "web",
          "statefulset.kubernetes.io/pod-name": "web-0",
          "apps.kubernetes.io/pod-index": "0",
          "controller-revision-hash": expect.stringMatching(/^web-\w+$/),
        },
        ownerReferences: [{ kind: "StatefulSet", uid: metadata.uid, controller: true }],
      },
      spec: { hostname: "web-0", subdomain: "web" },
    });
    await all.makeReady(await all.pods());
    expect(await names()).toEqual(["web-0", "web-1"]);
    await all.run();
    expect(await names()).toEqual(["web-0", "web-1", "web-2"]);
    const revision = first?.metadata.labels?.["controller-revision-hash"];
    expect(await web()).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
    });
    expect(await all.events()).toContain(
      "Normal SuccessfulCreate: create Pod web-0 in StatefulSet web successful",
    );
  });

  test("are made at once with the policy Parallel, from the first ordinal on", async () => {
    await make({ podManagementPolicy: "Parallel", ordinals: { start: 5 } });
    expect(await names()).toEqual(["web-5", "web-6", "web-7"]);
  });

  test("go in the reverse order, and wait for each other", async () => {
    await make();
    await all.run();
    await all.patch(PODS, "web-2", { metadata: { finalizers: ["example.com/held"] } });
    await all.patch(SETS, "web", { spec: { replicas: 1 } });
    expect(await names()).toEqual(["web-0", "web-1", "web-2"]);
    await all.patch(PODS, "web-2", { metadata: { finalizers: null } });
    expect(await names()).toEqual(["web-0"]);
  });

  test("are made again when they have failed", async () => {
    await make({ replicas: 1 });
    const [pod] = await all.pods();
    await all.recordEvent(pod!, { phase: "Failed" });
    const [again] = await all.pods();
    expect(again?.metadata.name).toBe("web-0");
    expect(again?.metadata.uid).not.toBe(pod?.metadata.uid);
    expect(await all.events()).toContain(
      "Warning RecreatingFailedPod: StatefulSet a/web is recreating failed Pod web-0",
    );
  });

  test("are available once they have been ready for long enough", async () => {
    await make({ minReadySeconds: 10 });
    await all.makeReady(await all.pods());
    expect(await names()).toEqual(["web-0"]);
    await all.advance(10);
    expect(await names()).toEqual(["web-0", "web-1"]);
  });
});

describe("a new template", () => {
  test("reaches the pods from the highest number down, and old revisions are kept", async () => {
    await make();
    await all.run();
    await all.patch(SETS, "web", { spec: { template: template("i:2") } });
    expect(await images()).toEqual(["web-0 i:1", "web-1 i:1", "web-2 i:2"]);
    const { currentRevision, updateRevision } = await web();
    expect(currentRevision).not.toBe(updateRevision);
    await all.run();
    expect(await images()).toEqual(["web-0 i:2", "web-1 i:2", "web-2 i:2"]);
    expect(await web()).toMatchObject({ currentRevision: updateRevision, updatedReplicas: 3 });
    await all.patch(SETS, "web", { spec: { template: template("i:1") } });
    await all.run();
    const revisions = await all.list(REVISIONS);
    expect(revisions.map(({ metadata, revision }) => [metadata.name, revision])).toEqual(
      expect.arrayContaining([
        [currentRevision, 3],
        [updateRevision, 2],
      ]),
    );
    expect(revisions).toHaveLength(2);
  });

  test("stops at the partition; what is made anew below it is as before", async () => {
    await make({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } });
    await all.run();
    await all.patch(SETS, "web", { spec: { template: template("i:2") } });
    await all.run();
    expect(await images()).toEqual(["web-0 i:1", "web-1 i:1", "web-2 i:2"]);
    await all.world.client.delete(PODS, inA("web-0"));
    await all.run();
    expect(await images()).toEqual(["web-0 i:1", "web-1 i:1", "web-2 i:2"]);
  });

  test("with OnDelete waits until somebody deletes the pods", async () => {
    await make({ updateStrategy: { type: "OnDelete" } });
    await all.run();
    await all.patch(SETS, "web", { spec: { template: template("i:2") } });
    await all.world.client.delete(PODS, inA("web-1"));
    await all.run();
    expect(await images()).toEqual(["web-0 i:1", "web-1 i:2", "web-2 i:1"]);
  });
});

describe("claims", () => {
  test("are made for each pod and stay when pods go", async () => {
    await make({ replicas: 2, volumeClaimTemplates: [CLAIM] });
    await all.run();
    const [claim] = await all.list(CLAIMS);
    expect(claim?.metadata).toMatchObject({ name: "data-web-0", labels: { app: "web" } });
    expect((await all.pods())[0]?.["spec"]).toMatchObject({
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-web-0" } }],
    });
    await all.patch(SETS, "web", { spec: { replicas: 0 } });
    expect((await all.list(CLAIMS)).map(({ metadata }) => metadata.name)).toEqual([
      "data-web-0",
      "data-web-1",
    ]);
  });

  test("go with the pods that are scaled away where the policy says so", async () => {
    const policy = { whenScaled: "Delete", whenDeleted: "Delete" };
    await make({ replicas: 2, volumeClaimTemplates: [CLAIM], persistentVolumeClaimRetentionPolicy: policy });
    await all.run();
    expect((await all.list(CLAIMS))[0]?.metadata.ownerReferences).toMatchObject([{ kind: "StatefulSet" }]);
    await all.patch(SETS, "web", { spec: { replicas: 1 } });
    expect((await all.list(CLAIMS)).map(({ metadata }) => metadata.name)).toEqual(["data-web-0"]);
  });
});

test("a state that an older server has written down is no new one", async () => {
  await make({ replicas: 1 });
  const [revision] = await all.list(REVISIONS);
  const data = structuredClone(revision?.["data"]) as { spec: { template: { metadata: JsonObject } } };
  await all.world.stop();
  data.spec.template.metadata["creationTimestamp"] = null;
  const { apiVersion, kind, metadata } = revision!;
  await all.world.client.delete(REVISIONS, inA(metadata.name ?? ""));
  const { name, namespace, labels, ownerReferences } = metadata;
  const older = {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, ownerReferences },
    data,
    revision: 4,
  };
  await all.world.client.create(REVISIONS, older as KubeObject);
  await all.world.start();
  expect((await all.list(REVISIONS)).map((item) => item["revision"])).toEqual([4]);
  expect(await web()).toMatchObject({ updateRevision: name });
});

test("a revision whose name is taken is told apart by the number of collisions", async () => {
  await make();
  const [revision] = await all.list(REVISIONS);
  const { name = "" } = revision?.metadata ?? {};
  await all.patch(REVISIONS, name, { metadata: { ownerReferences: null, labels: { app: "other" } } });
  await all.world.client.delete(SETS, inA("web"));
  await make();
  expect(await web()).toMatchObject({ collisionCount: 1 });
  expect(await all.list(REVISIONS)).toHaveLength(2);
});

test("a restart in the middle of a rollout changes nothing", async () => {
  await make();
  await all.run();
  await all.patch(SETS, "web", { spec: { template: template("i:2") } });
  const before = [await all.pods(), await all.list(REVISIONS), await web()];
  await all.world.stop();
  await all.world.start();
  expect([await all.pods(), await all.list(REVISIONS), await web()]).toEqual(before);
});
