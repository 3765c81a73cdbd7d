// `egret run -- COMMAND…`: a fresh server for one command. It has KUBECONFIG and USE_EXISTING_CLUSTER in its
// environment, which suites that would start a control plane of their own ask for, and its exit code is ours.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "../meta/clock.ts";
import { readOptions } from "../options.ts";
import { helpText } from "../server/command-line/flags.ts";
import { UsageError } from "../server/command-line/usage-error.ts";
import { createServer } from "../server.ts";
import { CommandGroup } from "./command-group.ts";
import { RunGuard } from "./run-guard.ts";

const PARENT_LOOK_MS = 500;
/** They are passed on to the command. */
const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
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
  const guard = new RunGuard(folder);
  try {
    return await runIn(folder, guard, flags, env, [command, rest]);
  } finally {
    await guard.end();
    await rm(folder, { recursive: true, force: true }); // where there is no shell
  }
}

async function runIn(
  folder: string,
  guard: RunGuard,
  flags: readonly string[],
  env: Environment,
  [command, args]: [command: string, args: readonly string[]],
): Promise<number> {
  const inMemory = flags.some((flag) => flag.startsWith("--data-dir")) ? {} : { EGRET_IN_MEMORY: "true" };
  const own = { EGRET_LISTEN: "127.0.0.1:0", EGRET_KUBECONFIG: join(folder, "kubeconfig"), ...inMemory };
  const options = readOptions(flags, { ...own, ...env });
  if (options === "help") return 0;
  await using server = await disposable(createServer(options));
  const paths = { KUBECONFIG: options.kubeconfig, EGRET_KUBECONFIG: options.kubeconfig }; // for kubectl, and for egret
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

async function disposable<T extends { close(): Promise<void> }>(
  opening: Promise<T>,
): Promise<T & AsyncDisposable> {
  const opened = await opening;
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
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
