// Reads all of a store that nobody has open, and changes nothing: first record by record, so that every damaged one is
// found, then all of them together as a start would read them.
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Revision } from "../../meta/revision.ts";
import type { Engine } from "../engine.ts";
import { recoverState } from "../mvcc/recovery.ts";
import { EVERY_KEY, type Store, StoreError } from "../store.ts";
import type { Screen } from "../unreadable.ts";
import { engineOn, FORMAT_VERSION, openDatabase, recordPages } from "./level-engine.ts";
import { decodeRecord } from "./record-codec.ts";

/** More damage than this is not told one by one. */
const PROBLEMS_MAX = 100;
/** LevelDB has it in every folder. */
const LEVEL_FILE = "CURRENT";

/** What a store holds now, shown or not. */
export type HeldKeys = Pick<Store, "list" | "unreadable">;

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

/** What is checked beyond the records. */
export interface ContentCheck {
  readonly screen: Screen;
  /** Returns what is wrong with the keys that are there now, those that are not shown included. */
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
