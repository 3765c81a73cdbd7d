// `egret run -- COMMAND…`: runs a command with a fresh server and returns its exit code. The command's environment has
// KUBECONFIG, and USE_EXISTING_CLUSTER for suites that would otherwise start their own control plane.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "../apimachinery/meta/clock.ts";
import { errorText, StartError } from "../server/errors.ts";
import { type ReadyFacts, removeReadyFile, writeReadyFile } from "../server/files/ready-file.ts";
import { variableOf } from "../server/options/flag.ts";
import { readOptions } from "../server/options/options.ts";
import type { CommandLine, Environment } from "../server/options/read-command-line.ts";
import { endOfParent } from "../server/process-end.ts";
import { isKept } from "../server/storage-backend.ts";
import { usageError } from "./commands.ts";
import { writeAssets } from "./envtest/assets.ts";
import { assetsEnvironment } from "./envtest.ts";
import { openServer } from "./serve.ts";

/** Signals that are forwarded to the command. */
const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves with the command's exit code, after the server has stopped. Throws UsageError and StartError. */
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
    const paths = { KUBECONFIG: kubeconfig, EGRET_KUBECONFIG: kubeconfig }; // for kubectl and for egret
    const childEnv = { ...env, ...paths, USE_EXISTING_CLUSTER: "true", EGRET_URL: url };
    return await endOfCommand([command, ...rest], childEnv, guard);
  } finally {
    await guard.end();
    await rm(folder, { recursive: true, force: true }); // needed where no shell guards the folder
  }
}

/** Rejects server flags with --envtest. Variables are allowed: they apply to the started executables. */
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

/** Disposal removes the file. */
async function readyFile(path: string | undefined, facts: ReadyFacts): Promise<AsyncDisposable> {
  await writeReadyFile(path, facts, process.umask());
  return { [Symbol.asyncDispose]: () => removeReadyFile(path) };
}

/** Forwards signals to the command, and ends it when the parent process of egret exits. */
async function endOf(start: () => CommandGroup): Promise<number> {
  const pass = (signal: NodeJS.Signals) => group.pass(signal);
  const watch = new AbortController();
  for (const signal of PASSED_ON) process.on(signal, pass); // before the start: a command may signal immediately
  const group = start();
  void endOfParent(watch.signal).then(() => group.end());
  try {
    const code = await group.ended;
    await group.end(); // ends its background processes
    return code;
  } finally {
    watch.abort();
    for (const signal of PASSED_ON) process.off(signal, pass);
  }
}

// The command and its descendants, as one process group. The whole group ends when the command exits, when it is
// signaled, or when the parent process of egret exits.

const SIGNAL_CODE = 128;
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;
const LOOK_MS = 50;
/** Windows has no process groups. On a terminal the command must stay in the foreground group. */
const hasGroup = (): boolean => process.platform !== "win32" && process.stdin.isTTY !== true;

/** A command that could not be started, with the exit code that shells use for it. */
class CommandError extends StartError {
  override get exitCode(): number {
    const isMissing = this.cause instanceof Error && "code" in this.cause && this.cause.code === "ENOENT";
    return isMissing ? 127 : 126;
  }
}

export class CommandGroup {
  readonly #child: ChildProcess;
  readonly #grouped = hasGroup();
  /** The exit code, or 128 plus the signal number, as in shells. Rejects with StartError. */
  readonly ended: Promise<number>;

  constructor(command: string, args: readonly string[], env: Environment) {
    // If a command cannot be executed, spawn throws on some systems and emits an event on others.
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

  /** The target of kill: "-123" for a group, "123" for a process; undefined if the command did not start. */
  get target(): string | undefined {
    const { pid } = this.#child;
    if (pid === undefined) return undefined;
    return this.#grouped ? `-${pid}` : String(pid);
  }

  /** Returns false if no process is left. */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (this.target === undefined || (!this.#grouped && this.#over)) return false;
    try {
      return process.kill(Number(this.target), signal);
    } catch {
      return false; // no such process
    }
  }

  /** Forwards a signal. Without a group of its own the command receives Ctrl-C from the terminal. */
  pass(signal: NodeJS.Signals): void {
    if (this.#grouped || signal !== "SIGINT") this.signal(signal);
  }

  get #over(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends all remaining processes: SIGTERM, then SIGKILL. */
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

/** $1 is the folder. The first input line is the kill target; if the input ends before, only the folder is removed. */
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
 * Cleans up when `egret run` is killed with SIGKILL. A shell waits for the end of a pipe from this process, which
 * closes on any exit. It then ends the command and removes the folder.
 */
export class RunGuard {
  readonly #shell: ChildProcess;
  #watching = false;

  /** Without a shell there is no guard. */
  constructor(folder: string) {
    this.#shell = spawn("sh", ["-c", SCRIPT, "egret-run-guard", folder], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true, // signals to our group must not end it
    });
    this.#shell.on("error", () => {});
    this.#shell.stdin?.on("error", () => {});
  }

  /** Sets the target for kill. */
  watch(target: string | undefined): void {
    if (target === undefined) return;
    this.#watching = true;
    this.#shell.stdin?.write(`${target}\n`);
  }

  /** Regular end: the shell only removes the folder. Resolves when it has. */
  async end(): Promise<void> {
    const { stdin } = this.#shell;
    if (this.#shell.pid === undefined || this.#shell.exitCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#shell.once("exit", () => resolve()));
    stdin?.end(this.#watching ? "over\n" : "");
    await gone;
  }
}
