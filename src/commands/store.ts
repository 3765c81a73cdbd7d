// `egret backup` copies the store of a running server into a file, `egret restore` makes a store of such a file. What
// is no file, but the name of a snapshot, is restored in the server that is running. `egret check` reads a store.

import { createReadStream } from "node:fs";
import { access, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { Connection } from "../http/kubeconfig/client.ts";
import { RequestError } from "../http/kubeconfig/files.ts";
import { usageError } from "../server/command-line/commands.ts";
import { type CommandLine, type Environment, textOf } from "../server/command-line/read-command-line.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { writePrivateFile } from "../server/files/private-file.ts";
import { DEFAULT_OPTIONS } from "../server/options/options.ts";
import { BACKUP_PATH } from "../server/paths.ts";
import { restoreLines } from "../storage/backup.ts";
import { checkStore } from "../storage/level/check-store.ts";
import { openLevelEngine } from "../storage/level/level-engine.ts";
import { StoreError } from "../storage/store.ts";
import { askedBy, kubeconfigOf, rejectKnown } from "./ask-server.ts";
import { Progress } from "./terminal.ts";

/** Whoever finds the file finds all of it: until then it has another name. Throws UsageError and StartError. */
export async function backup(line: CommandLine, env: Environment): Promise<void> {
  const file = onlyWord(line, "backup");
  const kubeconfig = await kubeconfigOf(line.values, env);
  try {
    const body = await new Connection(kubeconfig).get(BACKUP_PATH).catch(rejectKnown);
    await writePrivateFile(file, body, { check: checkWhole, flush: true });
  } catch (error) {
    throw startError(error);
  }
  process.stdout.write(`${file} holds the store\n`);
}

/** The folder must not hold a store. One that could not be finished is taken away. Throws UsageError and StartError. */
export async function restore(line: CommandLine, env: Environment): Promise<void> {
  const file = onlyWord(line, "restore");
  if (!line.values.has("data-dir") && !/[/\\]/.test(file) && !(await isThere(file)))
    return await restoreSnapshot(file, line, env);
  const dataDir = textOf(line.values, "data-dir", DEFAULT_OPTIONS.dataDir);
  if (await isThere(join(dataDir, "CURRENT"))) {
    throw new StartError(`${dataDir} holds a store already: choose another folder, or move it away`);
  }
  const unfinished = `${dataDir}.part`;
  process.umask(0o077); // the store is for its owner alone
  try {
    await rm(unfinished, { recursive: true, force: true });
    const revision = await withProgress("read", file, (lines) => restoreInto(unfinished, lines, file));
    await rename(unfinished, dataDir);
    process.stdout.write(`${dataDir} holds the store as it was at revision ${revision}\n`);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw startError(error);
  }
}

async function restoreSnapshot(name: string, line: CommandLine, env: Environment): Promise<void> {
  const { snapshot } = await import("./state.ts");
  try {
    await snapshot(askedBy({ ...line, words: ["restore", name] }, env));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new StartError(`${name} is no file, and no snapshot either: ${error.message}`, { cause: error });
  }
}

/** Work on the lines of a file; a terminal is shown how much of it has been read. */
async function withProgress<T>(
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

async function restoreInto(folder: string, lines: AsyncIterable<string>, file: string): Promise<number> {
  const engine = await openLevelEngine(folder);
  try {
    return await restoreLines(lines, engine, file);
  } finally {
    await engine.close();
  }
}

/** Reads a backup as a restore would, and writes nothing. */
async function checkWhole(file: string): Promise<void> {
  const nowhere = {
    location: "nowhere",
    load: () => Promise.reject(new Error("nothing is kept")),
    write: async () => {},
    sizeBytes: async () => undefined,
    close: async () => {},
  };
  await restoreLines(linesOf(file), nowhere, "the answer");
}

/** The file is opened once somebody reads: lines that come before that would be lost. */
async function* linesOf(file: string, onRead?: (bytes: number) => void): AsyncGenerator<string> {
  const input = createReadStream(file);
  if (onRead !== undefined) input.on("data", (chunk) => onRead(chunk.length));
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

function startError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const known = error instanceof RequestError || error instanceof StoreError || typeof code === "string";
  return known && error instanceof Error ? new StartError(error.message, { cause: error }) : error;
}

/** Throws UsageError. */
function onlyWord({ words }: CommandLine, command: string): string {
  const [word, ...more] = words;
  if (word !== undefined && more.length === 0) return word;
  throw usageError("name one file", command);
}

/** All of a store that nobody serves from: what is in it and what is wrong. Throws UsageError and StartError. */
export async function check({ values, words }: CommandLine): Promise<number> {
  if (words.length > 0) throw new UsageError(`say --data-dir ${words[0]}`);
  const dataDir = textOf(values, "data-dir", DEFAULT_OPTIONS.dataDir);
  try {
    const { format, compacted, revision, records, objects, problems } = await checkStore(dataDir);
    const lines = [
      `${dataDir}: format ${format}, ${records} records, ${objects} objects`,
      `revisions ${compacted} to ${revision} can be read`,
      ...problems.map((problem) => `WRONG: ${problem}`),
      problems.length === 0 ? "nothing is wrong" : `${problems.length} things are wrong`,
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    throw startError(error);
  }
}
