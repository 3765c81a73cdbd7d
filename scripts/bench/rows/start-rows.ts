// The process itself on an empty store: its start time, its memory, its stop time; compared with the minimal server on
// fastify and on Node.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { median } from "../measure.ts";
import { rssMegabytes } from "../memory.ts";
import { start } from "../own-server.ts";
import type { Bench } from "../plan.ts";
import { bareNode, leastServer } from "../raw/raw-process.ts";
import type { Row } from "../report/row.ts";
import { newestRows } from "./newest-rows.ts";

/** On a Node version other than the build's, the first start writes V8's code cache. */
async function once(folder: string): Promise<void> {
  const { egret } = await start(await mkdtemp(join(folder, "first-")));
  await egret.stop();
}

export async function startRows({ plan, folder }: Bench): Promise<Row[]> {
  const ours = {
    ms: [] as number[],
    megabytes: [] as number[],
    stopMs: [] as number[],
  };
  const least = { ms: [] as number[], megabytes: [] as number[] };
  const starts = plan.quick ? 1 : plan.rounds;
  await once(folder);
  for (let round = 0; round < starts; round++) {
    if (!plan.alone) {
      least.ms.push((await bareNode()).ms);
      least.megabytes.push((await leastServer()).megabytes);
    }
    const { egret, ms } = await start(await mkdtemp(join(folder, "empty-")));
    await using running = egret;
    ours.ms.push(ms);
    ours.megabytes.push(rssMegabytes(running.pid));
    const from = performance.now();
    await running.stop();
    ours.stopMs.push(performance.now() - from);
  }
  return [
    {
      id: "start/answer",
      operation: "start to first answer, empty store",
      value: median(ours.ms),
      unit: "ms",
      ...(plan.alone ? {} : { rawValue: median(least.ms), raw: "the least server on Node alone" }),
    },
    {
      id: "start/memory",
      operation: "memory at rest, empty store",
      value: median(ours.megabytes),
      unit: "MB",
      ...(plan.alone ? {} : { rawValue: median(least.megabytes), raw: "the least server on fastify" }),
    },
    {
      id: "start/stop",
      operation: "SIGTERM to exit",
      value: median(ours.stopMs),
      unit: "ms",
    },
    ...(await newestRows(plan, folder)),
  ];
}
