// Runs lines of a shell at a terminal, and tells what stands there then: programs say more to people than to pipes.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Gives a command a terminal. */
const TERMINAL = "script";
const RUN_MS_MAX = 60_000;
/** Takes away what stands on the line. */
const CLEAR = "\r\u001b[K";

export interface Typed {
  /** Undefined: a signal has ended the line. */
  readonly code: number | undefined;
  /** What came one after the other, each until the line was cleared; the last stays. */
  readonly shown: readonly string[];
}

export interface TerminalOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Why nothing can be typed here; undefined when it can. */
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
