// The `serve` command as data. It is a file of its own, so that most starts need not load the other commands.

import { type Command, variableOf } from "../server/options/flag.ts";
import { FLAGS } from "../server/options/options.ts";
import { type Environment, nearestOf } from "../server/options/read-command-line.ts";

export const SERVE: Command = {
  word: "serve",
  usage: ["[flags]"],
  summary: "serves until a signal ends it; `egret` alone does the same",
  flags: [...FLAGS, { name: "version", type: "boolean", text: "print the version and exit" }],
};

/** Variables that `egret run` sets for its command, or that the executables of `egret envtest` read. */
const TOLD = ["EGRET_URL", "EGRET_OUTLIVES_PARENT"];

/** One warning for each variable EGRET_… that is not known: most likely it is misspelled. */
export function unknownVariables(env: Environment): string[] {
  const known = [...FLAGS.filter(({ variable }) => variable).map(variableOf), ...TOLD];
  const unknown = Object.keys(env).filter((name) => name.startsWith("EGRET_") && !known.includes(name));
  return unknown.map((name) => {
    const nearest = nearestOf(name, known);
    return `the variable ${name} means nothing${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  });
}
