// A cluster that lives, as `egret demo` lays it: how soon it is at rest, what it takes in memory, and what the death of a node
// costs until its pods and egress addresses are elsewhere.
import { setTimeout as delay } from "node:timers/promises";
import { startEgret } from "../../../test/support/egret-process.ts";
import { askWell, plainAccess, readJson, type ServerAccess } from "../client/server-access.ts";
import { atRest, cpuSeconds, rssMegabytes } from "../memory.ts";
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";

const LOOK_MS = 500;
const IDLE_MS = 10_000;
/** The grace period of its kubelet, what its pods tolerate, and then some. */
const DEATH_MS_MAX = 180_000;
const DEAD = "worker-3";

interface Items {
  readonly items: readonly {
    readonly metadata: { readonly deletionTimestamp?: string };
    readonly spec: { readonly replicas?: number; readonly egressIPs?: readonly string[] };
    readonly status?: {
      readonly readyReplicas?: number;
      readonly items?: readonly { readonly node: string }[];
    };
  }[];
}

export async function demoRows({ plan }: Bench): Promise<Row[]> {
  const size = plan.quick ? "small" : "large";
  const from = performance.now();
  const flags = ["demo", "--size", size, "--listen", "127.0.0.1:0", "--kubeconfig", ""];
  await using egret = await startEgret(flags);
  const access = plainAccess(egret.url);
  const pods = plan.quick ? 19 : 20_019;
  while ((await readyPods(access)) < pods) await delay(LOOK_MS);
  await atRest(egret.pid);
  const restMs = performance.now() - from;
  const restSeconds = cpuSeconds(egret.pid);
  const megabytes = rssMegabytes(egret.pid);
  const rows: Row[] = [
    { id: `demo/${size}/rest`, operation: `${pods} pods at rest`, value: restMs, unit: "ms" },
    {
      id: `demo/${size}/work`,
      operation: `${pods} pods at rest, processor time`,
      value: restSeconds * 1000,
      unit: "ms",
    },
    {
      id: `demo/${size}/memory`,
      operation: `memory with ${pods} pods that live`,
      value: megabytes,
      unit: "MB",
    },
  ];
  return plan.quick ? rows : [...rows, await deathRow(access, egret.pid, pods)];
}

/** What a second costs in which nothing happens is taken off. */
async function deathRow(access: ServerAccess, pid: number, pods: number): Promise<Row> {
  const before = cpuSeconds(pid);
  await delay(IDLE_MS);
  const idle = (cpuSeconds(pid) - before) / (IDLE_MS / 1000);
  const [began, from] = [cpuSeconds(pid), performance.now()];
  await askWell(access, `/api/v1/nodes/${DEAD}`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ metadata: { annotations: { "egret.dev/failed": "true" } } }),
  });
  do await delay(LOOK_MS * 4);
  while (performance.now() - from < DEATH_MS_MAX && !(await isLeft(access, pods)));
  const seconds = (performance.now() - from) / 1000;
  const value = (cpuSeconds(pid) - began - idle * seconds) * 1000;
  return { id: "demo/large/death", operation: "a node dies with 40 pods, processor time", value, unit: "ms" };
}

async function isLeft(access: ServerAccess, pods: number): Promise<boolean> {
  const path = `/api/v1/pods?fieldSelector=spec.nodeName%3D${DEAD}`;
  const { items: onNode } = (await readJson(access, path)) as Items; // a list of ours
  if (onNode.some(({ metadata }) => metadata.deletionTimestamp === undefined)) return false;
  const { items } = (await readJson(access, "/apis/k8s.ovn.org/v1/egressips")) as Items; // as above
  const holds = items.some(({ status }) => status?.items?.some(({ node }) => node === DEAD) === true);
  return !holds && (await readyPods(access)) >= pods;
}

async function readyPods(access: ServerAccess): Promise<number> {
  const { items } = (await readJson(access, "/apis/apps/v1/deployments")) as Items; // as above
  return items.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}
