// An external scheduler replaces Egret's: like kube-scheduler, it lists and watches pods without a node, binds them, and
// records in their status why it finds no node. Deployments, kubelets and Events keep working around it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EgretProcess, runEgret, startEgret } from "../../support/egret-process.ts";
import { eventually } from "../../support/eventually.ts";

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
  };
}
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

const REPLICAS = 4;
const labels = { app: "web" };
const DEPLOYMENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  },
};
const PODS = "/api/v1/namespaces/default/pods";

let folder = "";
let server: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-scheduler-"));
  const kubeconfig = join(folder, "kubeconfig");
  server = await startEgret([
    "--in-memory",
    "--cluster",
    "--controllers=*,-scheduler",
    "--kubeconfig",
    kubeconfig,
  ]);
  expect((await runEgret(["nodes", "add", "2", "--kubeconfig", kubeconfig])).code).toBe(0);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function ask<T>(path: string, method = "GET", body?: unknown, type = "application/json"): Promise<T> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { "Content-Type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text) as T;
}

const waiting = async (): Promise<Pod[]> =>
  (await ask<{ items: Pod[] }>("/api/v1/pods?fieldSelector=spec.nodeName%3D,status.phase%21%3DFailed")).items;

const bind = ({ metadata: { name, namespace, uid } }: Pod, node: string) =>
  ask(`${PODS}/${name}/binding`, "POST", {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace, uid },
    target: { kind: "Node", name: node },
  });

test("pods wait for it, run where it says, and bear its reasons where it finds nothing", async () => {
  const { items: nodes } = await ask<{ items: { metadata: { name: string } }[] }>("/api/v1/nodes");
  const names = nodes.map(({ metadata }) => metadata.name);
  await ask("/apis/apps/v1/namespaces/default/deployments", "POST", DEPLOYMENT);
  const pods = await eventually(waiting, ({ length }) => length === REPLICAS);
  const [refused, ...bound] = pods;
  await ask(
    `${PODS}/${refused?.metadata.name}/status`,
    "PATCH",
    {
      status: {
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "none" }],
      },
    },
    "application/strategic-merge-patch+json",
  );
  for (const [index, pod] of bound.entries()) await bind(pod, names[index % names.length] ?? "");
  await expect(bind(bound[0]!, names[1] ?? "")).rejects.toThrow("is already assigned to node");
  const running = await eventually(
    async () => (await ask<{ items: Pod[] }>(PODS)).items.filter(({ status }) => status.phase === "Running"),
    ({ length }) => length === bound.length,
  );
  expect(running.map(({ spec }) => spec.nodeName).sort()).toEqual(
    bound.map((_, index) => names[index % names.length]).sort(),
  );
  expect(new Set(running.map(({ status }) => status.podIP)).size).toBe(bound.length);
  const { spec, status } = await ask<Pod>(`${PODS}/${refused?.metadata.name}`);
  expect(spec.nodeName).toBeUndefined();
  expect(status.conditions).toMatchObject([
    { type: "PodScheduled", status: "False", reason: "Unschedulable" },
  ]);
  const events = await ask<{ items: { reason: string }[] }>("/api/v1/events");
  expect(events.items.filter(({ reason }) => /Scheduled|Scheduling/.test(reason))).toEqual([]);
});
