// What V8 has compiled, kept from one start to the next in a folder of the user's. V8 runs what it reads there, so nobody
// else may be able to write it: the folder and its files are the user's own and closed to others, or there is no cache.
// Nothing here fails: where the folder cannot be read or written, a start takes as long as without.
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

/** One for each version of Node and of the package, of two to three megabytes each; the oldest go. */
const FILES_MAX = 6;
const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;
const SUFFIX = ".cache";
/** Windows has neither; what lies in a profile there is its user's. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** What was compiled of the built code with this digest by a Node like this one; in `room`, if that is large enough. */
export function keptInCache(digest: string, room?: Buffer): Buffer | undefined {
  return quietly(() => {
    const folder = cacheFolder();
    if (folder === undefined || !isOwn(lstatSync(folder)) || !isOutOfReach(folder)) return undefined;
    return readOwn(join(folder, fileName(digest)), room);
  });
}

/** All of it or nothing is there afterwards, also when several processes keep the same at once. */
export function keepInCache(digest: string, compiled: Uint8Array): void {
  quietly(() => {
    const folder = cacheFolder();
    if (folder === undefined || !makeOwn(folder)) return;
    const name = fileName(digest);
    const part = join(folder, `${name}.${process.pid}`);
    rmSync(part, { force: true }); // of a process that was killed
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
 * Whether what is compiled of the code can be kept, is not kept yet, and no other process makes it. Claims it in that case.
 * `replaces`: what is kept is of no use.
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

/** Whether the process runs that has made the claim; one that was killed leaves it. */
function isHeld(claim: string): boolean {
  const pid = Number(quietly(() => readOwn(claim, undefined))?.toString() ?? Number.NaN);
  return pid > 0 && quietly(() => process.kill(pid, 0)) === true;
}

/** What was claimed has been kept, or cannot be. */
export function leaveCache(digest: string): void {
  quietly(() => {
    const folder = cacheFolder();
    if (folder !== undefined) rmSync(join(folder, claimName(digest)), { force: true });
  });
}

const claimName = (digest: string): string => `${fileName(digest)}.claim`;

/** Undefined when there is none, or none is wanted: Node has that variable for its own. */
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

/** Whether no other user can put another folder, which was unpacked by this one, in the place of the folder. */
function isOutOfReach(folder: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const real = realpathSync(folder);
  for (let above = dirname(real); ; above = dirname(above)) {
    const { uid, gid, mode } = statSync(above);
    const others = gid === user ? OTHERS_MAY_WRITE & 0o007 : OTHERS_MAY_WRITE; // a group of the user's own
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

/** Whether the folder is there, and the user's alone. None is made in a folder that is another's: sudo keeps HOME. */
function makeOwn(folder: string): boolean {
  const missing = missingFolders(dirname(folder));
  if (!isOwn(statSync(dirname(missing[0] ?? folder)))) return false;
  // One by one: where a system has no folders but says only that there are none, Node tries all at once for ever.
  for (const path of [...missing, folder]) {
    if (!isThere(path)) mkdirSync(path, { mode: 0o700 });
  }
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || !isOwn(stats) || !isOutOfReach(folder)) return false;
  if (process.getuid !== undefined && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return true;
}

/** The folder and those above it, as far as they are missing, from the top. */
function missingFolders(folder: string): string[] {
  return isThere(folder) || dirname(folder) === folder ? [] : [...missingFolders(dirname(folder)), folder];
}

function isThere(path: string): boolean {
  return quietly(() => statSync(path)) !== undefined;
}

/** V8 believes what it reads: after a power cut no name may stand for bytes that are not there. */
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
