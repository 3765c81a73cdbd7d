// The command `egret`: dispatches its first word to a command; the default is serve.

import { type Asked, askedBy } from "./cli/ask-server.ts";
import { COMMANDS } from "./cli/commands.ts";
import { commandHelp, overviewText } from "./cli/help.ts";
import { print, printError } from "./cli/output.ts";
import { serve } from "./cli/serve.ts";
import { SERVE, unknownVariables } from "./cli/serve-command.ts";
import { StartError, UsageError } from "./server/errors.ts";
import {
  type CommandLine,
  didYouMean,
  type Environment,
  readCommandLine,
} from "./server/options/read-command-line.ts";

/** Returns the exit code; without a number it is 0. */
type Run = (line: CommandLine, env: Environment) => Promise<unknown>;

/** Adapts a command that accesses a running server. */
const asking =
  (load: () => Promise<(asked: Asked) => Promise<unknown>>): Run =>
  async (line, env) =>
    (await load())(askedBy(line, env));

/** The implementation of each command. */
const RUNS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ["serve", serve],
  ["run", async (line, env) => (await import("./cli/run.ts")).run(line, env)],
  ["envtest", async (line, env) => (await import("./cli/envtest.ts")).envtest(line, env)],
  ["check", async (line) => (await import("./cli/check.ts")).check(line)],
  ["backup", async (line, env) => (await import("./cli/store.ts")).backup(line, env)],
  ["restore", async (line, env) => (await import("./cli/store.ts")).restore(line, env)],
  ["migrate", async (line) => (await import("./cli/migrate.ts")).migrate(line)],
  ["status", async (line, env) => (await import("./cli/status.ts")).status(line, env)],
  ["controllers", async () => (await import("./cli/about.ts")).listControllers()],
  ["completion", async (line) => (await import("./cli/about.ts")).completion(line)],
  ["kubeconfig", async (line, env) => (await import("./cli/status.ts")).kubeconfig(line, env)],
  ["ui", async (line, env) => (await import("./cli/ui.ts")).ui(askedBy(line, env), env)],
  ["apply", asking(async () => (await import("./cli/apply.ts")).apply)],
  ["import", asking(async () => (await import("./cli/import.ts")).importCommand)],
  ["diff", asking(async () => (await import("./cli/diff.ts")).diff)],
  ["export", asking(async () => (await import("./cli/state.ts")).exportCommand)],
  ["reset", asking(async () => (await import("./cli/state.ts")).reset)],
  ["explain", asking(async () => (await import("./cli/verdict.ts")).explain)],
  ["trace", asking(async () => (await import("./cli/trace.ts")).trace)],
  ["plan", asking(async () => (await import("./cli/verdict.ts")).plan)],
  ["snapshot", asking(async () => (await import("./cli/state.ts")).snapshot)],
  ["clock", asking(async () => (await import("./cli/state.ts")).clock)],
  ["history", asking(async () => (await import("./cli/history.ts")).history)],
  ["faults", asking(async () => (await import("./cli/requests.ts")).faults)],
  ["requests", asking(async () => (await import("./cli/requests.ts")).requests)],
  ["nodes", asking(async () => (await import("./cli/nodes/nodes.ts")).nodes)],
  ["demo", async (line) => (await import("./cli/demo/demo.ts")).demo(line)],
  ["case", asking(async () => (await import("./cli/case.ts")).caseCommand)],
  ["compact", asking(async () => (await import("./cli/state.ts")).compact)],
]);

/** Resolves with the exit code; errors have been printed. */
export function main(args: readonly string[], env: Environment): Promise<number> {
  return runCommand(args, env).catch(complain);
}

/** Throws the errors of the command. */
export async function runCommand(args: readonly string[], env: Environment): Promise<number> {
  const isNamed = args[0] !== undefined && !args[0].startsWith("-");
  const [word, rest] = isNamed ? [args[0] ?? "", args.slice(1)] : ["serve", args];
  if (word === "help") return await runCommand([...rest, "--help"], env);
  const command = word === SERVE.word ? SERVE : COMMANDS.find((item) => item.word === word);
  const act = RUNS.get(word);
  if (command === undefined || act === undefined) throw new UsageError(unknownCommand(word));
  const line = readCommandLine(command.flags, rest, env);
  if (line.values.get("help") === true) return tell(isNamed ? commandHelp(command) : overviewText(COMMANDS));
  if (line.values.get("version") === true) return (await import("./cli/about.ts")).version();
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

/** Prints a known error as one line, any other error with its stack. Returns the exit code. */
function complain(error: unknown): number {
  const known = error instanceof UsageError || error instanceof StartError;
  printError(
    known ? `egret: ${error.message}\n` : `egret: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return error instanceof StartError ? error.exitCode : 1;
}
