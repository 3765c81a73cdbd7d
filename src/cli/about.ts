// Information about the command itself: its version, its controllers, and shell completion.

import process from "node:process";
import { versionInfo } from "../apiserver/endpoints/discovery/discovery.ts";
import { controllerDescriptors } from "../server/controller-list.ts";
import { type Command, type Flag, HELP_FLAG } from "../server/options/flag.ts";
import type { CommandLine } from "../server/options/read-command-line.ts";
import { EGRET_VERSION } from "../server/paths.ts";
import { COMMANDS, usageError } from "./commands.ts";
import { plain } from "./help.ts";
import { print, printDocument } from "./output.ts";
import { tableText } from "./terminal.ts";

/** `egret --version`. */
export function version(): number {
  const { gitVersion } = versionInfo({ egretVersion: EGRET_VERSION, buildDate: "", platform: "" });
  print(`egret ${EGRET_VERSION} (as kube-apiserver ${gitVersion}; Node ${process.versions.node})\n`);
  return 0;
}

/** `egret controllers`. */
export function listControllers(): void {
  const rows = controllerDescriptors.map(({ name, offByDefault, ofCluster, summary = "" }) => [
    name,
    ofCluster === true ? "--cluster" : offByDefault === true ? "off" : "on",
    summary,
  ]);
  print(tableText([["NAME", "DEFAULT", "WHAT IT DOES"], ...rows]));
}

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `egret completion SHELL`. Throws UsageError. */
export function completion({ words }: CommandLine): void {
  const [shell = "", ...more] = words;
  if (!isShell(shell) || more.length > 0) throw usageError("name one shell", "completion");
  printDocument(SCRIPTS[shell](COMMANDS));
}

const isShell = (word: string): word is keyof typeof SCRIPTS => Object.hasOwn(SCRIPTS, word);

// Completion for bash, zsh and fish, generated from the table of commands. The scripts send no requests and work
// without a server.

export function bashCompletion(commands: readonly Command[]): string {
  const words = commands.map(({ word }) => word).join(" ");
  return `# bash completion for egret: source <(egret completion bash)
_egret() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=serve offers= i
  # bash takes --flag=value for three words
  if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then
    COMPREPLY=($(compgen -W "${words}" -- "$cur"))
    return
  fi
  if ((COMP_CWORD > 1)) && [[ \${COMP_WORDS[1]} != -* ]]; then command=\${COMP_WORDS[1]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then
      if ((i + 1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- "$cur")); else _egret_files -f; fi
      return
    fi
  done
  case "$command $prev" in
${commands.flatMap((command) => command.flags.flatMap((flag) => bashValue(command, flag))).join("\n")}
  esac
  case $command in
${commands.map(bashCommand).join("\n")}
  esac
  if [[ $offers == -* && $cur != -* ]] && ((\${#COMPREPLY[@]} == 0)); then _egret_files "$offers"; fi
}
_egret_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
complete -F _egret egret
`;
}

/** Completion of a flag's value. */
function bashValue({ word }: Command, flag: Flag): string[] {
  if (flag.type === "boolean") return [];
  const { name, short } = flag;
  const names = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
  return [`    ${names.map((item) => `"${word} ${item}"`).join("|")}) ${bashOffer(flag)}; return ;;`];
}

function bashOffer({ choices, offers }: Flag): string {
  if (choices !== undefined) return `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$cur"))`;
  if (offers === undefined) return ":";
  return `_egret_files ${offers === "file" ? "-f" : "-d"}`;
}

function bashCommand({ word, words = [], flags, offers }: Command): string {
  const named = [...words.map((item) => item.word), ...[...flags, HELP_FLAG].map(({ name }) => `--${name}`)];
  const files = offers === undefined ? "" : `offers=${offers === "file" ? "-f" : "-d"}; `;
  return `    ${word}) ${files}COMPREPLY=($(compgen -W "${named.join(" ")}" -- "$cur")) ;;`;
}

