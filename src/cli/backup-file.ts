// Backup files: reading by line, verification and progress on a terminal.

import { createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { RequestError } from "../apiserver/http/kubeconfig/files.ts";
import { StartError } from "../server/errors.ts";
import type { CommandLine } from "../server/options/read-command-line.ts";
import { readBackup } from "../storage/backup.ts";
import { StoreError } from "../storage/store.ts";
import { usageError } from "./commands.ts";
import { Progress } from "./terminal.ts";

/** Opens the file on first read: readline would lose lines emitted before. */
export async function* linesOf(file: string, onRead?: (bytes: number) => void): AsyncGenerator<string> {
  const input = createReadStream(file);
  if (onRead !== undefined) input.on("data", (chunk) => onRead(chunk.length));
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

/** Processes the lines of a file, with progress on a terminal. */
export async function withProgress<T>(
  what: string,
  file: string,
  work: (lines: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  using progress = new Progress(what);
  const { size } = await stat(file);
  let read = 0;
  const onRead = (bytes: number) => {
    read += bytes;
    progress.show(read, size);
  };
  return await work(linesOf(file, progress.isSeen ? onRead : undefined));
}

/** Verifies a backup by reading it as a restore does, without writing. */
export async function checkWhole(file: string): Promise<void> {
  await readBackup(linesOf(file), "the answer", () => {});
}

export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Maps file, connection and store errors to a one-line StartError. */
export function startError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const known = error instanceof RequestError || error instanceof StoreError || typeof code === "string";
  return known && error instanceof Error ? new StartError(error.message, { cause: error }) : error;
}

/** Throws UsageError. */
export function onlyWord({ words }: CommandLine, command: string): string {
  const [word, ...more] = words;
  if (word !== undefined && more.length === 0) return word;
  throw usageError("name one file", command);
}
