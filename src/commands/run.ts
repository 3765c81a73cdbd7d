// `egret run -- COMMAND…`: a fresh server for one command. It has KUBECONFIG and USE_EXISTING_CLUSTER in its
// environment, which suites that would start a control plane of their own ask for, and its exit code is ours.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { writeAssets } from "../envtest/assets.ts";
import { systemClock } from "../meta/clock.ts";
import { usageError } from "../server/command-line/commands.ts";
import { variableOf } from "../server/command-line/flag.ts";
import type { CommandLine, Environment } from "../server/command-line/read-command-line.ts";
import { errorText, StartError } from "../server/errors.ts";
import { type ReadyFacts, removeReadyFile, writeReadyFile } from "../server/files/ready-file.ts";
import { readOptions } from "../server/options/options.ts";
import { endOfParent } from "../server/process-end.ts";
import { isKept } from "../server/store-place.ts";
import { assetsEnvironment } from "./envtest.ts";
import { openServer } from "./serve.ts";

/** They are passed on to the command. */
const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves with the exit code of the command, when the server has stopped too. Throws UsageError and StartError. */
export async function run(line: CommandLine, env: Environment): Promise<number> {
  const [command, ...rest] = line.rest ?? [];
  if (command === undefined || line.words.length > 0) throw usageError("say what to run", "run");
  const folder = await ownFolder();
  const guard = new RunGuard(folder);
  try {
    if (line.values.get("envtest") === true) {
      refuseServerFlags(line, env);
      const assets = assetsEnvironment(await writeAssets(join(folder, "envtest")));
      return await endOfCommand([command, ...rest], { ...env, ...assets }, guard);
    }
    const own = new Map<string, string | boolean>([
      ["listen", "127.0.0.1:0"],
      ["kubeconfig", join(folder, "kubeconfig")],
      ["in-memory", !isKept(line.values)],
    ]);
    const options = readOptions(new Map([...own, ...line.values]));
    await using server = await openServer(options);
    const { url, kubeconfigFile } = server;
    const kubeconfig = kubeconfigFile?.path ?? "";
    await using _ready = await readyFile(options.readyFile, { url, kubeconfig });
    const paths = { KUBECONFIG: kubeconfig, EGRET_KUBECONFIG: kubeconfig }; // for kubectl, and for egret
    const childEnv = { ...env, ...paths, USE_EXISTING_CLUSTER: "true", EGRET_URL: url };
    return await endOfCommand([command, ...rest], childEnv, guard);
  } finally {
    await guard.end();
    await rm(folder, { recursive: true, force: true }); // where there is no shell
  }
}

/** The executables get flags of their own. Variables are for what they start. */
function refuseServerFlags({ values }: CommandLine, env: Environment): void {
  const flags = [...values.keys()].filter((name) => env[variableOf({ name })] === undefined);
  const other = flags.find((name) => name !== "envtest");
  if (other !== undefined) throw usageError(`--envtest starts no server that --${other} could be for`, "run");
}

