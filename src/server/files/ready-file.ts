// The file by which a program that has started a server learns that it is ready, and where.

import { chmod, rm, writeFile } from "node:fs/promises";
import process from "node:process";
import { errorText, StartError } from "../errors.ts";

const READABLE = 0o666;

export interface ReadyFacts {
  readonly url: string;
  /** "" when none was written. */
  readonly kubeconfig: string;
}

/** `umask` is that of the process as it was started. No file for the path "". Throws StartError. */
export async function writeReadyFile(
  path: string,
  { url, kubeconfig }: ReadyFacts,
  umask: number,
): Promise<void> {
  if (path === "") return;
  try {
    await writeFile(path, `${JSON.stringify({ url, kubeconfig, pid: process.pid })}\n`);
    await chmod(path, READABLE & ~umask); // it holds no secret
  } catch (cause) {
    throw new StartError(`the file ${path} cannot be written (${errorText(cause)})`, { cause });
  }
}

export async function removeReadyFile(path: string): Promise<void> {
  if (path !== "") await rm(path, { force: true });
}
