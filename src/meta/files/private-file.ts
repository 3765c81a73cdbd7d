// Files for their owner alone: readable by no other user at any moment, complete or absent, and never written or read
// through a link of another user.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { lstat, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import process from "node:process";
import { isTrustedOwner, NO_FOLLOW } from "./ownership.ts";

export const OWNER_ONLY_FILE = 0o600;

/** A text, or chunks as they come. */
type Content = string | Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

export interface PrivateFileOptions {
  /** Looks at the whole file before it is moved into its place; what it throws keeps the file from being there. */
  readonly check?: (unfinished: string) => Promise<void>;
  /** Waits until the disk has it. */
  readonly flush?: boolean;
  /** Default: the owner alone may read and write. */
  readonly mode?: number;
}

/**
 * Writes the file under another name and moves it into its place. A link of one's own is followed, any other one is
 * replaced. Rejects with the system's error.
 */
export async function writePrivateFile(
  path: string,
  content: Content,
  { check, flush = false, mode = OWNER_ONLY_FILE }: PrivateFileOptions = {},
): Promise<void> {
  const target = await targetOf(path);
  const unfinished = `${target}.${process.pid}.part`;
  await rm(unfinished, { force: true }); // of a process that had this number before
  try {
    await writeFile(unfinished, content, { mode, flag: "wx", flush });
    await check?.(unfinished);
    await moveOver(unfinished, target, mode);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Where a link of one's own leads; else the path itself. */
async function targetOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() !== true || !isTrustedOwner(found)) return path;
  return await realpath(path).catch(() => path); // a link to nowhere is replaced
}

/** A file that is mounted (into a container) cannot be replaced: then it is written, once it is its owner's alone. */
async function moveOver(unfinished: string, target: string, mode: number): Promise<void> {
  try {
    await rename(unfinished, target);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EBUSY") throw error;
    const file = await open(target, constants.O_WRONLY | NO_FOLLOW);
    try {
      await file.chmod(mode);
      await file.truncate();
      await file.writeFile(await readFile(unfinished));
    } finally {
      await file.close();
    }
  }
}

/** A file that is not read, because another user may have put it there; the message names it. */
export class ForeignFileError extends Error {}

export interface TrustedFile {
  readonly text: string;
  /** Of the file that was read. */
  readonly uid: number;
  readonly mode: number;
}

/**
 * A regular file of the user or of root; a link counts if it belongs to one of them, too. undefined: nothing exists at the
 * path. Throws ForeignFileError, also where the file is larger, and the system's error.
 */
export function readTrustedFile(path: string, bytesMax: number): TrustedFile | undefined {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (link === undefined) return undefined;
  if (link.isSymbolicLink() && !isTrustedOwner(link))
    throw new ForeignFileError(`${path} is a link of another user (uid ${link.uid})`);
  const real = link.isSymbolicLink() ? realpathSync(path) : path;
  // Without O_NONBLOCK a named pipe would keep the process waiting.
  const descriptor = openSync(real, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new ForeignFileError(`${path} is no regular file`);
    if (!isTrustedOwner(stats))
      throw new ForeignFileError(`${path} belongs to another user (uid ${stats.uid})`);
    if (stats.size > bytesMax) throw new ForeignFileError(`${path} is larger than ${bytesMax} bytes`);
    return { text: readAll(descriptor, stats.size).toString("utf8"), uid: stats.uid, mode: stats.mode };
  } finally {
    closeSync(descriptor);
  }
}

function readAll(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let end = 0;
  while (end < size) {
    const count = readSync(descriptor, bytes, end, size - end, null);
    if (count === 0) break;
    end += count;
  }
  return bytes.subarray(0, end);
}
