// Help texts, generated from the tables of commands and flags.
import type { Command, CommandWord, Flag } from "../server/options/flag.ts";
import { HELP_FLAG, variableOf } from "../server/options/flag.ts";

const FLAG_COLUMN = 38;
const LINE_MAX = 120;

/** `egret --help`: all commands, and the flags of the server. */
export function overviewText(commands: readonly Command[]): string {
  const serve = commands.find(({ word }) => word === "serve");
  const rows = commands.map(({ word, summary }) => `  ${word.padEnd(13)}${plain(summary)}`);
  return `egret: a Kubernetes API server for the egress APIs of k8s.ovn.org

Usage: egret [serve] [flags]
       egret COMMAND …

Commands (egret COMMAND --help says more):
${rows.join("\n")}

${flagsText(serve?.flags ?? [])}`;
}

/** `egret WORD --help`. */
export function commandHelp({ word, usage, summary, text, words = [], flags }: Command): string {
  const forms = usage.map((form) => `egret ${word} ${form}`.trimEnd()).join("\n       ");
  const lead = `${plain(summary).replace(/^./, (letter) => letter.toUpperCase())}.`;
  const about = text === undefined ? [] : ["", text];
  const listed = words.length === 0 ? [] : ["", ...words.map(wordText)];
  return `${[`Usage: ${forms}`, "", lead, ...about, ...listed].join("\n")}\n\n${flagsText(flags)}`;
}

const wordText = ({ word, value, text }: CommandWord): string =>
  columns(`${word}${value === undefined ? "" : ` ${value}`}`, text);

function flagsText(flags: readonly Flag[]): string {
  const lines = [...flags, HELP_FLAG].map((flag) => columns(`${flagName(flag)}`, plain(flagText(flag))));
  return `Flags:\n${lines.join("\n")}\n${variableNote(flags.filter(({ variable }) => variable === true))}`;
}

function variableNote([first, ...more]: readonly Flag[]): string {
  if (first === undefined) return "";
  const { name } = first;
  return more.length > 1
    ? `\nEach flag can be said by a variable, too: --${name} is ${variableOf(first)}. A flag goes before it.\n`
    : `\n${[first, ...more].map((flag) => `--${flag.name} can be said by the variable ${variableOf(flag)}, too.`).join("\n")}\n`;
}

function flagName({ name, short, value }: Flag): string {
  const both = short === undefined ? `    --${name}` : `-${short}, --${name}`;
  return value === undefined ? both : `${both} ${value}`;
}

/** Description, choices and default of a flag. */
function flagText(flag: Flag): string {
  const told = defaultText(flag);
  const known = [...choicesText(flag), ...(told === "" ? [] : [`default ${told}`])];
  return known.length === 0 ? flag.text : `${flag.text} (${known.join("; ")})`;
}

/** The default of the flag; "" without a default. */
export function defaultText({ default: fallback = "", defaultText: told }: Flag): string {
  return told ?? (fallback === "" ? "" : `\`${fallback}\``);
}

/** The choices of the flag; empty without choices. */
export function choicesText({ choices = [], multiple }: Flag): string[] {
  if (choices.length < 2) return [];
  return [`${multiple === true ? "any" : "one"} of \`${choices.join("`, `")}\``];
}

/** Two columns. Text that exceeds the line continues below in the second column. */
function columns(left: string, right: string): string {
  const start = `  ${left}`;
  const lines = wrapped(right, LINE_MAX - FLAG_COLUMN);
  const indent = " ".repeat(FLAG_COLUMN);
  if (start.length + 2 > FLAG_COLUMN) return [start, ...lines.map((line) => indent + line)].join("\n");
  return lines.map((line, index) => (index === 0 ? start.padEnd(FLAG_COLUMN) : indent) + line).join("\n");
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The text without the backticks around code. */
export const plain = (text: string): string => text.replaceAll("`", "");
