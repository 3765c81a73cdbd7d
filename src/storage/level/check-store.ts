// Offline check of a store that no process has open. It changes nothing. It first checks each record by itself, so that
// every damaged one is found, and then recovers the state as a start does.
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import type { Engine } from "../engine.ts";
import { recoverState } from "../mvcc/recovery.ts";
import { EVERY_KEY, type Store, StoreError } from "../store.ts";
import type { Screen } from "../unreadable.ts";
import { engineOn, FORMAT_VERSION, openDatabase, recordPages } from "./level-engine.ts";
import { decodeRecord } from "./record-codec.ts";

/** Limit of the reported problems. */
const PROBLEMS_MAX = 100;
/** Every LevelDB folder contains it. */
const LEVEL_FILE = "CURRENT";

/** What a store currently holds, whether it is served or not. */
export type HeldKeys = Pick<Store, "list" | "unreadable">;

export interface StoreReport {
  readonly format: string;
  readonly records: number;
  /** Number of live keys. */
  readonly objects: number;
  /** The oldest readable revision. */
  readonly compacted: Revision | undefined;
  readonly revision: Revision | undefined;
  readonly problems: readonly string[];
}

/** A check of the contents, beyond that of the records. */
export interface ContentCheck {
  readonly screen: Screen;
  /** Returns the problems of the live keys, of unreadable ones, too. */
  problemsOf(state: HeldKeys): readonly string[];
}

/** Throws LOCKED, FORMAT_VERSION, and UNREADABLE where there is no store or LevelDB itself finds it damaged. */
export async function checkStore(folder: string, check?: ContentCheck): Promise<StoreReport> {
  await access(join(folder, LEVEL_FILE)).catch((cause: unknown) => {
    throw new StoreError("UNREADABLE", `there is no store in ${folder}`, { cause });
  });
  const db = await openDatabase(folder);
  const problems: string[] = [];
  let records = 0;
  try {
    for await (const page of recordPages(db, folder)) {
      records += page.length;
      for (const [key, value] of page) {
        const damaged = decodeRecord(key, value) === undefined;
        if (damaged && problems.length < PROBLEMS_MAX)
          problems.push(`record ${key.toString("hex")} is damaged`);
      }
    }
    const report = { format: FORMAT_VERSION, records };
    if (problems.length > 0) return { ...report, ...NOTHING, problems };
    return { ...report, ...(await readTogether(engineOn(db, folder), check)) };
  } finally {
    await db.close();
  }
}

const WRITES_NOTHING = { write: async () => {}, markScreened: async () => {} };
const NOTHING = { objects: 0, compacted: undefined, revision: undefined };

async function readTogether(
  engine: Engine,
  check: ContentCheck | undefined,
): Promise<Omit<StoreReport, "format" | "records">> {
  try {
    const deep: Screen | undefined = check && ((kv) => check.screen(kv, true));
    const state = await recoverState({ ...engine, ...WRITES_NOTHING }, deep);
    const { compacted, revision } = state;
    const problems = check?.problemsOf(state) ?? [];
    return { objects: state.count(EVERY_KEY), compacted, revision, problems };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...NOTHING, problems: [error.message] };
  }
}
