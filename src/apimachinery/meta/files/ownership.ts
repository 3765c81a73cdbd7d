// Rules by owner and mode: which files and folders other users of the machine can change. They apply to all trusted
// reads and writes.
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

/** Owned by the user, and writable by no other user. */
export const isOwnAlone = (stats: Omit<Owned, "gid">): boolean =>
  isOwn(stats) && (userId() === undefined || (stats.mode & OTHERS_MAY_WRITE) === 0);

/**
 * Whether only their owners, the user and root can rename or replace entries of this folder. A group whose number is
 * the user id counts as the user's own, since many systems create one per user.
 */
function keepsEntries(stats: Owned): boolean {
  const user = userId();
  if (user === undefined) return true;
  const others = stats.gid === user ? OTHERS_MAY_WRITE & 0o007 : OTHERS_MAY_WRITE;
  return isTrustedOwner(stats) && ((stats.mode & others) === 0 || (stats.mode & STICKY) !== 0);
}

/**
 * Returns the path without links if no other user can redirect it; otherwise the problem, as the end of a sentence.
 * Throws the system's error if the path does not exist.
 */
export function securePath(path: string): { readonly real: string } | { readonly problem: string } {
  const real = realpathSync(path);
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!keepsEntries(statSync(folder))) return { problem: `other users may change ${folder}` };
    if (folder === dirname(folder)) return { real };
  }
}

/** Whether the path is a link of neither the user nor root. False if nothing exists. */
export function isForeignLink(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true && !isTrustedOwner(stats);
}