export function zshCompletion(commands: readonly Command[]): string {
  const described = commands.map(({ word, summary }) => `    ${zshQuoted(`${word}:${plain(summary)}`)}`);
  return `#compdef egret
# zsh completion for egret: egret completion zsh > "\${fpath[1]}/_egret"
_egret() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  local command=serve
  if [[ $words[2] != -* ]]; then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${commands.map(zshCommand).join("\n")}
  esac
}
if [[ $funcstack[1] == _egret ]]; then _egret "$@"; else compdef _egret egret; fi
`;
}

function zshCommand(command: Command): string {
  const specs = [...command.flags, HELP_FLAG].map(zshFlag);
  return `    ${command.word})
      _arguments \\
${[...specs, ...zshWords(command)].map((spec) => `        ${spec}`).join(" \\\n")}
      ;;`;
}

/** '*'{-f+,--filename=}'[a file]:PATH:_files' */
function zshFlag(flag: Flag): string {
  const { name, short, type, multiple, text } = flag;
  const value = type === "string";
  const long = `--${name}${value ? "=" : ""}`;
  const names = short === undefined ? long : `{-${short}${value ? "+" : ""},${long}}`;
  const about = `[${escaped(plain(text))}]${value ? `:${escaped(flag.value ?? "VALUE")}:${zshOffer(flag)}` : ""}`;
  if (multiple === true) return `'*'${names}${zshQuoted(about)}`;
  return short === undefined
    ? `${names}${zshQuoted(about)}`
    : `'(-${short} --${name})'${names}${zshQuoted(about)}`;
}

function zshOffer({ choices, offers }: Flag): string {
  if (choices !== undefined) return `(${choices.join(" ")})`;
  if (offers === undefined) return "";
  return offers === "file" ? "_files" : "_files -/";
}

function zshWords({ word, words = [], offers }: Command): string[] {
  if (word === "run") return [zshQuoted("*::command:_normal")];
  const first = words.length > 0 ? [zshQuoted(`1:word:(${words.map((item) => item.word).join(" ")})`)] : [];
  const rest = offers === undefined ? [] : [zshQuoted(`*:file:_files${offers === "folder" ? " -/" : ""}`)];
  return [...first, ...rest];
}

/** Brackets and colons are special characters of _arguments. */
const escaped = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");
const zshQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function fishCompletion(commands: readonly Command[]): string {
  const words = commands.map(({ word }) => word).join(" ");
  return `# fish completion for egret: egret completion fish | source
set -l egret_commands ${words}
complete -c egret -f
${commands.flatMap((command) => [fishWord(command), ...fishLines(command)]).join("\n")}
`;
}

const fishWord = ({ word, summary }: Command): string =>
  `complete -c egret -n "not __fish_seen_subcommand_from $egret_commands" -a ${word} -d ${fishQuoted(summary)}`;

function fishLines(command: Command): string[] {
  const { word, words = [], flags, offers } = command;
  // Without a command, the flags are those of serve.
  const bare = word === "serve" ? `not __fish_seen_subcommand_from $egret_commands; or ` : "";
  const when = `-n "${bare}__fish_seen_subcommand_from ${word}"`;
  return [
    ...words.map((item) => `complete -c egret ${when} -a ${item.word} -d ${fishQuoted(item.text)}`),
    ...(offers === undefined ? [] : [`complete -c egret ${when} -F`]),
    ...[...flags, HELP_FLAG].map((flag) => `complete -c egret ${when} ${fishFlag(flag)}`),
  ];
}

function fishFlag(flag: Flag): string {
  const { name, short, type, text } = flag;
  const names = `-l ${name}${short === undefined ? "" : ` -s ${short}`}`;
  const value = type === "boolean" ? "" : ` -r${fishOffer(flag)}`;
  return `${names}${value} -d ${fishQuoted(text)}`;
}

function fishOffer({ choices, offers }: Flag): string {
  if (choices !== undefined) return ` -f -a ${fishQuoted(choices.join(" "))}`;
  if (offers === undefined) return " -f";
  return offers === "file" ? " -F" : ` -f -a '(__fish_complete_directories)'`;
}

/** Quotes a text and removes its code marks. */
function fishQuoted(text: string): string {
  return `'${plain(text).replace(/['\\]/g, "\\$&")}'`;
}
