// A store is its owner's alone: the folder, and the files in it, which LevelDB makes as the process' umask lets it.
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const FOLDER_MODE = 0o700;
/** What everybody but the owner may do. */
const OTHERS = 0o077;
/** What LevelDB writes. */
const OWN_FILES = /^(?:CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(?:ldb|log|sst|dbtmp))$/;
/** What else a server keeps there, under modes of its own. */
const OTHER_ENTRIES = new Set(["pki"]);

/**
 * Makes the folder, or takes it and the store's files from everybody else. A folder that holds other things, too, is
 * left as it is. What belongs to somebody else cannot be changed, and is left. Rejects when the folder cannot be made
 * or read.
 */
export async function keepToOwner(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const names = await readdir(folder);
  const own = names.filter((name) => OWN_FILES.test(name)).map((name) => join(folder, name));
  const isStoreAlone = names.every((name) => OWN_FILES.test(name) || OTHER_ENTRIES.has(name));
  await Promise.all([...own, ...(isStoreAlone ? [folder] : [])].map((path) => takeFromOthers(path)));
}

/** What the owner himself may not do stays so. */
async function takeFromOthers(path: string): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS) !== 0) await chmod(path, mode & 0o7777 & ~OTHERS);
  } catch (error) {
    ignoreForeign(error);
  }
}

/** Of another owner, on a disk that keeps no modes, or gone meanwhile. */
function ignoreForeign(error: unknown): void {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "EPERM" && code !== "ENOENT" && code !== "ENOTSUP" && code !== "EROFS") throw error;
}
