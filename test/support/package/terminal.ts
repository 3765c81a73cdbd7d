// Runs lines of a shell on a terminal and returns what the terminal then shows: programs print more on a terminal than
// into a pipe.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Runs a command on a pseudo-terminal. */
const TERMINAL = "script";
const RUN_MS_MAX = 60_000;
/** Erases the current line. */
const CLEAR = "\r\u001b[K";

export interface Typed {
  /** Undefined: a signal ended the command. */
  readonly code: number | undefined;
  /** The successive contents of the line, each until it was cleared; the last one stays. */
  readonly shown: readonly string[];
}

export interface TerminalOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The reason why no terminal is available here; undefined when one is. */
export function terminalProblem(): string | undefined {
  const { stdout } = spawnSync(TERMINAL, ["--version"], { encoding: "utf8" });
  return stdout?.includes("util-linux") ? undefined : `the ${TERMINAL} of util-linux is not on the PATH`;
}

export async function typeLine(line: string, options: TerminalOptions = {}): Promise<Typed> {
  const child = spawn(TERMINAL, ["-qec", line, "/dev/null"], {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: RUN_MS_MAX,
  });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  const [code] = await once(child, "close");
  return { code: code ?? undefined, shown: printed.split(CLEAR) };
}
