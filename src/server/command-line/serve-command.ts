// The command that most starts give, as data; it stands alone, so that they do without the others.
import { FLAGS } from "../options/options.ts";
import { type Command, variableOf } from "./flag.ts";
import { type Environment, nearestOf } from "./read-command-line.ts";

export const SERVE: Command = {
  word: "serve",
  usage: ["[flags]"],
  summary: "serves until a signal ends it; `egret` alone does the same",
  flags: [...FLAGS, { name: "version", type: "boolean", text: "print the version and exit" }],
};

/** Variables of the commands that `egret run` starts, and of the executables of `egret envtest`. */
const TOLD = ["EGRET_URL", "EGRET_OUTLIVES_PARENT"];

/** One line for each variable EGRET_… that nothing reads: it is most likely misspelt. */
export function unknownVariables(env: Environment): string[] {
  const known = [...FLAGS.filter(({ variable }) => variable).map(variableOf), ...TOLD];
  const unknown = Object.keys(env).filter((name) => name.startsWith("EGRET_") && !known.includes(name));
  return unknown.map((name) => {
    const nearest = nearestOf(name, known);
    return `the variable ${name} means nothing${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  });
}