function endOfCommand(
  [command = "", ...args]: readonly string[],
  env: Environment,
  guard: RunGuard,
): Promise<number> {
  return endOf(() => {
    const group = new CommandGroup(command, args, env);
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
  void endOfParent(watch.signal).then(() => group.end());
  try {
    const code = await group.ended;
    await group.end(); // what it has left in the background
    return code;
  } finally {
    watch.abort();
    for (const signal of PASSED_ON) process.off(signal, pass);
  }
}

// A command that is run for its own sake, with all that it starts: they are one process group, so that none of them is
// left when the command is over, when it is told to end, or when the process that has started it is gone.

const SIGNAL_CODE = 128;
/** So long may what was told to end take before it is killed. */
const GRACE_MS = 5_000;
const LOOK_MS = 50;
/** Windows has no groups, and in a terminal the command has to stay in the group that the terminal serves. */
const hasGroup = (): boolean => process.platform !== "win32" && process.stdin.isTTY !== true;

/** A command that could not be started, with the exit code that shells have for it. */
class CommandError extends StartError {
  override get exitCode(): number {
    const isMissing = this.cause instanceof Error && "code" in this.cause && this.cause.code === "ENOENT";
    return isMissing ? 127 : 126;
  }
}

export class CommandGroup {
  readonly #child: ChildProcess;
  readonly #grouped = hasGroup();
  /** The exit code, or 128 and the number of the signal, as shells have it. Rejects with StartError. */
  readonly ended: Promise<number>;

  constructor(command: string, args: readonly string[], env: Environment) {
    // What cannot be run at all is thrown on some systems, and an event on others.
    this.#child = spawn(command, args, { stdio: "inherit", env, detached: this.#grouped });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", (error) =>
        reject(new CommandError(`${command} cannot be run (${error.message})`, { cause: error })),
      );
      this.#child.once("exit", (code, signal) =>
        resolve(code ?? SIGNAL_CODE + (signal ? constants.signals[signal] : 0)),
      );
    });
  }

  /** What a signal to all of it is sent to: "-123" for a group, "123" for a process; undefined when it did not start. */
  get target(): string | undefined {
    const { pid } = this.#child;
    if (pid === undefined) return undefined;
    return this.#grouped ? `-${pid}` : String(pid);
  }

  /** False when nothing is left that could take it. */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (this.target === undefined || (!this.#grouped && this.#over)) return false;
    try {
      return process.kill(Number(this.target), signal);
    } catch {
      return false; // there is nobody any more
    }
  }

  /** One that a person asks for. Where the command has no group of its own, Ctrl-C reaches it without us. */
  pass(signal: NodeJS.Signals): void {
    if (this.#grouped || signal !== "SIGINT") this.signal(signal);
  }

  get #over(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends whatever is left of it, kindly at first. */
  async end(): Promise<void> {
    if (!this.signal("SIGTERM")) return;
    const deadline = systemClock.now() + GRACE_MS;
    while (systemClock.now() < deadline) {
      if (!this.signal(0)) return;
      await systemClock.sleep(LOOK_MS);
    }
    this.signal("SIGKILL");
  }
}

/** $1 is the folder. The first line names what to signal; until it comes there is only the folder. */
const SCRIPT = `
read -r target || target=
[ -n "$target" ] && read -r over
if [ -n "$target" ] && [ "$over" != over ]; then
  kill -s TERM -- "$target" 2>/dev/null
  seconds=0
  while [ $seconds -lt 5 ] && kill -s 0 -- "$target" 2>/dev/null; do sleep 1; seconds=$((seconds + 1)); done
  kill -s KILL -- "$target" 2>/dev/null
fi
rm -rf -- "$1"
`;

/**
 * What is left to do when `egret run` itself is killed in a way that it cannot notice: a shell that waits for the end of a
 * pipe from us, which comes however we end. It then ends the command and removes the folder.
 */
export class RunGuard {
  readonly #shell: ChildProcess;
  #watching = false;

  /** Where there is no shell nothing is guarded. */
  constructor(folder: string) {
    this.#shell = spawn("sh", ["-c", SCRIPT, "egret-run-guard", folder], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true, // what ends us is not to end it too
    });
    this.#shell.on("error", () => {});
    this.#shell.stdin?.on("error", () => {});
  }

  /** What to send signals to, as kill takes it. */
  watch(target: string | undefined): void {
    if (target === undefined) return;
    this.#watching = true;
    this.#shell.stdin?.write(`${target}\n`);
  }

  /** All is well: only the folder is to go. Resolves when it has. */
  async end(): Promise<void> {
    const { stdin } = this.#shell;
    if (this.#shell.pid === undefined || this.#shell.exitCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#shell.once("exit", () => resolve()));
    stdin?.end(this.#watching ? "over\n" : "");
    await gone;
  }
}
