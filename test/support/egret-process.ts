// Runs the built command as a user does: as a child process, observed only by its output and its exit.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DEEP_STACK } from "../../src/server/launch/node-flags.ts";

const COMMAND = join(import.meta.dirname, "../../dist/main.js");
const START_MS_MAX = 20_000;
const STOP_MS_MAX = 10_000;

export interface Exit {
  /** The exit code, or the signal that ended the process. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EgretProcess extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  /** The lines that it prints when it is ready. */
  readonly greeting: readonly string[];
  /** Sends the signal and waits for the exit. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The user and group of the process, if not the present one. */
  readonly user?: number;
  /** The file size limit; a write beyond it fails as on a full disk. */
  readonly fileKilobytesMax?: number;
  /** The limit of open file descriptors. */
  readonly openFilesMax?: number;
}

/** Starts `egret` with these flags and waits until it is ready; it listens on a free port unless --listen is given. */
export async function startEgret(flags: readonly string[], options: RunOptions = {}): Promise<EgretProcess> {
  const listen = flags.some((flag) => flag.startsWith("--listen")) ? [] : ["--listen", "127.0.0.1:0"];
  const { child, ended, printed } = spawnEgret([...listen, ...flags], options);
  const greeting = await greetingOf(child, ended, printed);
  const url = /https?:\/\/\S+/.exec(greeting[0] ?? "")?.[0];
  if (url === undefined || child.pid === undefined) throw new Error(`no address in: ${greeting.join("\n")}`);
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> => {
    child.kill(signal);
    return await endOf(child, ended);
  };
  return {
    pid: child.pid,
    url,
    greeting,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop("SIGKILL")),
  };
}

/** Runs `egret` until it exits by itself, for flags with which it does not serve. */
export async function runEgret(flags: readonly string[], options: RunOptions = {}): Promise<Exit> {
  const { child, ended } = spawnEgret(flags, options);
  return await endOf(child, ended);
}

/** Starts `egret` and kills it after `afterMs`, even if it is not ready yet. */
export async function startAndKill(flags: readonly string[], afterMs: number): Promise<Exit> {
  const { child, ended } = spawnEgret(["--listen", "127.0.0.1:0", ...flags], {});
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  try {
    return await endOf(child, ended);
  } finally {
    clearTimeout(timer);
  }
}

interface Spawned {
  readonly child: ChildProcess;
  readonly ended: Promise<Exit>;
  readonly printed: () => { readonly stdout: string; readonly stderr: string };
}

function spawnEgret(flags: readonly string[], options: RunOptions): Spawned {
  if (!existsSync(COMMAND)) throw new Error("dist/main.js is missing; `npm run build` makes it");
  const { env = {}, cwd, user } = options;
  const [program, ...args] = [...limitedBy(options), process.execPath, DEEP_STACK, COMMAND, ...flags];
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...withoutEgret(process.env), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (text.stdout += chunk));
  child.stderr.on("data", (chunk) => (text.stderr += chunk));
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, ...text }));
  return { child, ended, printed: () => text };
}

/**
 * A shell command that sets the limits and replaces itself; a write beyond the limit then returns an error instead of a
 * signal.
 */
function limitedBy({ fileKilobytesMax, openFilesMax }: RunOptions): [] | [string, ...string[]] {
  if (fileKilobytesMax === undefined && openFilesMax === undefined) return [];
  const files = fileKilobytesMax === undefined ? "" : `trap "" XFSZ; ulimit -f ${fileKilobytesMax}; `;
  const descriptors = openFilesMax === undefined ? "" : `ulimit -n ${openFilesMax}; `;
  return ["bash", "-c", `${files}${descriptors}exec "$@"`, "bash"];
}

/** Removes a developer's own EGRET_ variables and KUBECONFIG, which would change a test. */
function withoutEgret(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(EGRET_|KUBECONFIG$)/.test(name)));
}

async function greetingOf(
  child: ChildProcess,
  ended: Promise<Exit>,
  printed: Spawned["printed"],
): Promise<string[]> {
  const greeted = new Promise<string[]>((resolve) => {
    child.stdout?.on("data", () => {
      const lines = printed().stdout.split("\n");
      if (lines.length > 3) resolve(lines.slice(0, 3));
    });
  });
  const died = ended.then(({ code, stdout, stderr }) => {
    throw new Error(`egret ended with ${code} before it served:\n${stdout}${stderr}`);
  });
  const late = () => `egret did not serve within ${START_MS_MAX} ms:\n${printed().stdout}${printed().stderr}`;
  return await beforeDeadline(child, Promise.race([greeted, died]), START_MS_MAX, late);
}

async function endOf(child: ChildProcess, ended: Promise<Exit>): Promise<Exit> {
  return await beforeDeadline(child, ended, STOP_MS_MAX, () => `egret still runs after ${STOP_MS_MAX} ms`);
}

/** Kills the child when the promise takes longer than it may. */
async function beforeDeadline<T>(
  child: ChildProcess,
  work: Promise<T>,
  ms: number,
  late: () => string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(late()));
    }, ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
