// Columns for people to read.
import { greatest } from "../../meta/lists.ts";

/** Rows of cells as lines of columns, the first row above them as their names. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    greatest(
      rows.map((row) => row[column]?.length ?? 0),
      0,
    ),
  );
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}
