// The README's tables that are generated from the tables of the command line.
import { COMMANDS } from "../src/cli/commands.ts";
import { choicesText, defaultText } from "../src/cli/help.ts";
import { FLAGS } from "../src/server/options/options.ts";

/** Returns the text of the README with current tables. */
export function withTables(readme: string): string {
  const commands = COMMANDS.map(({ word, summary }) => [`\`egret ${word}\``, summary]);
  const flags = FLAGS.map((flag) => [
    `\`--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}\``,
    defaultText(flag),
    [flag.text, ...choicesText(flag)].join("; "),
  ]);
  const tables = {
    commands: markdown([["command", "what it does"], ...commands]),
    flags: markdown([["flag", "default", "meaning"], ...flags]),
  };
  return Object.entries(tables).reduce((text, [name, table]) => between(text, name, table), readme);
}

function between(text: string, name: string, table: string): string {
  const marks = [`<!-- ${name} -->\n\n`, `\n<!-- /${name} -->`] as const;
  const [before, rest] = text.split(marks[0]);
  const after = rest?.split(marks[1])[1];
  if (before === undefined || after === undefined) throw new Error(`the README has no place for ${name}`);
  return `${before}${marks[0]}${table}${marks[1]}${after}`;
}

/** Rows of cells; the first row holds the headings. */
function markdown(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = (safe[0] ?? []).map((_, column) => Math.max(...safe.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  const [head = [], ...body] = safe;
  return [lineOf(head), lineOf(widths.map((width) => "-".repeat(width))), ...body.map(lineOf)].join("");
}
