import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { controllerDescriptors } from "../../../../../src/server/controller-list.ts";
import { ApiWorld, core, EVENTS } from "../../../../support/api-world.ts";

const BUDGETS = { group: "policy", version: "v1", resource: "poddisruptionbudgets" };
const REPLICA_SETS = { group: "apps", version: "v1", resource: "replicasets" };
const DEPLOYMENTS = { group: "apps", version: "v1", resource: "deployments" };
const PODS = core("pods");
const named = (name: string) => ({ namespace: "a", name });
const LABELS = { app: "web" };
const SELECTOR = { matchLabels: LABELS };
const POD = { containers: [{ name: "c", image: "i:1" }] };
const TEMPLATE = { metadata: { labels: LABELS }, spec: POD };
const DELETION_MS = 120_000;

let world: ApiWorld;
beforeEach(async () => {
  world = await ApiWorld.open(controllerDescriptors.filter(({ name }) => name === "disruption"));
});

const budget = (spec: JsonObject) =>
  world.create(BUDGETS, named("b"), { spec: { selector: SELECTOR, ...spec } });

async function pod(name: string, isReady: boolean, owner?: JsonObject): Promise<void> {
  const ownerReferences = owner === undefined ? [] : [owner as never];
  await world.create(PODS, { ...named(name), labels: LABELS, ownerReferences }, { spec: POD });
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  const made = await world.get(PODS, named(name));
  await world.client.update(PODS, { ...made, status: { phase: "Running", conditions } } as never, "status");
}

async function controlled(replicas: number): Promise<JsonObject> {
  const spec = { replicas, selector: SELECTOR, template: TEMPLATE };
  const { uid } = (await world.create(REPLICA_SETS, named("rs"), { spec })).metadata;
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid, controller: true };
}

async function status(): Promise<JsonObject> {
  await world.settled();
  return (await world.get(BUDGETS, named("b")))?.["status"] as JsonObject;
}

const counts = (
  disruptionsAllowed: number,
  currentHealthy: number,
  desiredHealthy: number,
  expectedPods: number,
) => ({
  disruptionsAllowed,
  currentHealthy,
  desiredHealthy,
  expectedPods,
});

const reasons = async () => {
  await world.settled();
  return [...new Set((await world.client.list(EVENTS)).items.map((event) => event["reason"]))].sort();
};

describe("the status of a budget", () => {
  test("of a number that must stay counts the pods that there are", async () => {
    await budget({ minAvailable: 1 });
    await pod("x", true);
    await pod("y", true);
    await pod("z", false);
    expect(await status()).toEqual({
      ...counts(1, 2, 1, 3),
      observedGeneration: 1,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "True",
          reason: "SufficientPods",
          message: "",
          observedGeneration: 1,
          lastTransitionTime: expect.any(String),
        },
      ],
    });
  });

  test("counts a pod whatever its name is", async () => {
    await budget({ minAvailable: 1 });
    await pod("constructor", true);
    expect(await status()).toMatchObject(counts(0, 1, 1, 1));
  });

  test("without pods allows nothing, and says so", async () => {
    await budget({ minAvailable: 0 });
    expect(await status()).toMatchObject({
      ...counts(0, 0, 0, 0),
      conditions: [{ status: "False", reason: "InsufficientPods" }],
    });
    expect(await reasons()).toEqual(["NoPods"]);
  });

  test.each([
    [{ maxUnavailable: 1 }, counts(1, 2, 1, 2)],
    [{ maxUnavailable: "30%" }, counts(1, 2, 1, 2)],
    [{ minAvailable: "80%" }, counts(0, 2, 2, 2)],
    [{ maxUnavailable: 5 }, counts(2, 2, 0, 2)],
  ])("with %o counts what the controllers of the pods want", async (spec, expected) => {
    const owner = await controlled(2);
    await pod("x", true, owner);
    await pod("y", true, owner);
    await budget(spec);
    expect(await status()).toMatchObject(expected);
  });

  test("looks through a ReplicaSet at its Deployment", async () => {
    const spec = { replicas: 4, selector: SELECTOR, template: TEMPLATE };
    const { uid } = (await world.create(DEPLOYMENTS, named("d"), { spec })).metadata;
    const above = { apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: uid ?? "", controller: true };
    const meta = { ...named("rs"), ownerReferences: [above] };
    const set = await world.create(REPLICA_SETS, meta, { spec: { ...spec, replicas: 1 } });
    const owner = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "rs",
      uid: set.metadata.uid,
      controller: true,
    };
    await pod("x", true, owner);
    await budget({ maxUnavailable: "50%" });
    expect(await status()).toMatchObject(counts(0, 1, 2, 4));
  });

  test("tells of pods that nothing controls", async () => {
    await pod("x", true);
    await budget({ maxUnavailable: 1 });
    expect(await status()).toMatchObject(counts(0, 1, 0, 0));
    expect(await reasons()).toEqual(["UnmanagedPods"]);
  });

  test.each([
    ["batch/v1", "Job", "jobs.batch does not implement the scale subresource"],
    ["apps/v1", "ReplicaSet", 'found no controllers for pod "x"'],
  ])("allows nothing where a pod belongs to a %s %s", async (apiVersion, kind, message) => {
    await pod("x", true, { apiVersion, kind, name: "o", uid: "u", controller: true });
    await budget({ maxUnavailable: 1 });
    expect(await status()).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ status: "False", reason: "SyncFailed", message }],
    });
    expect(await reasons()).toEqual(["CalculateExpectedPodCountFailed"]);
  });

  test("follows labels, readiness and the end of pods", async () => {
    await budget({ minAvailable: 1 });
    await pod("x", true);
    await pod("y", true);
    expect(await status()).toMatchObject(counts(1, 2, 1, 2));
    await world.change(PODS, named("y"), { labels: { app: "other" } });
    expect(await status()).toMatchObject(counts(0, 1, 1, 1));
    await world.client.delete(PODS, named("x"));
    expect(await status()).toMatchObject(counts(0, 0, 1, 0));
  });

  test("does not count a pod that was let go, until it has stayed too long", async () => {
    await budget({ minAvailable: 1 });
    await pod("x", true);
    await pod("y", true);
    await status();
    const live = await world.get(BUDGETS, named("b"));
    const disruptedPods = {
      x: new Date(world.clock.now()).toISOString().replace(/\.\d+/, ""),
      gone: "2026-01-01T00:00:00Z",
    };
    await world.client.update(
      BUDGETS,
      { ...live, status: { ...(live?.["status"] as object), disruptedPods } } as never,
      "status",
    );
    await world.change(BUDGETS, named("b"), { annotations: { look: "again" } });
    expect(await status()).toMatchObject({ ...counts(0, 1, 1, 2), disruptedPods: { x: disruptedPods.x } });
    world.clock.advance(DELETION_MS + 1000);
    expect(await status()).toMatchObject(counts(1, 2, 1, 2));
    expect(await reasons()).toContain("NotDeleted");
  });
});
