// The lists of commands and flags in src/cli/README.md, generated from the tables of the command line.
import { COMMANDS } from "../src/cli/commands.ts";
import { choicesText, defaultText } from "../src/cli/help.ts";
import { FLAGS } from "../src/server/options/options.ts";

/** The document with the lists. */
export const REFERENCE = "src/cli/README.md";
const COLUMNS_MAX = 120;

/** Returns the text of the document with current lists. */
export function withLists(text: string): string {
  const commands = COMMANDS.map(({ word, summary }) => item(`\`egret ${word}\`: ${summary}`));
  const flags = FLAGS.map((flag) => {
    const name = `\`--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}\``;
    const fallback = defaultText(flag);
    const meaning = [flag.text, ...choicesText(flag)].join("; ");
    return item(`${name}${fallback === "" ? "" : ` (default ${fallback})`}: ${meaning}`);
  });
  const lists = { commands: commands.join(""), flags: flags.join("") };
  return Object.entries(lists).reduce((so, [name, list]) => between(so, name, list), text);
}

function between(text: string, name: string, list: string): string {
  const marks = [`<!-- ${name} -->\n\n`, `\n<!-- /${name} -->`] as const;
  const [before, rest] = text.split(marks[0]);
  const after = rest?.split(marks[1])[1];
  if (before === undefined || after === undefined) throw new Error(`${REFERENCE} has no place for ${name}`);
  return `${before}${marks[0]}${list}${marks[1]}${after}`;
}

/** An item of a list, wrapped at blanks; code in backquotes may be wrapped as well. */
function item(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length + 2 > COLUMNS_MAX) lines.push(` ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line, index) => `${index === 0 ? "-" : " "}${line}\n`).join("");
}
