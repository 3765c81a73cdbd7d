import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { apps, inA, SELECTOR, statusOf, template, Workloads, withControllers } from "../workloads/support.ts";

const DEPLOYMENTS = apps("deployments");
const SETS = apps("replicasets");
const REVISION = "deployment.kubernetes.io/revision";

let all: Workloads;
beforeEach(async () => {
  all = new Workloads(await withControllers("deployment", "replicaset"));
});

const make = (spec: JsonObject = {}, annotations: Record<string, string> = {}) =>
  all.world.create(
    DEPLOYMENTS,
    { ...inA("web"), annotations },
    { spec: { replicas: 4, selector: SELECTOR, template: template(), ...spec } },
  );
const setImage = (image: string) => all.patch(DEPLOYMENTS, "web", { spec: { template: template(image) } });
const web = () => all.get(DEPLOYMENTS, "web");
const revisionOf = ({ metadata }: KubeObject) => Number(metadata.annotations?.[REVISION]);

/** "revision: replicas of spec / available" of each set, by revision. */
async function sets(): Promise<string[]> {
  const found = [...(await all.list(SETS))].sort((a, b) => revisionOf(a) - revisionOf(b));
  return found.map((set) => {
    const { replicas } = set["spec"] as JsonObject;
    return `${revisionOf(set)}: ${replicas}/${statusOf(set)["availableReplicas"] ?? 0}`;
  });
}

const condition = async (type: string) =>
  (statusOf(await web())["conditions"] as JsonObject[]).find((item) => item["type"] === type);

describe("a rolling update", () => {
  test("begins with a set of the template and all pods", async () => {
    await make({}, { team: "shop", "kubectl.kubernetes.io/last-applied-configuration": "{}" });
    await all.run();
    const [set] = await all.list(SETS);
    const hash = set?.metadata.labels?.["pod-template-hash"] ?? "";
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(set?.metadata).toMatchObject({ name: `web-${hash}`, labels: { app: "web" } });
    expect(set?.metadata.annotations).toEqual({
      team: "shop",
      [REVISION]: "1",
      "deployment.kubernetes.io/desired-replicas": "4",
      "deployment.kubernetes.io/max-replicas": "5",
    });
    expect(set?.["spec"]).toMatchObject({
      selector: { matchLabels: { app: "web", "pod-template-hash": hash } },
      template: { metadata: { labels: { app: "web", "pod-template-hash": hash } } },
    });
    const done = await web();
    expect(revisionOf(done)).toBe(1);
    expect(statusOf(done)).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      terminatingReplicas: 0,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        },
        {
          type: "Progressing",
          status: "True",
          reason: "NewReplicaSetAvailable",
          message: `ReplicaSet "web-${hash}" has successfully progressed.`,
        },
      ],
    });
    expect(statusOf(done)).not.toHaveProperty("unavailableReplicas");
    expect(await all.events()).toContain(
      `Normal ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 4`,
    );
  });

  test("never has more pods than allowed, nor fewer available ones", async () => {
    await make();
    await all.run();
    await setImage("i:2");
    // A quarter of 4 in each direction: 5 pods, of which 3 are available at least.
    expect(await sets()).toEqual(["1: 3/3", "2: 2/0"]);
    for (let round = 0; round < 8; round++) {
      const [waiting] = (await all.pods()).filter((pod) => statusOf(pod)["phase"] === "Pending");
      if (waiting) await all.makeReady([waiting]);
      const pods = await all.pods();
      const available = pods.filter((pod) => statusOf(pod)["phase"] === "Running").length;
      expect(pods.length).toBeLessThanOrEqual(5);
      expect(available).toBeGreaterThanOrEqual(3);
    }
    expect(await sets()).toEqual(["1: 0/0", "2: 4/4"]);
    expect(revisionOf(await web())).toBe(2);
  });

  test("goes back to a template that there was: the set gets a new revision", async () => {
    await make();
    await all.run();
    await setImage("i:2");
    await all.run();
    await setImage("i:1");
    await all.run();
    expect(await sets()).toEqual(["2: 0/0", "3: 4/4"]);
    const back = (await all.list(SETS)).find((set) => revisionOf(set) === 3);
    expect(back?.metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision-history": "1" });
  });

  test("keeps as many old sets as its history is long", async () => {
    await make({ revisionHistoryLimit: 1 });
    for (const image of ["i:2", "i:3", "i:4"]) {
      await all.run();
      await setImage(image);
    }
    await all.run();
    expect(await sets()).toEqual(["3: 0/0", "4: 4/4"]);
  });

  test("is given up when nothing moves before the deadline", async () => {
    await make({ progressDeadlineSeconds: 60 });
    await all.advance(30);
    expect(await condition("Progressing")).toMatchObject({ status: "True", reason: "ReplicaSetUpdated" });
    await all.advance(32);
    expect(await condition("Progressing")).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: expect.stringMatching(/^ReplicaSet "web-\w+" has timed out progressing\.$/),
    });
    await all.run();
    expect(await condition("Progressing")).toMatchObject({
      status: "True",
      reason: "NewReplicaSetAvailable",
    });
  });
});

