// Files with access for their owner only: never readable by other users, complete or absent, and never written or read
// through a link of another user.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import {
  type FileHandle,
  lstat,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import process from "node:process";
import { isTrustedOwner, NO_FOLLOW } from "./ownership.ts";

export const OWNER_ONLY_FILE = 0o600;

/** A text, or a stream of chunks. */
type Content = string | Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

export interface PrivateFileOptions {
  /** Verifies the complete file before it is moved to its path; an error prevents that. */
  readonly check?: (unfinished: string) => Promise<void>;
  /** Waits for fsync. */
  readonly flush?: boolean;
  /** Default: read and write for the owner. The umask does not apply. */
  readonly mode?: number;
  /** Also replaces a link of the user: it may have come with the folder. */
  readonly replacesLinks?: boolean;
}

/** Another user may have created the file; the message names it. */
export class ForeignFileError extends Error {}

/**
 * Writes a temporary file and renames it to the path. A link of the user is followed, any other one is replaced. A path
 * that is no regular file (a terminal, a named pipe) is written directly, without the check. Rejects with the system's
 * error or ForeignFileError.
 */
export async function writePrivateFile(
  path: string,
  content: Content,
  { check, flush = false, mode = OWNER_ONLY_FILE, replacesLinks = false }: PrivateFileOptions = {},
): Promise<void> {
  const link = await lstat(path).catch(() => undefined);
  const isFollowed = link?.isSymbolicLink() === true && isTrustedOwner(link) && !replacesLinks;
  if (await isStream(path, isFollowed)) return await writeStream(path, content);
  const target = isFollowed ? await realpath(path).catch(() => path) : path; // a dangling link is replaced
  const unfinished = `${target}.${process.pid}.part`;
  await rm(unfinished, { force: true }); // left over from a process with the same number
  try {
    await createFile(unfinished, content, { mode, flush });
    await check?.(unfinished);
    await moveOver(unfinished, target, mode);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function isStream(path: string, follows: boolean): Promise<boolean> {
  const found = await (follows ? stat : lstat)(path).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isDirectory() || found.isSymbolicLink()) return false;
  if (isTrustedOwner(found)) return true;
  throw new ForeignFileError(`${path} belongs to another user (uid ${found.uid})`);
}

async function writeStream(path: string, content: Content): Promise<void> {
  const file = await open(path, constants.O_WRONLY);
  await writeAndClose(file, content, false);
}

async function createFile(
  path: string,
  content: Content,
  { mode, flush }: { readonly mode: number; readonly flush: boolean },
): Promise<void> {
  const file = await open(path, "wx", mode & OWNER_ONLY_FILE);
  await writeAndClose(file, content, flush, mode);
}

async function writeAndClose(
  file: FileHandle,
  content: Content,
  flush: boolean,
  mode = OWNER_ONLY_FILE,
): Promise<void> {
  try {
    await writeFile(file, content);
    if (mode !== OWNER_ONLY_FILE) await file.chmod(mode);
    if (flush) await file.sync();
  } finally {
    await file.close();
  }
}

/** A mounted file (in a container) cannot be replaced: it is overwritten, once only its owner can access it. */
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

/** Synchronous variant of writePrivateFile for short texts; no link is followed. Throws the system's error. */
export function writePrivateFileSync(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.part`;
  rmSync(unfinished, { force: true });
  try {
    const descriptor = openSync(unfinished, "wx", OWNER_ONLY_FILE);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

export interface TrustedFile {
  readonly text: string;
  /** Owner of the file. */
  readonly uid: number;
  readonly mode: number;
}

/**
 * Reads a regular file of the user or of root; the same applies to a link. undefined: nothing exists at the path.
 * `orOf`: a further accepted owner. Throws ForeignFileError, also if the file is larger, and the system's error.
 */
export function readTrustedFile(path: string, bytesMax: number, orOf?: number): TrustedFile | undefined {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (link === undefined) return undefined;
  if (link.isSymbolicLink() && !isTrustedOwner(link))
    throw new ForeignFileError(`${path} is a link of another user (uid ${link.uid})`);
  const real = link.isSymbolicLink() ? realpathSync(path) : path;
  // Without O_NONBLOCK a named pipe would block the process.
  const descriptor = openSync(real, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    const { size, uid, mode } = stats;
    if (!stats.isFile()) throw new ForeignFileError(`${path} is no regular file`);
    if (!isTrustedOwner({ uid }) && uid !== orOf)
      throw new ForeignFileError(`${path} belongs to another user (uid ${uid})`);
    if (size > bytesMax) throw new ForeignFileError(`${path} is larger than ${bytesMax} bytes`);
    return { text: readAll(descriptor, size).toString("utf8"), uid, mode };
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
