// Verifies LevelDB's files before LevelDB opens them: it silently skips what it cannot read in its logs and tables.
// LevelDB verifies its manifest itself.
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inSlices } from "../../../apimachinery/meta/lists.ts";
import { damagedData } from "../../engine.ts";
import { readLog } from "./log-records.ts";
import { tablesOf } from "./manifest.ts";
import { findDamagedBlock } from "./table-blocks.ts";

const LOG = /^\d+\.log$/;
const TABLE = /^\d+\.(ldb|sst)$/;
/** A folder in which LevelDB was interrupted during creation has no log yet, and this manifest. */
const FIRST_MANIFEST = "MANIFEST-000001";

/** Throws UNREADABLE if acknowledged data would be missing. A folder without a database passes. */
export async function checkFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []); // LevelDB reports problems of the folder itself
  if (!names.includes("CURRENT")) return;
  await checkLogs(folder, names);
  await checkTables(folder, names);
}

async function checkLogs(folder: string, names: readonly string[]): Promise<void> {
  const logs = names.filter((name) => LOG.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
  if (logs.length === 0 && !names.includes(FIRST_MANIFEST)) throw damagedData(folder, "its log is missing");
  for (const name of logs) {
    const { unreadable } = readLog(await readFile(join(folder, name)));
    // Only the last log can have been written to when the machine failed.
    if (unreadable === undefined || (unreadable.torn && name === logs.at(-1))) continue;
    throw damagedData(folder, `the record at byte ${unreadable.at} of ${name} cannot be read`);
  }
}

/**
 * A table of about 2 MB is read in one piece. Yielding between its parts would leave the main thread idle half the
 * time.
 */
async function checkTables(folder: string, names: readonly string[]): Promise<void> {
  const known = await knownTables(folder);
  const tables = names.filter((name) => TABLE.test(name) && known.has(numberOf(name)));
  await inSlices(tables, (name) => {
    const at = findDamagedBlock(readFileSync(join(folder, name)));
    if (at !== undefined) throw damagedData(folder, `the block at byte ${at} of ${name} cannot be read`);
  });
}

/** Empty if the manifest cannot be read: LevelDB then refuses to open. */
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
