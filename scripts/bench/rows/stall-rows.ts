// How long other clients wait while one client sends the worst requests: a server with little memory takes all stalls in
// sequence.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { plainAccess } from "../client/server-access.ts";
import { rssMegabytes } from "../memory.ts";
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";
import { startProbe } from "../stalls/probe.ts";
import { STALLS } from "../stalls/stalls.ts";
import { type Struck, startSmallServer, struck } from "../stalls/struck.ts";

/** A few are enough to check that the rows are produced. */
const QUICK_STALLS = ["yaml/flow-keys", "object/labels", "server/openapi"];

export async function stallRows({ plan, folder }: Bench): Promise<Row[]> {
  const stalls = plan.quick ? STALLS.filter(({ id }) => QUICK_STALLS.includes(id)) : STALLS;
  await using egret = await startSmallServer(await mkdtemp(join(folder, "stalls-")));
  await using probe = await startProbe(egret.url);
  const rows: Row[] = [];
  for (const stall of stalls) rows.push(rowOf(await struck(stall, plainAccess(egret.url), probe)));
  const value = rssMegabytes(egret.pid);
  return [...rows, { id: "stall/memory", operation: "memory after all of them", value, unit: "MB" }];
}

function rowOf({ stall, statuses, figures }: Struck): Row {
  const wrong = statuses.filter((status) => !stall.answers.includes(status));
  if (wrong.length > 0) throw new Error(`${stall.id} was answered with ${wrong.join(", ")}`);
  const answers = [...new Set(statuses)].join(", ");
  return {
    id: `stall/${stall.id}`,
    operation: `${stall.what}${answers === "" ? "" : ` → ${answers}`}`,
    value: figures.longestMs,
    unit: "ms",
    p50Ms: figures.p50Ms,
    p99Ms: figures.p99Ms,
  };
}
