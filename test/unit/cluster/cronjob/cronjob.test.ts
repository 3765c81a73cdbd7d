import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { batch, inA, statusOf, Workloads, withControllers } from "../workloads/support.ts";

const CRON_JOBS = batch("cronjobs");
const JOBS = batch("jobs");

let all: Workloads;
beforeEach(async () => {
  all = new Workloads(await withControllers("cronjob", "job"));
});

/** The clock is at the beginning of 2026. */
const make = (spec: JsonObject = {}) => {
  const pod = { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] };
  const jobTemplate = { metadata: { labels: { team: "shop" } }, spec: { template: { spec: pod } } };
  return all.world.create(CRON_JOBS, inA("tick"), {
    spec: { schedule: "*/5 * * * *", jobTemplate, ...spec },
  });
};
const names = async () => (await all.list(JOBS)).map(({ metadata }) => metadata.name);
const status = async () => statusOf(await all.get(CRON_JOBS, "tick"));
const NOON = Date.UTC(2026, 0, 1);
const nameAt = (minutes: number) => `tick-${NOON / 60_000 + minutes}`;
/** The pods of a job succeed, or fail for good. */
async function end(name: string, phase = "Succeeded"): Promise<void> {
  for (const pod of await all.pods()) {
    const owner = pod.metadata.ownerReferences?.[0]?.name;
    if (owner === name && statusOf(pod)["phase"] === "Pending") await all.recordEvent(pod, { phase });
  }
  await all.world.settled();
}
const ofCron = async () =>
  (await all.events()).filter(
    (event) => /(Created|Deleted|Saw|Not|Missed|too many|went) ?/.test(event) && !event.includes("pod"),
  );

describe("a CronJob", () => {
  test("makes a job at each time of its schedule", async () => {
    const { metadata } = await make();
    await all.advance(299);
    expect(await names()).toEqual([]);
    await all.advance(2);
    const [job] = await all.list(JOBS);
    expect(job?.metadata).toMatchObject({
      name: nameAt(5),
      labels: { team: "shop" },
      annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:05:00Z" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", uid: metadata.uid, controller: true }],
    });
    expect(await status()).toEqual({
      active: [
        {
          ...{ apiVersion: "batch/v1", kind: "Job", namespace: "a" },
          ...{ name: nameAt(5), uid: job?.metadata.uid, resourceVersion: expect.any(String) },
        },
      ],
      lastScheduleTime: "2026-01-01T00:05:00Z",
    });
    await end(nameAt(5));
    expect(await status()).toEqual({
      lastScheduleTime: "2026-01-01T00:05:00Z",
      lastSuccessfulTime: "2026-01-01T00:05:01Z",
    });
    await all.advance(300);
    expect(await names()).toEqual([nameAt(5), nameAt(10)]);
    expect(await ofCron()).toEqual(
      expect.arrayContaining([
        `Normal SuccessfulCreate: Created job ${nameAt(5)}`,
        `Normal SawCompletedJob: Saw completed job: ${nameAt(5)}, condition: Complete`,
      ]),
    );
    expect((await all.events()).some((event) => event.includes("UnexpectedJob"))).toBe(false);
  });

  test("with Forbid waits for the one that runs", async () => {
    await make({ concurrencyPolicy: "Forbid" });
    await all.advance(301);
    await all.advance(300);
    expect(await names()).toEqual([nameAt(5)]);
    expect(await ofCron()).toContain(
      "Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
    );
  });

  test("with Replace deletes the one that runs", async () => {
    await make({ concurrencyPolicy: "Replace" });
    await all.advance(301);
    await all.advance(300);
    expect(await names()).toEqual([nameAt(10)]);
    expect(await ofCron()).toContain(`Normal SuccessfulDelete: Deleted job ${nameAt(5)}`);
  });

  test("keeps as many ended jobs as its history is long", async () => {
    await make({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    for (const minutes of [5, 10, 15]) {
      await all.advance(minutes === 5 ? 301 : 300);
      await end(nameAt(minutes));
    }
    expect(await names()).toEqual([nameAt(15)]);
  });

  test("makes none while it is suspended, and then one for all that were missed", async () => {
    await make({ suspend: true });
    await all.advance(1500);
    expect(await names()).toEqual([]);
    await all.patch(CRON_JOBS, "tick", { spec: { suspend: false } });
    expect(await names()).toEqual([nameAt(25)]);
  });

  test("starts none behind its deadline", async () => {
    await make({ suspend: true, startingDeadlineSeconds: 60, schedule: "0 * * * *" });
    await all.advance(3700);
    await all.patch(CRON_JOBS, "tick", { spec: { suspend: false } });
    expect(await names()).toEqual([]);
  });

  test("says that it is far behind", async () => {
    await make({ suspend: true, schedule: "* * * * *" });
    await all.advance(3600 * 24);
    await all.patch(CRON_JOBS, "tick", { spec: { suspend: false } });
    expect(await names()).toEqual([nameAt(24 * 60)]);
    expect(await ofCron()).toContainEqual(
      expect.stringMatching(/^Warning TooManyMissedTimes: too many missed start times/),
    );
  });

  test("counts the times of @every from its creation, however often it is looked at meanwhile", async () => {
    await make({ schedule: "@every 10m" });
    await all.advance(300);
    await all.patch(CRON_JOBS, "tick", { metadata: { labels: { seen: "yes" } } });
    await all.advance(301);
    expect(await names()).toEqual([nameAt(10)]);
  });

  test("starts no job twice after a restart", async () => {
    await make();
    await all.advance(301);
    const before: KubeObject[] = [...(await all.list(JOBS))];
    await all.world.stop();
    await all.world.start();
    expect(await all.list(JOBS)).toEqual(before);
    expect((await all.events()).some((event) => event.includes("UnexpectedJob"))).toBe(false);
  });
});
