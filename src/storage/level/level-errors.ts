// LevelDB's failures, told in one line that names the folder and what to do.
import { damagedData } from "../engine.ts";
import { StoreError } from "../store-error.ts";

/** Why a folder cannot be opened, as LOCKED or UNREADABLE. */
export function openError(folder: string, error: unknown): StoreError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = errorCode(cause);
  if (code === "LEVEL_LOCKED") {
    const message = `the data folder ${folder} is in use by another process: stop that one, or choose another folder`;
    return new StoreError("LOCKED", message, { cause });
  }
  if (code === "LEVEL_CORRUPTION") return damagedData(folder, reasonOf(cause), { cause });
  const message = `the data folder ${folder} cannot be opened (${reasonOf(cause)}): make it a folder this process may write to`;
  return new StoreError("UNREADABLE", message, { cause });
}

/** That a folder holds data of another program or version: FORMAT_VERSION. */
export function otherFormatError(folder: string, whose: string): StoreError {
  const message = `the data folder ${folder} holds data ${whose}: choose another folder, or move this one away`;
  return new StoreError("FORMAT_VERSION", message);
}

/** What reading stored records can fail with: LevelDB's own checks found the damage. */
export function readError(folder: string, cause: unknown): StoreError {
  return cause instanceof StoreError ? cause : damagedData(folder, reasonOf(cause), { cause });
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
