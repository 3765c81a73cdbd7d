// Variables whose name begins with EGRET_ are meant for Egret: one that it does not know is most likely misspelt.

import { FLAGS } from "../options/options.ts";
import { variableOf } from "./flag.ts";
import type { Environment } from "./read-command-line.ts";
import { nearestOf } from "./suggest.ts";

/** What `egret run` tells its command. */
const TOLD = ["EGRET_URL"];

/** One line for each variable that nothing reads. */
export function unknownVariables(env: Environment): string[] {
  const known = [...FLAGS.filter(({ variable }) => variable).map(variableOf), ...TOLD];
  const unknown = Object.keys(env).filter((name) => name.startsWith("EGRET_") && !known.includes(name));
  return unknown.map((name) => {
    const nearest = nearestOf(name, known);
    return `the variable ${name} means nothing${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  });
}
