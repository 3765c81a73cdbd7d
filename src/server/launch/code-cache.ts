// V8's code cache, kept from one start to the next in a folder of the user. V8 executes what it reads there, so no
// other user may be able to write it. Without a folder and files that are the user's own and closed to others there is
// no cache. Errors are ignored: if the folder cannot be read or written, a start takes as long as without.
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { flagsName } from "./node-flags.ts";
import { readDescriptor } from "./read-bytes.ts";

/**
 * Limit of the files, two to three megabytes each; one per version of Node and of the package. The oldest are removed.
 */
const FILES_MAX = 6;
const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;
const SUFFIX = ".cache";
/** Windows has neither; a profile there belongs to its user. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * The cache for the built code with this digest and this version of Node. It is read into the given buffer if that
 * is large enough.
 */
export function keptInCache(digest: string, room?: Buffer): Buffer | undefined {
  return quietly(() => {
    const folder = cacheFolder();
    if (folder === undefined || !isOwn(lstatSync(folder)) || !isOutOfReach(folder)) return undefined;
    return readOwn(join(folder, fileName(digest)), room);
  });
}

/** Atomic, also when several processes store the same cache concurrently. */
export function keepInCache(digest: string, compiled: Uint8Array): void {
  quietly(() => {
    const folder = cacheFolder();
    if (folder === undefined || !makeOwn(folder)) return;
    const name = fileName(digest);
    const part = join(folder, `${name}.${process.pid}`);
    rmSync(part, { force: true }); // left by a killed process
    try {
      writeDurably(part, compiled);
      renameSync(part, join(folder, name));
    } finally {
      rmSync(part, { force: true });
    }
    removeOldest(folder);
  });
}

/**
 * Whether a cache for the code can be stored, is missing, and no other process creates it. If so, the caller owns the
 * claim (a lock file). `replaces`: the existing cache is unusable.
 */
export function claimCache(digest: string, replaces: boolean): boolean {
  const isClaimed = quietly(() => {
    const folder = cacheFolder();
    if (folder === undefined || !makeOwn(folder)) return false;
    if (!replaces && isThere(join(folder, fileName(digest)))) return false;
    const claim = join(folder, claimName(digest));
    if (!isHeld(claim)) rmSync(claim, { force: true });
    writeFileSync(claim, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  });
  return isClaimed === true;
}

/** Whether the process that owns the claim is running; a killed one leaves its claim behind. */
function isHeld(claim: string): boolean {
  const pid = Number(quietly(() => readOwn(claim, undefined))?.toString() ?? Number.NaN);
  return pid > 0 && quietly(() => process.kill(pid, 0)) === true;
}

/** Releases the claim, after success or failure. */
export function leaveCache(digest: string): void {
  quietly(() => {
    const folder = cacheFolder();
    if (folder !== undefined) rmSync(join(folder, claimName(digest)), { force: true });
  });
}

const claimName = (digest: string): string => `${fileName(digest)}.claim`;

/** Undefined if there is none, or Node's own variable disables it. */
function cacheFolder(): string | undefined {
  const { env, platform } = process;
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const given = platform === "win32" ? env["LOCALAPPDATA"] : env["XDG_CACHE_HOME"];
  const usual = join(homedir(), platform === "darwin" ? "Library/Caches" : ".cache");
  const base = given !== undefined && isAbsolute(given) ? given : usual;
  return isAbsolute(base) ? join(base, "egret") : undefined;
}

function fileName(digest: string): string {
  return `${digest}-${process.version}-${process.arch}${flagsName()}${SUFFIX}`;
}

function isOwn({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS_MAY_WRITE) === 0);
}

/** Whether no other user can replace the folder, or one that contains it. */
function isOutOfReach(folder: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const real = realpathSync(folder);
  for (let above = dirname(real); ; above = dirname(above)) {
    const { uid, gid, mode } = statSync(above);
    const others = gid === user ? OTHERS_MAY_WRITE & 0o007 : OTHERS_MAY_WRITE; // the user's own group
    if ((uid !== 0 && uid !== user) || ((mode & others) !== 0 && (mode & STICKY) === 0)) return false;
    if (above === dirname(above)) return true;
  }
}

function readOwn(file: string, room: Buffer | undefined): Buffer | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | NO_FOLLOW);
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() && isOwn(stats) ? readDescriptor(descriptor, room) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether the folder exists or can be created, and only the user has access. Creates nothing in a folder of another
 * user, because sudo keeps HOME.
 */
function makeOwn(folder: string): boolean {
  const missing = missingFolders(dirname(folder));
  if (!isOwn(statSync(dirname(missing[0] ?? folder)))) return false;
  // One by one: on file systems without folders, which report only that the folder is missing, Node's recursive mkdir
  // loops forever.
  for (const path of [...missing, folder]) {
    if (!isThere(path)) mkdirSync(path, { mode: 0o700 });
  }
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || !isOwn(stats) || !isOutOfReach(folder)) return false;
  if (process.getuid !== undefined && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return true;
}

/** The folder and its missing parents, from the top. */
function missingFolders(folder: string): string[] {
  return isThere(folder) || dirname(folder) === folder ? [] : [...missingFolders(dirname(folder)), folder];
}

function isThere(path: string): boolean {
  return quietly(() => statSync(path)) !== undefined;
}

/**
 * V8 trusts its input. So data is synced before the rename: after a power failure no name may refer to missing bytes.
 */
function writeDurably(file: string, bytes: Uint8Array): void {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const descriptor = openSync(file, O_WRONLY | O_CREAT | O_EXCL | NO_FOLLOW, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => ({ path: join(folder, name), writtenMs: lstatSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { path } of files.slice(FILES_MAX)) rmSync(path, { force: true });
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
