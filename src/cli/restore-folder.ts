// Restores a backup, with its earlier revisions, into a new folder.

import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { StartError } from "../server/errors.ts";
import { restoreLines } from "../storage/backup.ts";
import { openLevelEngine } from "../storage/level/level-engine.ts";
import type { Screen } from "../storage/unreadable.ts";
import { isThere, startError, withProgress } from "./backup-file.ts";
import { print } from "./output.ts";

/** Reports whether a folder holds a store. */
export const holdsStore = (folder: string): Promise<boolean> => isThere(join(folder, "CURRENT"));

/** Restores into a temporary folder, which is removed after a failure. Throws StartError. */
export async function restoreFolder(dataDir: string, file: string, screen: Screen): Promise<void> {
  if (await holdsStore(dataDir)) {
    throw new StartError(`${dataDir} holds a store already: choose another folder, or move it away`);
  }
  const unfinished = `${dataDir}.part`;
  process.umask(0o077); // the store is for its owner only
  try {
    await rm(unfinished, { recursive: true, force: true });
    const revision = await withProgress("read", file, (lines) =>
      restoreInto(unfinished, { lines, file, screen }),
    );
    await rename(unfinished, dataDir);
    print(`${dataDir} holds the store of revision ${revision}\n`);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw startError(error);
  }
}

interface FolderSource {
  readonly lines: AsyncIterable<string>;
  readonly file: string;
  readonly screen: Screen;
}

async function restoreInto(folder: string, { lines, file, screen }: FolderSource): Promise<number> {
  const engine = await openLevelEngine(folder);
  try {
    return await restoreLines(lines, engine, file, screen);
  } finally {
    await engine.close();
  }
}
