// Files for their owner alone: readable by nobody else at any moment, whole or not there, and never written through a
// link that somebody else has laid.
import { constants } from "node:fs";
import { lstat, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import process from "node:process";

const OWNER_ONLY = 0o600;

/** A text, or chunks as they come. */
type Content = string | AsyncIterable<Uint8Array | string>;

export interface PrivateFileOptions {
  /** Looks at the whole file before it is moved into its place; what it throws keeps the file from being there. */
  readonly check?: (unfinished: string) => Promise<void>;
  /** Waits until the disk has it. */
  readonly flush?: boolean;
}

/**
 * Writes the file under another name and moves it into its place. A link of one's own is followed, any other one is
 * replaced. Rejects with the system's error.
 */
export async function writePrivateFile(
  path: string,
  content: Content,
  { check, flush = false }: PrivateFileOptions = {},
): Promise<void> {
  const target = await targetOf(path);
  const unfinished = `${target}.${process.pid}.part`;
  await rm(unfinished, { force: true }); // of a process that had this number before
  try {
    await writeFile(unfinished, content, { mode: OWNER_ONLY, flag: "wx", flush });
    await check?.(unfinished);
    await moveOver(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Where a link of one's own leads; else the path itself. */
async function targetOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() !== true || found.uid !== process.getuid?.()) return path;
  return await realpath(path).catch(() => path); // a link to nowhere is replaced
}

/** A file that is mounted (into a container) cannot be replaced: then it is written, once it is its owner's alone. */
async function moveOver(unfinished: string, target: string): Promise<void> {
  try {
    await rename(unfinished, target);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EBUSY") throw error;
    const file = await open(target, constants.O_WRONLY | constants.O_NOFOLLOW);
    try {
      await file.chmod(OWNER_ONLY);
      await file.truncate();
      await file.writeFile(await readFile(unfinished));
    } finally {
      await file.close();
    }
  }
}
