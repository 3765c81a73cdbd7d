// The process itself: how soon it answers, what memory it takes, how soon the engine has assigned an address. Only
// for a server that the bench has started.
import { execFileSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type EgretProcess, startEgret } from "../../test/support/egret-process.ts";
import { clear, createRequest, EGRESS_IPS, readJson, workers } from "./egress-ips.ts";
import { withConnections } from "./http-connection.ts";
import { compare, measure, type Sample, sampleOf } from "./measure.ts";
import { createNodes } from "./nodes.ts";
import type { Plan } from "./plan.ts";
import type { Row } from "./report.ts";
import { WatchStream } from "./watch-stream.ts";

const NODES = 20;
const ASSIGNMENT_MS_MAX = 30_000;

export interface Started {
  readonly egret: EgretProcess;
  /** From the start of the process to the first answer about EgressIPs. */
  readonly ms: number;
}

export async function start(dataDir: string, flags: readonly string[] = []): Promise<Started> {
  const from = performance.now();
  const egret = await startEgret(["--data-dir", dataDir, "--kubeconfig", "", ...flags]);
  await readJson(egret.url, `${EGRESS_IPS}?limit=1`);
  return { egret, ms: performance.now() - from };
}

/** Starts on empty stores, the shortest of the rounds, since everything else that runs only adds to it. */
export async function serverRows(plan: Plan, folder: string): Promise<Row[]> {
  const times: number[] = [];
  const rss: number[] = [];
  let assigned: Row | undefined;
  for (let round = 0; round < plan.rounds; round++) {
    const { egret, ms } = await start(await mkdtemp(join(folder, "empty-")));
    await using running = egret;
    times.push(ms);
    rss.push(rssMebibytes(running.pid));
    assigned ??= await assignmentRow(running.url, plan.assigned);
    await running.stop();
  }
  return [
    { operation: "start to first answer, empty store", value: Math.min(...times), unit: "ms" },
    { operation: "memory at rest (RSS), empty store", value: Math.min(...rss), unit: "MiB" },
    ...(assigned ? [assigned] : []),
  ];
}

/** Stops the server and starts it again on what it has stored; the new one is stopped too. */
export async function restartRows(egret: EgretProcess, dataDir: string, what: string): Promise<Row[]> {
  const rss = rssMebibytes(egret.pid);
  const from = performance.now();
  await egret.stop();
  const stopMs = performance.now() - from;
  const { egret: again, ms } = await start(dataDir);
  const rssAgain = rssMebibytes(again.pid);
  await again.stop();
  return [
    { operation: `memory after all of this, ${what}`, value: rss, unit: "MiB" },
    { operation: "SIGTERM to exit", value: stopMs, unit: "ms" },
    { operation: `start to first answer, ${what}`, value: ms, unit: "ms" },
    { operation: `memory after that start, ${what}`, value: rssAgain, unit: "MiB" },
  ];
}

function rssMebibytes(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

/** An EgressIP is created; its second event is the one with which its address has a node. */
async function assignmentRow(url: string, count: number): Promise<Row> {
  await createNodes(url, NODES);
  const result = await compare(1, () => assignments(url, count));
  const { items } = (await readJson(url, EGRESS_IPS)) as { items: { status?: { items: unknown[] } }[] };
  const left = items.filter(({ status }) => status?.items.length !== 1).length;
  if (left > 0) throw new Error(`${left} EgressIPs have no node`);
  await clear(url);
  return { operation: `EgressIP created to assigned, ${NODES} nodes`, clients: 1, ...result };
}

async function assignments(url: string, count: number): Promise<Sample> {
  const waiting = new Map<number, { events: number; done(): void }>();
  const onSeq = (seq: number) => {
    const entry = waiting.get(seq);
    if (entry !== undefined && ++entry.events === 2) entry.done();
  };
  const stream = await WatchStream.open(url, `${EGRESS_IPS}?watch=true`, onSeq);
  try {
    return await withConnections(url, 1, async (connections) => {
      const [create] = workers(connections, 201, (n) => createRequest(`bench-assigned-${n}`, n, { seq: n }));
      const from = performance.now();
      const step = async (number: number) => {
        const assigned = new Promise<void>((done) => waiting.set(number, { events: 0, done }));
        await create?.(number);
        await assigned;
      };
      const sample = await measure([step], { msMax: ASSIGNMENT_MS_MAX, countMax: count });
      return sampleOf(sample.delaysMs, performance.now() - from);
    });
  } finally {
    stream.close();
  }
}
