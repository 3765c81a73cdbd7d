// Which files and folders another user of the machine can change: rules for all that is read or written with trust.
import { constants, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/** Write permission of the group and of others. */
export const OTHERS_MAY_WRITE = 0o022;
/** Any permission of the group and of others. */
export const OTHERS = 0o077;
const STICKY = 0o1000;
/** Windows has no such flag. */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

type Owned = Pick<Stats, "uid" | "gid" | "mode">;

/** undefined on systems without user ids, where all rules of this file pass. */
const userId = (): number | undefined => process.geteuid?.();

export function isOwn({ uid }: Pick<Stats, "uid">): boolean {
  const user = userId();
  return user === undefined || uid === user;
}

/** Owned by the user of this process or by root, which could change the process itself. */
export const isTrustedOwner = (stats: Pick<Stats, "uid">): boolean => stats.uid === 0 || isOwn(stats);

/** Owned by the user and writable by the user alone. */
export const isOwnAlone = (stats: Omit<Owned, "gid">): boolean =>
  isOwn(stats) && (userId() === undefined || (stats.mode & OTHERS_MAY_WRITE) === 0);

/**
 * Whether entries of this folder can be renamed or replaced by their owners, by the user and by root alone. A group with the
 * number of the user is the user's own, as systems make it for each user.
 */
function keepsEntries(stats: Owned): boolean {
  const user = userId();
  if (user === undefined) return true;
  const others = stats.gid === user ? OTHERS_MAY_WRITE & 0o007 : OTHERS_MAY_WRITE;
  return isTrustedOwner(stats) && ((stats.mode & others) === 0 || (stats.mode & STICKY) !== 0);
}

/**
 * The path without links, if no other user can lead it elsewhere; else what is wrong, as the end of a sentence. Throws the
 * system's error where the path does not exist.
 */
export function securePath(path: string): { readonly real: string } | { readonly problem: string } {
  const real = realpathSync(path);
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!keepsEntries(statSync(folder))) return { problem: `other users may change ${folder}` };
    if (folder === dirname(folder)) return { real };
  }
}

/** Whether the path is a link that neither the user nor root has made. False where nothing exists. */
export function isForeignLink(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true && !isTrustedOwner(stats);
}
