// The command `egret`: its first word says what to do; without one it serves. Nothing else.
import process from "node:process";
import { backup, restore } from "./commands/backup.ts";
import { check } from "./commands/check.ts";
import { run } from "./commands/run.ts";
import { serve } from "./commands/serve.ts";
import { UsageError } from "./server/command-line/usage-error.ts";
import { StartError } from "./server/start-error.ts";

type Command = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ["serve", serve],
  ["run", run],
  ["check", check],
  ["backup", backup],
  ["restore", restore],
  ["kubeconfig", async (args, env) => (await import("./commands/kubeconfig.ts")).kubeconfig(args, env)],
  ["apply", async (args, env) => (await import("./commands/apply.ts")).apply(args, env)],
  ["export", async (args, env) => (await import("./commands/export.ts")).exportCommand(args, env)],
  ["reset", async (args, env) => (await import("./commands/state.ts")).reset(args, env)],
  ["snapshot", async (args, env) => (await import("./commands/state.ts")).snapshot(args, env)],
  ["clock", async (args, env) => (await import("./commands/clock.ts")).clock(args, env)],
  ["history", async (args, env) => (await import("./commands/history.ts")).history(args, env)],
  ["faults", async (args, env) => (await import("./commands/requests/faults.ts")).faults(args, env)],
  ["requests", async (args, env) => (await import("./commands/requests/requests.ts")).requests(args, env)],
  ["compact", async (args, env) => (await import("./commands/compact.ts")).compact(args, env)],
]);

/** Resolves with the exit code. What went wrong has been told. */
export function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runCommand(args, env).catch(complain);
}

async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [word = "", ...rest] = args;
  if (word === "" || word.startsWith("-")) return serve(args, env);
  const command = COMMANDS.get(word);
  if (command) return command(rest, env);
  throw new UsageError(`there is no command ${word}; there are ${[...COMMANDS.keys()].join(", ")}`);
}

/** What the person at the terminal can mend is one line; anything else shows where it happened. */
function complain(error: unknown): number {
  const known = error instanceof UsageError || error instanceof StartError;
  process.stderr.write(
    known ? `egret: ${error.message}\n` : `egret: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return 1;
}
