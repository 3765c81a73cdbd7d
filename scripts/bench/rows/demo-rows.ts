// The simulated cluster of `egret demo`: the time until it is idle, its memory, and the cost of a node failure until the
// node's pods and egress addresses have moved.
import { setTimeout as delay } from "node:timers/promises";
import { plainAccess, readJson, type ServerAccess } from "../client/server-access.ts";
import { atRest, rssMegabytes } from "../memory.ts";
import { launchEgret } from "../own-server.ts";
import type { Bench } from "../plan.ts";
import { processMs } from "../process-time.ts";
import type { Row } from "../report/row.ts";

const LOOK_MS = 1000;
const IDLE_MS = 10_000;
/** The grace period of its kubelet, the toleration seconds of its pods, and a margin. */
const DEATH_SECONDS_MAX = 180;
/** The nodes that fail, one after the other. */
const DEAD = ["worker-1", "worker-2", "worker-3", "worker-4"] as const;
/** The time in which all zones have reported. */
const REST_LOOKS = 480;

interface Node {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

interface Items {
  readonly items: readonly {
    readonly metadata: { readonly deletionTimestamp?: string };
    readonly spec: { readonly replicas?: number; readonly egressIPs?: readonly string[] };
    readonly status?: {
      readonly status?: string;
      readonly readyReplicas?: number;
      readonly items?: readonly { readonly node: string }[];
    };
  }[];
}

export async function demoRows({ plan }: Bench): Promise<Row[]> {
  const size = plan.quick ? "small" : "large";
  const from = performance.now();
  const flags = ["demo", "--size", size, "--listen", "127.0.0.1:0", "--kubeconfig", ""];
  await using egret = await launchEgret(flags);
  const access = plainAccess(egret.url);
  const pods = plan.quick ? 19 : 20_019;
  while ((await readyPods(access)) < pods || !(await areReported(access))) await delay(LOOK_MS);
  await atRest(egret.pid, REST_LOOKS);
  const restMs = performance.now() - from;
  const workMs = processMs(egret.pid);
  const megabytes = rssMegabytes(egret.pid);
  const rows: Row[] = [
    { id: `demo/${size}/rest`, operation: `${pods} pods at rest`, value: restMs, unit: "ms" },
    {
      id: `demo/${size}/work`,
      operation: `${pods} pods at rest, processor time`,
      value: workMs,
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

/** The demo fails a node by itself. The cost of an idle second with the same polling is subtracted. */
async function deathRow(access: ServerAccess, pid: number, pods: number): Promise<Row> {
  const spent = meter(pid);
  while (spent().seconds < IDLE_MS / 1000) await isLeftSoon(access, DEAD[0], pods);
  const idle = spent().cpu / spent().seconds;
  const before = await failedNodes(access);
  let dead: string | undefined;
  while (dead === undefined) {
    await delay(LOOK_MS);
    dead = (await failedNodes(access)).find((name) => !before.includes(name));
  }
  const died = meter(pid);
  while (died().seconds < DEATH_SECONDS_MAX && !(await isLeftSoon(access, dead, pods)));
  const { cpu, seconds } = died();
  const value = cpu - idle * seconds;
  return { id: "demo/large/death", operation: "a node dies with 40 pods, processor time", value, unit: "ms" };
}

function meter(pid: number): () => { readonly cpu: number; readonly seconds: number } {
  const [cpu, from] = [processMs(pid), performance.now()];
  return () => ({ cpu: processMs(pid) - cpu, seconds: (performance.now() - from) / 1000 });
}

async function failedNodes(access: ServerAccess): Promise<string[]> {
  const nodes = await Promise.all(DEAD.map((name) => readJson(access, `/api/v1/nodes/${name}`)));
  return DEAD.filter(
    (_, index) => (nodes[index] as Node).metadata.annotations?.["egret.dev/failed"] === "true",
  );
}

async function isLeftSoon(access: ServerAccess, node: string, pods: number): Promise<boolean> {
  await delay(LOOK_MS);
  return isLeft(access, node, pods);
}

async function isLeft(access: ServerAccess, dead: string, pods: number): Promise<boolean> {
  const path = `/api/v1/pods?fieldSelector=spec.nodeName%3D${dead}`;
  const { items: onNode } = (await readJson(access, path)) as Items; // a list of ours
  if (onNode.some(({ metadata }) => metadata.deletionTimestamp === undefined)) return false;
  const { items } = (await readJson(access, "/apis/k8s.ovn.org/v1/egressips")) as Items; // as above
  const holds = items.some(({ status }) => status?.items?.some(({ node }) => node === dead) === true);
  return !holds && (await readyPods(access)) >= pods;
}

/** Reports whether every zone (each node is one) has reported on all firewalls and QoS objects. */
async function areReported(access: ServerAccess): Promise<boolean> {
  const kinds = ["egressfirewalls", "egressqoses"].map((kind) => `/apis/k8s.ovn.org/v1/${kind}`);
  const lists = (await Promise.all(kinds.map((path) => readJson(access, path)))) as Items[]; // lists of ours
  return lists.every(({ items }) => items.every(({ status }) => status?.status !== undefined));
}

async function readyPods(access: ServerAccess): Promise<number> {
  const { items } = (await readJson(access, "/apis/apps/v1/deployments")) as Items; // as above
  return items.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}
