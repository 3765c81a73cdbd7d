// Folders for one user only: created with that mode, and never inside a folder that another user can change.
import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { isOwn, OTHERS, securePath } from "./ownership.ts";

const OWNER_ONLY = 0o700;

/** The problem, as the end of a sentence about the folder. */
export class PrivateFolderError extends Error {}

/**
 * Returns the path without links of an existing folder that no other user can read or change. Throws PrivateFolderError
 * or the system's error.
 */
export function privateFolder(path: string): string {
  const secure = securePath(path);
  if ("problem" in secure) throw new PrivateFolderError(secure.problem);
  const stats = lstatSync(secure.real);
  if (!stats.isDirectory()) throw new PrivateFolderError("it is no folder");
  if (!isOwn(stats)) throw new PrivateFolderError(`it belongs to user ${stats.uid}`);
  if (process.geteuid !== undefined && (stats.mode & OTHERS) !== 0)
    throw new PrivateFolderError("other users may read or change it");
  return secure.real;
}

/**
 * As privateFolder, but creates the folder and its missing parents, and removes the access of others from an existing
 * one. Creates nothing in a folder of another user, because sudo keeps HOME. Throws PrivateFolderError or the system's
 * error.
 */
export function makePrivateFolder(path: string): string {
  const missing = missingFolders(path);
  const above = dirname(missing[0] ?? path);
  // The existing parent must belong to the user or to root.
  if (missing.length > 0 && !isOwn(statSync(above)) && !isShared(above))
    throw new PrivateFolderError(`${above} belongs to another user`);
  // One by one: on file systems without folders, which report only that the folder is missing, Node's recursive mkdir
  // loops forever.
  for (const folder of missing) mkdirSync(folder, { mode: OWNER_ONLY });
  const stats = lstatSync(path);
  if (missing.length === 0 && stats.isDirectory() && isOwn(stats) && (stats.mode & OTHERS) !== 0)
    chmodSync(path, stats.mode & 0o7777 & ~OTHERS);
  return privateFolder(path);
}

/** Owned by root, such as /tmp. */
const isShared = (folder: string): boolean => statSync(folder).uid === 0;

function missingFolders(path: string): string[] {
  const isMissing = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  return isMissing && dirname(path) !== path ? [...missingFolders(dirname(path)), path] : [];
}
