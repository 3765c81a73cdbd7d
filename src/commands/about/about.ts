// What the command says of itself: its version, the controllers it has, and completion for shells.

import process from "node:process";
import { versionInfo } from "../../apiserver/discovery/version-info.ts";
import { controllerDescriptors } from "../../controllers/index.ts";
import { EGRET_VERSION } from "../../server/api-paths.ts";
import { COMMANDS, commandOf } from "../../server/command-line/commands.ts";
import { usageLine } from "../../server/command-line/help.ts";
import type { CommandLine } from "../../server/command-line/read-command-line.ts";
import { UsageError } from "../../server/errors.ts";
import { tableText } from "../requests/text-table.ts";
import { bashCompletion } from "./bash-completion.ts";
import { fishCompletion } from "./fish-completion.ts";
import { zshCompletion } from "./zsh-completion.ts";

/** `egret --version`. */
export function version(): number {
  const { gitVersion } = versionInfo({ egretVersion: EGRET_VERSION, buildDate: "", platform: "" });
  process.stdout.write(
    `egret ${EGRET_VERSION} (as kube-apiserver ${gitVersion}; Node ${process.versions.node})\n`,
  );
  return 0;
}

/** `egret controllers`. */
export function listControllers(): number {
  const rows = controllerDescriptors.map(({ name, offByDefault, summary = "" }) => [
    name,
    offByDefault === true ? "off" : "on",
    summary,
  ]);
  process.stdout.write(tableText([["NAME", "DEFAULT", "WHAT IT DOES"], ...rows]));
  return 0;
}

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `egret completion SHELL`. Throws UsageError. */
export function completion({ words }: CommandLine): number {
  const [shell = "", ...more] = words;
  if (!isShell(shell) || more.length > 0)
    throw new UsageError(`name one shell: ${usageLine(commandOf("completion"))}`);
  process.stdout.write(SCRIPTS[shell](COMMANDS));
  return 0;
}

const isShell = (word: string): word is keyof typeof SCRIPTS => Object.hasOwn(SCRIPTS, word);
