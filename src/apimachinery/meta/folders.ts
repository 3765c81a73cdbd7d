// Creates folders on demand.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates the folder and its missing parents, one by one. Below /proc, which reports only that a folder is missing,
 * Node's recursive mkdir loops forever. Throws the system's error.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
