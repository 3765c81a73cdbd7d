// The folder of the server's keys. It rejects folders and links through which other users could redirect reads and
// writes.
import { statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { secureDataFolder } from "../../apimachinery/meta/files/data-folder.ts";
import {
  ForeignFileError,
  OWNER_ONLY_FILE,
  readTrustedFile,
} from "../../apimachinery/meta/files/private-file.ts";
import { makeFolder } from "../../apimachinery/meta/folders.ts";
import { CredentialsError } from "./token-file.ts";

const FOLDER_MODE = 0o700;
/** Keys and certificates have a few KB, sessions some hundred bytes each. */
const BYTES_MAX = 16 * 1024 * 1024;

/** undefined: the file does not exist. Throws CredentialsError. */
export function readKeyFile(path: string): string | undefined {
  const folder = dirname(path);
  try {
    secureDataFolder(folder);
    const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
    return readTrustedFile(path, BYTES_MAX, owner)?.text;
  } catch (cause) {
    const why = cause instanceof ForeignFileError ? `: ${cause.message}` : "";
    throw new CredentialsError(`${path} cannot be read${why}`, { cause });
  }
}

/** The file must not exist. Throws the system's error or ForeignFileError. */
export function createKeyFile(path: string, text: string, mode = OWNER_ONLY_FILE): void {
  makeKeyFolder(dirname(path));
  writeFileSync(path, text, { mode, flag: "wx" });
}

/** Throws the system's error or ForeignFileError. */
export function makeKeyFolder(folder: string): void {
  secureDataFolder(folder);
  makeFolder(folder, FOLDER_MODE);
}
