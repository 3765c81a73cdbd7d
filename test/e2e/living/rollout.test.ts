// Workloads of a simulated cluster, driven by kubectl: pods are created, scheduled, run and replaced while the test
// advances the clock. The tests run in order and build on each other.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { Kubectl, kubectlProblem, rowsOf } from "../../support/kubectl.ts";

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/living/rollout.test.ts is skipped\n`);

const START = "2030-01-02T03:04:05Z";
const NODES = 5;

describe.skipIf(problem !== undefined)("kubectl and a cluster that lives", () => {
  let folder: string;
  let server: Server;
  let kubectl: Kubectl;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "egret-living-"));
    const kubeconfig = join(folder, "kubeconfig");
    server = await createServer({
      ...{ inMemory: true, listen: "127.0.0.1:0", logLevel: "silent" },
      ...{ kubeconfig, clock: START, cluster: true },
    });
    kubectl = new Kubectl(kubeconfig, folder);
    const nodes = Array.from({ length: NODES }, (_, node) => nodeNamed(`n${node}`));
    await kubectl.text(["apply", "-f", "-"], { input: nodes.join("---\n") });
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const nodeNamed = (name: string): string =>
    `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}, labels: {kubernetes.io/hostname: ${name}}}\n`;
  const text = (...args: readonly string[]): Promise<string> => kubectl.text(args);
  const rows = async (...args: readonly string[]): Promise<Record<string, string>[]> =>
    rowsOf(await text(...args));

  async function advance(seconds: number): Promise<void> {
    const answer = await fetch(new URL("/egret/v1/clock/advance", server.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ duration: `${seconds}s` }),
    });
    expect(answer.status, await answer.text()).toBe(200);
  }

  /** What kubectl prints when it is done; a second passes whenever the server has nothing left to do. */
  async function meanwhile(...args: readonly string[]): Promise<string> {
    const asked = text(...args);
    let isDone = false;
    const done = asked.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    while (!isDone) {
      await advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return done;
  }

  test("a Deployment is rolled out", async () => {
    await text("create", "deployment", "web", "--image=i:1", "--replicas=20");
    expect(await meanwhile("rollout", "status", "deployment/web")).toMatch(
      /deployment "web" successfully rolled out\n$/,
    );
    const [web] = await rows("get", "deployment", "web");
    expect(web).toMatchObject({ READY: "20/20", "UP-TO-DATE": "20", AVAILABLE: "20" });
    const pods = await rows("get", "pods", "-l", "app=web", "-o", "wide");
    expect(pods).toHaveLength(20);
    expect(new Set(pods.map((pod) => pod["STATUS"]))).toEqual(new Set(["Running"]));
    expect(new Set(pods.map((pod) => pod["NODE"])).size).toBe(NODES);
  });

  test("is scaled, gets another image, and goes back", async () => {
    await text("scale", "deployment/web", "--replicas=8");
    await meanwhile("rollout", "status", "deployment/web");
    await advance(40);
    expect(await rows("get", "pods", "-l", "app=web")).toHaveLength(8);
    await text("set", "image", "deployment/web", "i=i:2");
    expect(await meanwhile("rollout", "status", "deployment/web")).toMatch(/successfully rolled out/);
    expect(await text("rollout", "history", "deployment/web")).toMatch(/^1 .*\n2 /m);
    await text("rollout", "undo", "deployment/web");
    await meanwhile("rollout", "status", "deployment/web");
    const image = "-o=jsonpath={.spec.template.spec.containers[0].image}";
    expect(await text("get", "deployment", "web", image)).toBe("i:1");
    expect(await text("rollout", "history", "deployment/web")).toMatch(/^2 .*\n3 /m);
  });

  test("a node is emptied no faster than a budget allows", async () => {
    await text("create", "pdb", "web", "--selector=app=web", "--max-unavailable=2");
    await advance(1);
    expect(await meanwhile("drain", "n0", "--ignore-daemonsets", "--timeout=25s")).toMatch(
      /node\/n0 drained\n$/,
    );
    await meanwhile("rollout", "status", "deployment/web");
    const pods = await rows("get", "pods", "-l", "app=web", "-o", "wide");
    expect(pods.filter((pod) => pod["NODE"] === "n0")).toEqual([]);
    await text("uncordon", "n0");
  });

  test("pods go with their Deployment", async () => {
    await text("delete", "deployment", "web", "--wait=false");
    await advance(40);
    expect(await rows("get", "pods,replicasets")).toEqual([]);
  });

  test("a Job runs to its end", async () => {
    await text("create", "job", "sum", "--image=i:1");
    await meanwhile("wait", "--for=condition=complete", "job/sum", "--timeout=25s");
    const [sum] = await rows("get", "jobs");
    expect(sum).toMatchObject({ NAME: "sum", STATUS: "Complete", COMPLETIONS: "1/1" });
    expect(await text("describe", "job", "sum")).toMatch(/^ +Normal +Completed .*Job completed$/m);
  });

  test("a CronJob runs at its times", async () => {
    await text("create", "cronjob", "tick", "--image=i:1", "--schedule=*/5 * * * *");
    for (let minute = 0; minute < 21; minute++) await advance(60);
    const jobs = await rows("get", "jobs");
    expect(jobs.filter((job) => job["NAME"]?.startsWith("tick-"))).toHaveLength(3);
    const [tick] = await rows("get", "cronjobs");
    expect(tick).toMatchObject({ SCHEDULE: "*/5 * * * *", SUSPEND: "False", ACTIVE: "0" });
  });

  test("a StatefulSet and a DaemonSet are rolled out, and restarted", async () => {
    await kubectl.text(["apply", "-f", "-"], { input: SETS });
    await meanwhile("rollout", "status", "statefulset/db");
    await meanwhile("rollout", "status", "daemonset/agent");
    expect((await rows("get", "pods", "-l", "app=db")).map((pod) => pod["NAME"])).toEqual(["db-0", "db-1"]);
    const [agent] = await rows("get", "daemonsets");
    expect(agent).toMatchObject({ DESIRED: String(NODES), AVAILABLE: String(NODES) });
    await text("rollout", "restart", "statefulset/db", "daemonset/agent");
    await meanwhile("rollout", "status", "statefulset/db");
    await meanwhile("rollout", "status", "daemonset/agent");
    expect(await text("rollout", "history", "daemonset/agent")).toMatch(/^1 .*\n2 /m);
  });
});

const SETS = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: "i:1"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: "i:1"}]}
`;
