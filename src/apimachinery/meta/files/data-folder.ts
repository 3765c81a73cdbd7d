// Folders of a server (its store, its keys) below folders that other users may write to. Entries of other users are
// rejected. The server removes other users' write permission from its own folder before it trusts any entry.
import { chmodSync, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { isOwn, isTrustedOwner, OTHERS_MAY_WRITE } from "./ownership.ts";
import { ForeignFileError } from "./private-file.ts";

/** More links than any system follows. */
const LINKS_MAX = 40;

/** Throws ForeignFileError if a part of the path is a link of neither the user nor root. Missing parts pass. */
export function refuseForeignLinks(path: string): void {
  let links = 0;
  const walk = (target: string): string => {
    const { root } = parse(target);
    let real = root;
    for (const name of target.slice(root.length).split(/[/\\]/).filter(Boolean)) {
      const next = join(real, name);
      const stats = lstatSync(next, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink() !== true) real = next;
      else if (!isTrustedOwner(stats)) throw foreignLink(next, stats);
      else if (++links > LINKS_MAX) throw new ForeignFileError(`${path} has too many links`);
      else real = walk(resolve(real, readlinkSync(next)));
    }
    return real;
  };
  walk(resolve(path));
}

interface Entries {
  /** Which entries are checked. Default: all. */
  readonly isOwnName?: (name: string) => boolean;
  /** Which of them must not be links, even if the user owns them, as after unpacking an archive. Default: none. */
  readonly isNoLink?: (name: string) => boolean;
}

/**
 * Checks a folder before its use: its path and its entries. Removes the write permission of others if the user owns the
 * folder. A missing folder passes. Throws ForeignFileError.
 */
export function secureDataFolder(
  folder: string,
  { isOwnName = () => true, isNoLink = () => false }: Entries = {},
): void {
  refuseForeignLinks(folder);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return;
  closeToOthers(folder, stats);
  for (const name of readdirSync(folder)) {
    if (isOwnName(name)) refuseForeignEntry(join(folder, name), stats, isNoLink(name));
  }
}

/** Permissions stay unchanged on a disk that keeps no modes, or is read-only. */
function closeToOthers(folder: string, stats: Stats): void {
  if (!isOwn(stats) || (stats.mode & OTHERS_MAY_WRITE) === 0) return;
  try {
    chmodSync(folder, stats.mode & 0o7777 & ~OTHERS_MAY_WRITE);
  } catch {
    // The entries are looked at in any case.
  }
}

/** The owner of the folder may have files in it, but no links, which could redirect a more powerful user. */
function refuseForeignEntry(path: string, folder: Stats, isNoLink: boolean): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true && isNoLink)
    throw new ForeignFileError(`${path} is a link, and a store has none: remove it`);
  if (stats === undefined || isTrustedOwner(stats)) return;
  if (stats.isSymbolicLink()) throw foreignLink(path, stats);
  if (stats.uid !== folder.uid)
    throw new ForeignFileError(`${path} belongs to another user (uid ${stats.uid}): remove it`);
}

const foreignLink = (path: string, { uid }: Stats): ForeignFileError =>
  new ForeignFileError(`${path} is a link of another user (uid ${uid}): remove it`);

/** Checks the folder of a file that is to be written. Throws ForeignFileError. */
export const refuseForeignFolder = (file: string): void => refuseForeignLinks(dirname(resolve(file)));