describe("scaling", () => {
  test("of one that stands is done by its set alone", async () => {
    await make();
    await all.run();
    await all.patch(DEPLOYMENTS, "web", { spec: { replicas: 7 } });
    await all.run();
    expect(await sets()).toEqual(["1: 7/7"]);
    await all.patch(DEPLOYMENTS, "web", { spec: { replicas: 0 } });
    expect(await sets()).toEqual(["1: 0/0"]);
    expect(statusOf(await web())).not.toHaveProperty("replicas");
  });

  test("in the middle of a rollout lets all sets grow alike", async () => {
    await make({ replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
    await all.run();
    await setImage("i:2");
    expect(await sets()).toEqual(["1: 8/8", "2: 5/0"]);
    await all.patch(DEPLOYMENTS, "web", { spec: { replicas: 15 } });
    expect(await sets()).toEqual(["1: 11/8", "2: 7/0"]);
  });
});

test("a paused Deployment is scaled, but not rolled out, until it is resumed", async () => {
  await make();
  await all.run();
  await all.patch(DEPLOYMENTS, "web", { spec: { paused: true, template: template("i:2") } });
  await all.patch(DEPLOYMENTS, "web", { spec: { replicas: 6 } });
  await all.run();
  expect(await sets()).toEqual(["1: 6/6"]);
  expect(await condition("Progressing")).toMatchObject({ status: "Unknown", reason: "DeploymentPaused" });
  await all.patch(DEPLOYMENTS, "web", { spec: { paused: false } });
  await all.run();
  expect(await sets()).toEqual(["1: 0/0", "2: 6/6"]);
});

test("with Recreate the old pods are gone before new ones come", async () => {
  await make({ strategy: { type: "Recreate" } });
  await all.run();
  const old = (await all.pods())[0]?.metadata;
  await all.world.client.patch({ group: "", version: "v1", resource: "pods" }, inA(old?.name ?? ""), {
    type: "merge",
    body: { metadata: { finalizers: ["example.com/held"] } },
  });
  await setImage("i:2");
  expect(await sets()).toEqual(["1: 0/0"]);
  expect((await all.pods()).map(({ metadata }) => metadata.name)).toEqual([old?.name]);
  await all.patch({ group: "", version: "v1", resource: "pods" }, old?.name ?? "", {
    metadata: { finalizers: null },
  });
  expect(await sets()).toEqual(["1: 0/0", "2: 4/0"]);
});

test("a name that is taken is told apart by the number of collisions", async () => {
  await make();
  const [set] = await all.list(SETS);
  const { name = "" } = set?.metadata ?? {};
  await all.world.client.delete(DEPLOYMENTS, inA("web"));
  await all.patch(SETS, name, { metadata: { ownerReferences: null, labels: { app: "other" } } });
  await make();
  expect(statusOf(await web())).toMatchObject({ collisionCount: 1 });
  expect(await all.list(SETS)).toHaveLength(2);
});

test("a restart in the middle of a rollout changes nothing", async () => {
  await make();
  await all.run();
  await setImage("i:2");
  const before = [await all.list(SETS), await all.pods(), await web()];
  await all.world.stop();
  await all.world.start();
  expect([await all.list(SETS), await all.pods(), await web()]).toEqual(before);
});
