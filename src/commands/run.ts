// `egret run -- COMMAND…`: a fresh server for one command. It has KUBECONFIG and USE_EXISTING_CLUSTER in its
// environment, which suites that would start a control plane of their own ask for, and its exit code is ours.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "../meta/clock.ts";
import { usageError } from "../server/command-line/commands.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { errorText, StartError } from "../server/errors.ts";
import { type ReadyFacts, removeReadyFile, writeReadyFile } from "../server/files/ready-file.ts";
import { readOptions } from "../server/options/options.ts";
import { CommandGroup, RunGuard } from "./command-group.ts";
import { openServer } from "./serve.ts";

const PARENT_LOOK_MS = 500;
/** They are passed on to the command. */
const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves with the exit code of the command, when the server has stopped too. Throws UsageError and StartError. */
export async function run(line: CommandLine, env: Environment): Promise<number> {
  const [command, ...rest] = line.rest ?? [];
  if (command === undefined || line.words.length > 0) throw usageError("say what to run", "run");
  const folder = await ownFolder();
  const guard = new RunGuard(folder);
  try {
    return await runIn(folder, guard, line, env, [command, rest]);
  } finally {
    await guard.end();
    await rm(folder, { recursive: true, force: true }); // where there is no shell
  }
}

async function runIn(
  folder: string,
  guard: RunGuard,
  { values: said }: CommandLine,
  env: Environment,
  [command, args]: [command: string, args: readonly string[]],
): Promise<number> {
  const own = new Map<string, string | boolean>([
    ["listen", "127.0.0.1:0"],
    ["kubeconfig", join(folder, "kubeconfig")],
    ["in-memory", !said.has("data-dir")],
  ]);
  const options = readOptions(new Map([...own, ...said]));
  await using server = await openServer(options);
  const kubeconfig = server.kubeconfigFile?.path ?? "";
  await using _ready = await readyFile(options.readyFile, { url: server.url, kubeconfig });
  const paths = { KUBECONFIG: kubeconfig, EGRET_KUBECONFIG: kubeconfig }; // for kubectl, and for egret
  const childEnv = { ...env, ...paths, USE_EXISTING_CLUSTER: "true" };
  return await endOf(() => {
    const group = new CommandGroup(command, args, {
      env: { ...childEnv, EGRET_URL: server.url },
      clock: systemClock,
    });
    guard.watch(group.target);
    return group;
  });
}

/** Throws StartError. */
async function ownFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "egret-run-"));
  } catch (cause) {
    const message = `${tmpdir()} cannot be written to (${errorText(cause)}): let TMPDIR name a folder that can`;
    throw new StartError(message, { cause });
  }
}

/** It goes when the command is over. */
async function readyFile(path: string | undefined, facts: ReadyFacts): Promise<AsyncDisposable> {
  await writeReadyFile(path, facts, process.umask());
  return { [Symbol.asyncDispose]: () => removeReadyFile(path) };
}

/** Signals go to the command, and it goes when the process dies that has started us. */
async function endOf(start: () => CommandGroup): Promise<number> {
  const pass = (signal: NodeJS.Signals) => group.pass(signal);
  const watch = new AbortController();
  for (const signal of PASSED_ON) process.on(signal, pass); // before the start: a command can be quick to ask for it
  const group = start();
  void followParent(watch.signal, () => void group.end());
  try {
    const code = await group.ended;
    await group.end(); // what it has left in the background
    return code;
  } finally {
    watch.abort();
    for (const signal of PASSED_ON) process.off(signal, pass);
  }
}

/** A process whose parent dies is given another one; nothing tells it so. */
async function followParent(signal: AbortSignal, onDeath: () => void): Promise<void> {
  const parent = process.ppid;
  while (!signal.aborted) {
    await systemClock.sleep(PARENT_LOOK_MS, signal).catch(() => {});
    if (signal.aborted || process.ppid === parent) continue;
    onDeath();
    return;
  }
}
