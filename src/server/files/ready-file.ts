// The ready file: it notifies the program that started the server, and holds the server's address.

import { rm, stat } from "node:fs/promises";
import process from "node:process";
import { writePrivateFile } from "../../apimachinery/meta/files/private-file.ts";
import { errorText, StartError } from "../errors.ts";

const READABLE = 0o666;

export interface ReadyFacts {
  readonly url: string;
  /** "" when no kubeconfig was written. */
  readonly kubeconfig: string;
}

/** `umask` is the initial umask of the process. Without a path no file is written. Throws StartError. */
export async function writeReadyFile(
  path: string | undefined,
  { url, kubeconfig }: ReadyFacts,
  umask: number,
): Promise<void> {
  if (path === undefined) return;
  try {
    const text = `${JSON.stringify({ url, kubeconfig, pid: process.pid })}\n`;
    // The file holds no secret. Commands that read it trust it, so the umask alone decides on its mode.
    await writePrivateFile(path, text, { mode: READABLE & ~umask });
  } catch (cause) {
    throw new StartError(`the file ${path} cannot be written (${errorText(cause)})`, { cause });
  }
}

/** Removes the file when the server stops. A missing file is no error. */
export async function removeReadyFile(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() === true) await rm(path, { force: true });
}
