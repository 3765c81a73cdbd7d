// Jobs, ReplicationControllers and PodDisruptionBudgets through kubectl: create, get, explain and scale. Draining a node
// evicts no faster than a budget allows. The tests run in order and build on each other.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { kubectlProblem } from "../support/kubectl.ts";
import { KubectlSession } from "../support/kubectl-session.ts";

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/workloads.test.ts is skipped\n`);

const READY = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}';

/** Ends at once when it is deleted. */
const podOn = (node: string, name: string): string => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: web}}
spec:
  nodeName: ${node}
  terminationGracePeriodSeconds: 1
  containers: [{name: c, image: "i:1"}]
`;

const CONTROLLER = `
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  template:
    metadata: {labels: {app: old}}
    spec:
      containers: [{name: c, image: "i:1"}]
`;

describe.skipIf(problem !== undefined)("kubectl and what makes pods", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await KubectlSession.start();
  });
  afterAll(() => session?.close());

  const runPod = async (node: string, name: string): Promise<void> => {
    await session.apply(podOn(node, name));
    await session.text("patch", "pod", name, "--subresource=status", "-p", READY);
  };

  test("create makes a job, from a schedule too", async () => {
    expect(await session.text("create", "job", "sum", "--image=i:1")).toBe("job.batch/sum created\n");
    const cron = ["create", "cronjob", "nightly", "--image=i:1", "--schedule=0 2 * * *"];
    expect(await session.text(...cron)).toBe("cronjob.batch/nightly created\n");
    await session.text("create", "job", "now", "--from=cronjob/nightly");
    expect(await session.row("now", "get", "jobs", "-o", "wide")).toMatchObject({
      STATUS: "Running",
      COMPLETIONS: "0/1",
      CONTAINERS: "nightly",
      IMAGES: "i:1",
    });
    expect(await session.row("nightly", "get", "cronjobs")).toMatchObject({
      SCHEDULE: "0 2 * * *",
      TIMEZONE: "<none>",
      SUSPEND: "False",
      ACTIVE: "0",
    });
  });

  test("describe and explain tell of them", async () => {
    const described = await session.text("describe", "job", "sum");
    expect(described).toMatch(/^Completion Mode: +NonIndexed$/m);
    expect(described).toMatch(/^Selector: +batch.kubernetes.io\/controller-uid=/m);
    expect(await session.text("describe", "cronjob", "nightly")).toMatch(/^Concurrency Policy: +Allow$/m);
    expect(await session.text("explain", "cronjob.spec.jobTemplate.spec.completionMode")).toMatch(/Indexed/);
  });

  test("a replication controller is scaled", async () => {
    await session.apply(CONTROLLER);
    await session.text("scale", "rc", "old", "--replicas=3");
    expect(await session.row("old", "get", "rc", "-o", "wide")).toMatchObject({
      DESIRED: "3",
      CURRENT: "0",
      SELECTOR: "app=old",
    });
  });

  test("a node is emptied no faster than a budget allows", async () => {
    await session.apply("apiVersion: v1\nkind: Node\nmetadata: {name: full}\n");
    await runPod("full", "web-1");
    await runPod("full", "web-2");
    await session.text("create", "pdb", "web", "--selector=app=web", "--min-available=1");
    const allowed = async () => (await session.row("web", "get", "pdb"))?.["ALLOWED DISRUPTIONS"];
    const pods = async () =>
      (await session.text("get", "pods", "-l", "app=web", "-o", "name")).trim().split("\n");
    await eventually(allowed, (number) => number === "1");

    const drain = session.text("drain", "full", "--force", "--timeout=60s");
    await eventually(pods, ({ length }) => length === 1);
    // One of them has gone; the other one stays until another pod is ready.
    expect(await allowed()).toBe("0");
    await runPod("empty", "web-3");
    expect(await drain).toContain("node/full drained");
    expect(await pods()).toEqual(["pod/web-3"]);
    expect(await session.text("describe", "pdb", "web")).toMatch(/^Min available: +1$/m);
  }, 90_000);

  test("the parts of the control plane are told, with a warning", async () => {
    expect(await session.row("etcd-0", "get", "componentstatuses")).toMatchObject({ STATUS: "Healthy" });
  });
});
