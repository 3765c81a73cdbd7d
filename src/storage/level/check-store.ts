// Reads all of a store that nobody has open, and changes nothing: first record by record, so that every damaged one is
// found, then all of them together as a start would read them.
import { access } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import type { Revision } from "../../meta/revision.ts";
import type { Engine } from "../engine.ts";
import { recoverState } from "../mvcc/recovery.ts";
import { StoreError } from "../store.ts";
import { FORMAT_VERSION, openError, openLevelEngine, readError } from "./level-engine.ts";
import { decodeRecord, RECORDS_FROM, RECORDS_TO } from "./record-codec.ts";

/** More damage than this is not told one by one. */
const PROBLEMS_MAX = 100;
const PAGE_RECORDS = 1000;
const EVERY_KEY = { from: "", to: "\uffff" };
/** LevelDB has it in every folder. */
const LEVEL_FILE = "CURRENT";

export interface StoreReport {
  readonly format: string;
  readonly records: number;
  /** How many there are now. */
  readonly objects: number;
  /** From this revision on states can be read, up to the newest. */
  readonly compacted: Revision | undefined;
  readonly revision: Revision | undefined;
  readonly problems: readonly string[];
}

/** Throws LOCKED, FORMAT_VERSION, and UNREADABLE where there is no store or LevelDB itself finds it damaged. */
export async function checkStore(folder: string): Promise<StoreReport> {
  await access(join(folder, LEVEL_FILE)).catch((cause: unknown) => {
    throw new StoreError("UNREADABLE", `there is no store in ${folder}`, { cause });
  });
  const engine = await openLevelEngine(folder); // of another format it says so
  await engine.close();
  const { records, problems } = await readAll(folder);
  const rest = { format: FORMAT_VERSION, records };
  if (problems.length > 0) return { ...rest, ...NOTHING, problems };
  return { ...rest, ...(await readTogether(folder)) };
}

const NOTHING = { objects: 0, compacted: undefined, revision: undefined };

async function readAll(folder: string): Promise<Pick<StoreReport, "records" | "problems">> {
  const db = new Level<Buffer, Buffer>(folder, {
    keyEncoding: "buffer",
    valueEncoding: "buffer",
    createIfMissing: false,
  });
  await db.open().catch((error: unknown) => {
    throw openError(folder, error);
  });
  const iterator = db.iterator({ gte: RECORDS_FROM, lt: RECORDS_TO });
  const problems: string[] = [];
  let records = 0;
  try {
    for (
      let page = await iterator.nextv(PAGE_RECORDS);
      page.length > 0;
      page = await iterator.nextv(PAGE_RECORDS)
    ) {
      records += page.length;
      for (const [key, value] of page) {
        const damaged = decodeRecord(key, value) === undefined;
        if (damaged && problems.length < PROBLEMS_MAX)
          problems.push(`record ${key.toString("hex")} is damaged`);
      }
    }
  } catch (error) {
    throw readError(folder, error);
  } finally {
    await iterator.close();
    await db.close();
  }
  return { records, problems };
}

type Together = Pick<StoreReport, "objects" | "compacted" | "revision" | "problems">;

async function readTogether(folder: string): Promise<Together> {
  const engine = await openLevelEngine(folder);
  const readOnly: Engine = { ...engine, write: async () => {} };
  try {
    const state = await recoverState(readOnly);
    const objects = state.count(EVERY_KEY);
    return { objects, compacted: state.compacted, revision: state.revision, problems: [] };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...NOTHING, problems: [error.message] };
  } finally {
    await engine.close();
  }
}
