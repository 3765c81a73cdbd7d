// `egret backup` copies the store of a running server into a file, `egret restore` makes a store of such a file. What
// is no file, but the name of a snapshot, is restored in the server that is running.
import { createReadStream } from "node:fs";
import { access, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { getWith, RequestError } from "../http/kubeconfig-client.ts";
import { DEFAULT_OPTIONS } from "../options.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { BACKUP_PATH } from "../server/own-paths.ts";
import { StartError } from "../server/start-error.ts";
import { restoreLines } from "../storage/backup.ts";
import { openLevelEngine } from "../storage/level/level-engine.ts";
import { StoreError } from "../storage/store-error.ts";

/** Whoever finds the file finds all of it: until then it has another name. Throws UsageError and StartError. */
export async function backup(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { file, option } = readArguments(args, "kubeconfig", "egret backup [--kubeconfig PATH] FILE");
  const kubeconfig = option ?? env["EGRET_KUBECONFIG"] ?? DEFAULT_OPTIONS.kubeconfig;
  const unfinished = `${file}.part`;
  try {
    const body = await getWith(kubeconfig, BACKUP_PATH);
    await writeFile(unfinished, body, { mode: 0o600, flush: true });
    await checkWhole(unfinished);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw startError(error);
  }
  process.stdout.write(`${file} holds the store\n`);
  return 0;
}

/** The folder must not hold a store. One that could not be finished is taken away. Throws UsageError and StartError. */
export async function restore(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { file, option } = readArguments(args, "data-dir", RESTORE_USAGE, SNAPSHOT_FLAGS);
  if (option === undefined && !/[/\\]/.test(file) && !(await isThere(file)))
    return await restoreSnapshot(file, args, env);
  const dataDir = option ?? env["EGRET_DATA_DIR"] ?? DEFAULT_OPTIONS.dataDir;
  if (await isThere(join(dataDir, "CURRENT"))) {
    throw new StartError(`${dataDir} holds a store already: choose another folder, or move it away`);
  }
  const unfinished = `${dataDir}.part`;
  try {
    await rm(unfinished, { recursive: true, force: true });
    const revision = await restoreInto(unfinished, file);
    await rename(unfinished, dataDir);
    process.stdout.write(`${dataDir} holds the store as it was at revision ${revision}\n`);
    return 0;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw startError(error);
  }
}

const RESTORE_USAGE = "egret restore [--data-dir DIR] FILE, or egret restore SNAPSHOT";
/** Those of egret snapshot restore. */
const SNAPSHOT_FLAGS = {
  kubeconfig: { type: "string" },
  "ready-file": { type: "string" },
  "expire-watches": { type: "boolean" },
} as const;

async function restoreSnapshot(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { snapshot } = await import("./state.ts");
  try {
    return await snapshot(["restore", ...args], env);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new StartError(`${name} is no file, and no snapshot either: ${error.message}`, { cause: error });
  }
}

async function restoreInto(folder: string, file: string): Promise<number> {
  const engine = await openLevelEngine(folder);
  try {
    return await restoreLines(linesOf(file), engine, file);
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
    close: async () => {},
  };
  await restoreLines(linesOf(file), nowhere, "the answer");
}

const linesOf = (file: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });

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

function readArguments(
  args: readonly string[],
  flag: string,
  usage: string,
  others: NonNullable<ParseArgsConfig["options"]> = {},
): { file: string; option?: string } {
  try {
    const options = { ...others, [flag]: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError(`Usage: ${usage}`);
    const option = values[flag];
    return typeof option === "string" ? { file, option } : { file };
  } catch (error) {
    throw error instanceof UsageError
      ? error
      : new UsageError(error instanceof Error ? error.message : String(error));
  }
}
