// The command `egret`: its first word says what to do; without one it serves. Nothing else.

import { type Asked, askedBy } from "./commands/ask-server.ts";
import { print, printError } from "./commands/output.ts";
import { serve } from "./commands/serve.ts";
import { COMMANDS } from "./server/command-line/commands.ts";
import { commandHelp, overviewText } from "./server/command-line/help.ts";
import {
  type CommandLine,
  didYouMean,
  type Environment,
  readCommandLine,
} from "./server/command-line/read-command-line.ts";
import { SERVE, unknownVariables } from "./server/command-line/serve-command.ts";
import { StartError, UsageError } from "./server/errors.ts";

/** Gives the exit code; 0 where it gives nothing. */
type Run = (line: CommandLine, env: Environment) => Promise<unknown>;

/** Of a server that runs. */
const asking =
  (load: () => Promise<(asked: Asked) => Promise<unknown>>): Run =>
  async (line, env) =>
    (await load())(askedBy(line, env));

/** What each command of the table does. */
const RUNS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ["serve", serve],
  ["run", async (line, env) => (await import("./commands/run.ts")).run(line, env)],
  ["envtest", async (line, env) => (await import("./commands/envtest.ts")).envtest(line, env)],
  ["check", async (line) => (await import("./commands/check.ts")).check(line)],
  ["backup", async (line, env) => (await import("./commands/store.ts")).backup(line, env)],
  ["restore", async (line, env) => (await import("./commands/store.ts")).restore(line, env)],
  ["migrate", async (line) => (await import("./commands/migrate.ts")).migrate(line)],
  ["status", async (line, env) => (await import("./commands/status.ts")).status(line, env)],
  ["controllers", async () => (await import("./commands/about.ts")).listControllers()],
  ["completion", async (line) => (await import("./commands/about.ts")).completion(line)],
  ["kubeconfig", async (line, env) => (await import("./commands/status.ts")).kubeconfig(line, env)],
  ["ui", async (line, env) => (await import("./commands/ui.ts")).ui(askedBy(line, env), env)],
  ["apply", asking(async () => (await import("./commands/apply.ts")).apply)],
  ["import", asking(async () => (await import("./commands/import.ts")).importCommand)],
  ["diff", asking(async () => (await import("./commands/diff.ts")).diff)],
  ["export", asking(async () => (await import("./commands/state.ts")).exportCommand)],
  ["reset", asking(async () => (await import("./commands/state.ts")).reset)],
  ["explain", asking(async () => (await import("./commands/verdict.ts")).explain)],
  ["trace", asking(async () => (await import("./commands/trace.ts")).trace)],
  ["plan", asking(async () => (await import("./commands/verdict.ts")).plan)],
  ["snapshot", asking(async () => (await import("./commands/state.ts")).snapshot)],
  ["clock", asking(async () => (await import("./commands/state.ts")).clock)],
  ["history", asking(async () => (await import("./commands/history.ts")).history)],
  ["faults", asking(async () => (await import("./commands/requests.ts")).faults)],
  ["requests", asking(async () => (await import("./commands/requests.ts")).requests)],
  ["nodes", asking(async () => (await import("./commands/nodes/nodes.ts")).nodes)],
  ["demo", async (line) => (await import("./commands/demo/demo.ts")).demo(line)],
  ["case", asking(async () => (await import("./commands/case.ts")).caseCommand)],
  ["compact", asking(async () => (await import("./commands/state.ts")).compact)],
]);

/** Resolves with the exit code. What went wrong has been told. */
export function main(args: readonly string[], env: Environment): Promise<number> {
  return runCommand(args, env).catch(complain);
}

/** Throws what the command throws. */
export async function runCommand(args: readonly string[], env: Environment): Promise<number> {
  const isNamed = args[0] !== undefined && !args[0].startsWith("-");
  const [word, rest] = isNamed ? [args[0] ?? "", args.slice(1)] : ["serve", args];
  if (word === "help") return await runCommand([...rest, "--help"], env);
  const command = word === SERVE.word ? SERVE : COMMANDS.find((item) => item.word === word);
  const act = RUNS.get(word);
  if (command === undefined || act === undefined) throw new UsageError(unknownCommand(word));
  const line = readCommandLine(command.flags, rest, env);
  if (line.values.get("help") === true) return tell(isNamed ? commandHelp(command) : overviewText(COMMANDS));
  if (line.values.get("version") === true) return (await import("./commands/about.ts")).version();
  for (const problem of unknownVariables(env)) printError(`egret: ${problem}\n`);
  const words = [...line.words, ...(line.rest ?? [])];
  const code = await act(word === "run" ? line : { ...line, words }, env);
  return typeof code === "number" ? code : 0;
}

function tell(text: string): number {
  print(text);
  return 0;
}

function unknownCommand(word: string): string {
  const words = COMMANDS.map((command) => command.word);
  const hint = didYouMean(word, words);
  return `there is no command ${word}${hint === "" ? `; there are ${words.join(", ")}` : hint}`;
}

/** What the person at the terminal can mend is one line; anything else shows where it happened. */
function complain(error: unknown): number {
  const known = error instanceof UsageError || error instanceof StartError;
  printError(
    known ? `egret: ${error.message}\n` : `egret: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return error instanceof StartError ? error.exitCode : 1;
}
