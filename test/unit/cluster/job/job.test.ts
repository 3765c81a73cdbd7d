import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { batch, inA, PODS, statusOf, Workloads, withControllers } from "../workloads/support.ts";

const JOBS = batch("jobs");
const TRACKING = "batch.kubernetes.io/job-tracking";
const INDEX = "batch.kubernetes.io/job-completion-index";

let all: Workloads;
beforeEach(async () => {
  all = new Workloads(await withControllers("job", "garbage-collector"));
});

const make = (spec: JsonObject = {}, policy = "Never") =>
  all.world.create(JOBS, inA("sum"), {
    spec: {
      template: { spec: { restartPolicy: policy, containers: [{ name: "c", image: "i:1" }] } },
      ...spec,
    },
  });
const status = async () => statusOf(await all.get(JOBS, "sum"));
const waiting = async () => (await all.pods()).filter((pod) => statusOf(pod)["phase"] === "Pending");
const end = (pod: KubeObject | undefined, exitCode = 0) =>
  all.recordEvent(pod!, {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [
      {
        ...{ name: "c", image: "i:1", imageID: "", ready: false, restartCount: 0 },
        state: {
          terminated: {
            exitCode,
            finishedAt: new Date(all.world.clock.now()).toISOString().replace(".000", ""),
          },
        },
      },
    ],
  });
const conditions = async () =>
  ((await status())["conditions"] as JsonObject[] | undefined)?.map(
    ({ type, status: is, reason, message }) => `${type} ${is} ${reason}: ${message}`,
  );
const ofJob = async () => (await all.events()).filter((event) => !event.includes("pod: "));

describe("a Job", () => {
  test("runs one pod, counts it, and is complete", async () => {
    const { metadata } = await make();
    const [pod] = await all.pods();
    expect(pod?.metadata).toMatchObject({
      generateName: "sum-",
      finalizers: [TRACKING],
      labels: { "batch.kubernetes.io/job-name": "sum", "batch.kubernetes.io/controller-uid": metadata.uid },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "sum", controller: true }],
    });
    const startTime = "2026-01-01T00:00:00Z";
    expect(await status()).toEqual({
      active: 1,
      ready: 0,
      terminating: 0,
      startTime,
      uncountedTerminatedPods: {},
    });
    await all.makeReady([pod!]);
    expect(await status()).toMatchObject({ active: 1, ready: 1 });
    await end(pod);
    expect(await conditions()).toEqual([
      "SuccessCriteriaMet True CompletionsReached: Reached expected number of succeeded pods",
      "Complete True CompletionsReached: Reached expected number of succeeded pods",
    ]);
    expect(await status()).toMatchObject({
      ...{ ready: 0, terminating: 0, succeeded: 1, startTime, completionTime: startTime },
      uncountedTerminatedPods: {},
    });
    expect((await all.pods())[0]?.metadata.finalizers).toBeUndefined();
    expect(await ofJob()).toEqual(["Normal Completed: Job completed"]);
  });

  test("runs as many at a time as it says, until enough have succeeded", async () => {
    await make({ completions: 5, parallelism: 2 });
    for (let done = 1; done <= 5; done++) {
      const [pod, ...others] = await waiting();
      expect(others.length).toBe(done === 5 ? 0 : 1);
      await end(pod);
    }
    expect(await status()).toMatchObject({ succeeded: 5, completionTime: expect.any(String) });
    expect(await all.pods()).toHaveLength(5);
  });

  test("lets pods go that are too many, without counting them", async () => {
    await make({ completions: 5, parallelism: 3 });
    await all.patch(JOBS, "sum", { spec: { parallelism: 1 } });
    expect(await all.pods()).toHaveLength(1);
    expect(await status()).toMatchObject({ active: 1, terminating: 0 });
    expect(await status()).not.toHaveProperty("failed");
  });

  test("waits longer after each failure, and gives up behind its limit", async () => {
    await make({ backoffLimit: 2 });
    for (const pause of [10, 20]) {
      await end((await waiting())[0], 1);
      await all.advance(pause - 1);
      expect(await waiting()).toHaveLength(0);
      await all.advance(1);
      expect(await waiting()).toHaveLength(1);
    }
    await end((await waiting())[0], 1);
    expect(await conditions()).toEqual([
      "FailureTarget True BackoffLimitExceeded: Job has reached the specified backoff limit",
      "Failed True BackoffLimitExceeded: Job has reached the specified backoff limit",
    ]);
    expect(await status()).toMatchObject({ failed: 3 });
    expect(await ofJob()).toEqual([
      "Warning BackoffLimitExceeded: Job has reached the specified backoff limit",
    ]);
  });

  test("ends what still runs when its time is over", async () => {
    await make({ parallelism: 2, completions: 2, activeDeadlineSeconds: 60 });
    await all.advance(59);
    expect(await waiting()).toHaveLength(2);
    await all.advance(1);
    expect(await all.pods()).toEqual([]);
    expect(await conditions()).toEqual([
      "FailureTarget True DeadlineExceeded: Job was active longer than specified deadline",
      "Failed True DeadlineExceeded: Job was active longer than specified deadline",
    ]);
    expect(await status()).toMatchObject({ failed: 2, terminating: 0 });
  });

  test("is suspended and resumed", async () => {
    await make({ suspend: true });
    expect(await all.pods()).toEqual([]);
    expect(await status()).not.toHaveProperty("startTime");
    await all.advance(100);
    await all.patch(JOBS, "sum", { spec: { suspend: false } });
    expect(await all.pods()).toHaveLength(1);
    expect(await conditions()).toEqual(["Suspended False JobResumed: Job resumed"]);
    expect(await status()).toMatchObject({ startTime: "2026-01-01T00:01:40Z" });
    await all.patch(JOBS, "sum", { spec: { suspend: true } });
    expect(await all.pods()).toEqual([]);
    expect(await ofJob()).toEqual(["Normal Suspended: Job suspended", "Normal Resumed: Job resumed"]);
  });

  test("waits for the end of pods that go where only failed ones are replaced", async () => {
    await make({ podReplacementPolicy: "Failed" });
    const [pod] = await all.pods();
    await all.patch(PODS, pod?.metadata.name ?? "", {
      metadata: { finalizers: [TRACKING, "example.com/held"] },
    });
    await all.world.client.delete(PODS, inA(pod?.metadata.name ?? ""));
    expect(await all.pods()).toHaveLength(1);
    expect(await status()).toMatchObject({ terminating: 1 });
  });

  test("lets its pods go when it is deleted", async () => {
    await make();
    await all.world.client.delete(JOBS, inA("sum"), { propagationPolicy: "Background" });
    expect(await all.pods()).toEqual([]);
  });
});

