// What the command says of itself: its version, the controllers it has, and completion for shells.

import process from "node:process";
import { versionInfo } from "../apiserver/discovery/discovery.ts";
import { controllerDescriptors } from "../controllers/index.ts";
import { COMMANDS, usageError } from "../server/command-line/commands.ts";
import type { CommandLine } from "../server/command-line/read-command-line.ts";
import { EGRET_VERSION } from "../server/paths.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "./completion.ts";
import { tableText } from "./terminal.ts";

/** `egret --version`. */
export function version(): number {
  const { gitVersion } = versionInfo({ egretVersion: EGRET_VERSION, buildDate: "", platform: "" });
  process.stdout.write(
    `egret ${EGRET_VERSION} (as kube-apiserver ${gitVersion}; Node ${process.versions.node})\n`,
  );
  return 0;
}

/** `egret controllers`. */
export function listControllers(): void {
  const rows = controllerDescriptors.map(({ name, offByDefault, summary = "" }) => [
    name,
    offByDefault === true ? "off" : "on",
    summary,
  ]);
  process.stdout.write(tableText([["NAME", "DEFAULT", "WHAT IT DOES"], ...rows]));
}

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `egret completion SHELL`. Throws UsageError. */
export function completion({ words }: CommandLine): void {
  const [shell = "", ...more] = words;
  if (!isShell(shell) || more.length > 0) throw usageError("name one shell", "completion");
  process.stdout.write(SCRIPTS[shell](COMMANDS));
}

const isShell = (word: string): word is keyof typeof SCRIPTS => Object.hasOwn(SCRIPTS, word);
