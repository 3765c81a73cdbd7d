#!/usr/bin/env node
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
]);

async function main(args: readonly string[]): Promise<number> {
  const [word = "", ...rest] = args;
  if (word === "" || word.startsWith("-")) return serve(args, process.env);
  const command = COMMANDS.get(word);
  if (command) return command(rest, process.env);
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

process.exit(await main(process.argv.slice(2)).catch(complain));
