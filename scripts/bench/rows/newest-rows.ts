// The start on another Node version, by the bench itself on that version: its V8 compiles the code, and the first start
// caches it.
import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { packageFile } from "../../../src/apimachinery/meta/package-files.ts";
import { builtFolder } from "../own-server.ts";
import type { Plan } from "../plan.ts";
import type { Report } from "../report/report.ts";
import type { Row } from "../report/row.ts";

/** The program of the other Node; the rows are measured if it is set. */
const VARIABLE = "NEWEST_NODE";

/** Returns no rows if no other Node is set. */
export async function newestRows(plan: Plan, folder: string): Promise<Row[]> {
  const { [VARIABLE]: node, ...env } = process.env;
  if (node === undefined || node === "") return [];
  const json = join(await mkdtemp(join(folder, "newest-")), "start.json");
  const bench = ["--import", "tsx", packageFile("scripts", "bench.ts"), "--only", "start"];
  const given = [
    "--build",
    builtFolder(),
    "--folder",
    folder,
    "--json",
    json,
    "--rounds",
    String(plan.rounds),
  ];
  const how = [...(plan.quick ? ["--quick"] : []), ...(plan.alone ? ["--alone"] : [])];
  await promisify(execFile)(node, [...bench, ...given, ...how], { env });
  const report: Report = JSON.parse(await readFile(json, "utf8"));
  return report.rows.map((row) => ({
    ...row,
    id: row.id.replace("start/", "start-newest/"),
    operation: `${row.operation}, Node ${report.node}`,
  }));
}