describe("an indexed Job", () => {
  test("gives each pod its index, and fills gaps", async () => {
    await make({ completionMode: "Indexed", completions: 4, parallelism: 3 });
    const pods = await all.pods();
    expect(pods.map(({ metadata }) => metadata.annotations?.[INDEX])).toEqual(["0", "1", "2"]);
    expect(pods[1]).toMatchObject({
      metadata: { generateName: "sum-1-", labels: { [INDEX]: "1" } },
      spec: {
        hostname: "sum-1",
        containers: [
          {
            env: [
              {
                name: "JOB_COMPLETION_INDEX",
                valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
              },
            ],
          },
        ],
      },
    });
    await end(pods[0]);
    await end(pods[2]);
    expect(await status()).toMatchObject({ completedIndexes: "0,2", succeeded: 2 });
    expect((await waiting()).map(({ metadata }) => metadata.annotations?.[INDEX])).toEqual(["1", "3"]);
  });

  test("fails index by index where it has a limit for each", async () => {
    await make({ completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 1 });
    const [zero, one] = await all.pods();
    await end(zero);
    await end(one, 1);
    await all.advance(10);
    const [again] = await waiting();
    expect(again?.metadata.annotations).toMatchObject({
      [INDEX]: "1",
      "batch.kubernetes.io/job-index-failure-count": "1",
    });
    await end(again, 1);
    expect(await status()).toMatchObject({
      completedIndexes: "0",
      failedIndexes: "1",
      failed: 2,
      succeeded: 1,
    });
    expect((await conditions())?.at(-1)).toBe("Failed True FailedIndexes: Job has failed indexes");
  });

  test("is complete when its policy of success is met", async () => {
    const successPolicy = { rules: [{ succeededIndexes: "1-2", succeededCount: 1 }] };
    await make({ completionMode: "Indexed", completions: 3, parallelism: 3, successPolicy });
    await end((await all.pods())[1]);
    expect(await conditions()).toEqual([
      "SuccessCriteriaMet True SuccessPolicy: Matched rules at index 0",
      "Complete True SuccessPolicy: Matched rules at index 0",
    ]);
    expect(await all.pods()).toHaveLength(1);
  });
});

describe("a policy for failed pods", () => {
  const rule = (action: string) => ({
    podFailurePolicy: { rules: [{ action, onExitCodes: { operator: "In", values: [42] } }] },
  });

  test("fails the Job at once", async () => {
    await make(rule("FailJob"));
    const [pod] = await all.pods();
    await end(pod, 42);
    const message = `Container c for pod a/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 0`;
    expect((await conditions())?.at(-1)).toBe(`Failed True PodFailurePolicy: ${message}`);
  });

  test("does not count what it ignores", async () => {
    await make({ ...rule("Ignore"), backoffLimit: 0 });
    await end((await all.pods())[0], 42);
    await all.advance(10);
    expect(await waiting()).toHaveLength(1);
    expect(await status()).not.toHaveProperty("failed");
  });
});

test("a restart counts no pod twice", async () => {
  await make({ completions: 3, parallelism: 3 });
  await end((await all.pods())[0]);
  const before = await status();
  expect(before).toMatchObject({ succeeded: 1 });
  await all.world.stop();
  await end((await waiting())[0]);
  await all.world.start();
  expect(await status()).toMatchObject({ succeeded: 2, active: 1 });
});
