// The file by which a program that has started a server learns that it is ready, and where.

import { rm, stat } from "node:fs/promises";
import process from "node:process";
import { writePrivateFile } from "../../meta/files/private-file.ts";
import { errorText, StartError } from "../errors.ts";

const READABLE = 0o666;

export interface ReadyFacts {
  readonly url: string;
  /** "" when none was written. */
  readonly kubeconfig: string;
}

/** `umask` is that of the process as it was started. Without a path there is no file. Throws StartError. */
export async function writeReadyFile(
  path: string | undefined,
  { url, kubeconfig }: ReadyFacts,
  umask: number,
): Promise<void> {
  if (path === undefined) return;
  try {
    const text = `${JSON.stringify({ url, kubeconfig, pid: process.pid })}\n`;
    // It holds no secret. Commands that are given the file trust it, so that the umask alone decides.
    await writePrivateFile(path, text, { mode: READABLE & ~umask });
  } catch (cause) {
    throw new StartError(`the file ${path} cannot be written (${errorText(cause)})`, { cause });
  }
}

/** Removes it when the server stops; none there is no failure. */
export async function removeReadyFile(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() === true) await rm(path, { force: true });
}
