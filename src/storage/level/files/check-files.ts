// Looks at LevelDB's files before LevelDB does, which would leave out without a word what it cannot read in its logs and
// tables. Its manifest it checks itself.
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inSlices } from "../../../meta/lists.ts";
import { damagedData } from "../../engine.ts";
import { readLog } from "./log-records.ts";
import { tablesOf } from "./manifest.ts";
import { findDamagedBlock } from "./table-blocks.ts";

const LOG = /^\d+\.log$/;
const TABLE = /^\d+\.(ldb|sst)$/;
/** A folder in which LevelDB has only begun to make itself at home has no log yet, and this manifest. */
const FIRST_MANIFEST = "MANIFEST-000001";

/** Throws UNREADABLE when something that was answered would be missing. A folder without a database is sound. */
export async function checkFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []); // what is wrong with the folder LevelDB says better
  if (!names.includes("CURRENT")) return;
  await checkLogs(folder, names);
  await checkTables(folder, names);
}

async function checkLogs(folder: string, names: readonly string[]): Promise<void> {
  const logs = names.filter((name) => LOG.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
  if (logs.length === 0 && !names.includes(FIRST_MANIFEST)) throw damagedData(folder, "its log is missing");
  for (const name of logs) {
    const { unreadable } = readLog(await readFile(join(folder, name)));
    // Only the last one can have been written to when the machine died.
    if (unreadable === undefined || (unreadable.torn && name === logs.at(-1))) continue;
    throw damagedData(folder, `the record at byte ${unreadable.at} of ${name} cannot be read`);
  }
}

/** A table of some 2 MB is read at once: with a turn for each of its parts the main thread would do nothing half the time. */
async function checkTables(folder: string, names: readonly string[]): Promise<void> {
  const known = await knownTables(folder);
  const tables = names.filter((name) => TABLE.test(name) && known.has(numberOf(name)));
  await inSlices(tables, (name) => {
    const at = findDamagedBlock(readFileSync(join(folder, name)));
    if (at !== undefined) throw damagedData(folder, `the block at byte ${at} of ${name} cannot be read`);
  });
}

/** None where the manifest cannot be read: LevelDB then refuses to open. */
async function knownTables(folder: string): Promise<ReadonlySet<number>> {
  try {
    const name = (await readFile(join(folder, "CURRENT"), "utf8")).trim();
    return tablesOf(await readFile(join(folder, name)));
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && "code" in error)) return new Set();
    throw error;
  }
}

const numberOf = (name: string): number => Number.parseInt(name, 10);
