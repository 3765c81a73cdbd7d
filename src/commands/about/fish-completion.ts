// Completion for fish, made of the table of commands.
import { type Command, type Flag, HELP_FLAG } from "../../server/command-line/flag.ts";

export function fishCompletion(commands: readonly Command[]): string {
  const words = commands.map(({ word }) => word).join(" ");
  return `# fish completion for egret: egret completion fish | source
set -l egret_commands ${words}
complete -c egret -f
${commands.flatMap((command) => [wordLine(command), ...linesOf(command)]).join("\n")}
`;
}

const wordLine = ({ word, summary }: Command): string =>
  `complete -c egret -n "not __fish_seen_subcommand_from $egret_commands" -a ${word} -d ${quoted(summary)}`;

function linesOf(command: Command): string[] {
  const { word, words = [], flags, offers } = command;
  // Without a command it is the server that is meant.
  const bare = word === "serve" ? `not __fish_seen_subcommand_from $egret_commands; or ` : "";
  const when = `-n "${bare}__fish_seen_subcommand_from ${word}"`;
  return [
    ...words.map((item) => `complete -c egret ${when} -a ${item.word} -d ${quoted(item.text)}`),
    ...(offers === undefined ? [] : [`complete -c egret ${when} -F`]),
    ...[...flags, HELP_FLAG].map((flag) => `complete -c egret ${when} ${flagWords(flag)}`),
  ];
}

function flagWords(flag: Flag): string {
  const { name, short, type, text } = flag;
  const names = `-l ${name}${short === undefined ? "" : ` -s ${short}`}`;
  const value = type === "boolean" ? "" : ` -r${offerOf(flag)}`;
  return `${names}${value} -d ${quoted(text)}`;
}

function offerOf({ choices, offers }: Flag): string {
  if (choices !== undefined) return ` -f -a ${quoted(choices.join(" "))}`;
  if (offers === undefined) return " -f";
  return offers === "file" ? " -F" : ` -f -a '(__fish_complete_directories)'`;
}

/** In quotes, without the marks around code. */
function quoted(text: string): string {
  return `'${text.replaceAll("`", "").replace(/['\\]/g, "\\$&")}'`;
}
