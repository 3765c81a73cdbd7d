// `egret run -- COMMAND…`: a fresh server for one command. It has KUBECONFIG and USE_EXISTING_CLUSTER in its
// environment, which suites that would start a control plane of their own ask for, and its exit code is ours.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "../meta/clock.ts";
import { readOptions } from "../options.ts";
import { helpText } from "../server/command-line/flags.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { StartError } from "../server/start-error.ts";
import { createServer } from "../server.ts";

const PARENT_LOOK_MS = 500;
const SIGNAL_CODE = 128;
type Environment = Readonly<Record<string, string | undefined>>;

/** Resolves with the exit code of the command, when the server has stopped too. Throws UsageError and StartError. */
export async function run(args: readonly string[], env: Environment): Promise<number> {
  const cut = args.indexOf("--");
  const [command, ...rest] = cut < 0 ? [] : args.slice(cut + 1);
  const flags = cut < 0 ? args : args.slice(0, cut);
  if (flags.includes("--help")) {
    process.stdout.write(helpText());
    return 0;
  }
  if (command === undefined) throw new UsageError("say what to run: egret run [flags] -- COMMAND…");
  const folder = await mkdtemp(join(tmpdir(), "egret-run-"));
  try {
    return await runIn(folder, flags, env, [command, rest]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(
  folder: string,
  flags: readonly string[],
  env: Environment,
  [command, args]: [command: string, args: readonly string[]],
): Promise<number> {
  const inMemory = flags.some((flag) => flag.startsWith("--data-dir")) ? {} : { EGRET_IN_MEMORY: "true" };
  const own = { EGRET_LISTEN: "127.0.0.1:0", EGRET_KUBECONFIG: join(folder, "kubeconfig"), ...inMemory };
  const options = readOptions(flags, { ...own, ...env });
  if (options === "help") return 0;
  await using server = await disposable(createServer(options));
  const childEnv = { ...env, KUBECONFIG: options.kubeconfig, USE_EXISTING_CLUSTER: "true" };
  const child = spawn(command, args, { stdio: "inherit", env: { ...childEnv, EGRET_URL: server.url } });
  return await endOf(child, command);
}

async function disposable<T extends { close(): Promise<void> }>(
  opening: Promise<T>,
): Promise<T & AsyncDisposable> {
  const opened = await opening;
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
}

/** Signals go to the command, and it goes when the process dies that has started us. */
async function endOf(child: ChildProcess, command: string): Promise<number> {
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  const watch = new AbortController();
  process.on("SIGTERM", pass);
  process.on("SIGINT", pass);
  void followParent(watch.signal, () => child.kill("SIGTERM"));
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error) => reject(new StartError(`${command} cannot be run (${error.message})`)));
      child.once("exit", (code, signal) =>
        resolve(code ?? SIGNAL_CODE + (signal ? constants.signals[signal] : 0)),
      );
    });
  } finally {
    watch.abort();
    process.off("SIGTERM", pass);
    process.off("SIGINT", pass);
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
