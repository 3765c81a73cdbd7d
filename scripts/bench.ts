// npm run bench: what the built server can do over a real socket, beside what fastify and LevelDB alone can do in the
// same run. `--server URL` measures a server that runs already, `--quick` only shows that everything works.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { clear } from "./bench/egress-ips.ts";
import { engineRows } from "./bench/engine-rows.ts";
import { listRows } from "./bench/list-rows.ts";
import { objectRows } from "./bench/object-rows.ts";
import { planFor, type Target } from "./bench/plan.ts";
import { startRawServer } from "./bench/raw/raw-process.ts";
import { type Row, reportOf, tableOf, writeJson } from "./bench/report.ts";
import { restartRows, serverRows, start } from "./bench/server-rows.ts";
import { watchRows } from "./bench/watch-rows.ts";

const { values: flags } = parseArgs({
  options: {
    server: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    folder: { type: "string", default: tmpdir() },
  },
});

const startedAt = new Date();
const folder = await mkdtemp(join(flags.folder, "egret-bench-"));
try {
  const rows = flags.server === undefined ? await ownServer() : await otherServer(flags.server);
  const report = reportOf(flags.server ?? "the built server", flags.quick, startedAt, rows);
  process.stdout.write(tableOf(report));
  if (flags.json !== undefined) await writeJson(flags.json, report);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The API rows are measured without the engine, whose own writes would take their share. */
async function ownServer(): Promise<Row[]> {
  const plan = planFor(flags.quick);
  const rows = [...(await serverRows(plan, folder)), ...(await engineRows(plan, folder))];
  const dataDir = join(folder, "data");
  const { egret } = await start(dataDir, ["--controllers", "*,-egressip,-serviceaccount,-root-ca-publisher"]);
  await using running = egret;
  await using raw = await startRawServer();
  const target = { plan, url: running.url, rawUrl: raw.url, folder };
  return [
    ...rows,
    ...(await apiRows(target)),
    ...(await restartRows(running, dataDir, `${plan.listed} EgressIPs and this run's history`)),
  ];
}

async function otherServer(url: string): Promise<Row[]> {
  await using raw = await startRawServer();
  await clear(url);
  try {
    return await apiRows({ plan: planFor(flags.quick), url, rawUrl: raw.url, folder });
  } finally {
    await clear(url);
  }
}

async function apiRows(target: Target): Promise<Row[]> {
  return [...(await objectRows(target)), ...(await listRows(target)), ...(await watchRows(target))];
}
