// Keyboard stops of a column: one for each address of a card, and one for each other row. A column has a single tab stop,
// which follows the arrow keys and its object. Pure.
import type { Row } from "./fold.ts";

export const stopsOf = (row: Row): readonly string[] =>
  row.kind === "target" ? row.of.addresses.map((_, index) => `${row.key}#${index}`) : [row.key];

/** The row key of a stop. */
export const rowKeyOf = (stop: string): string => stop.replace(/#\d+$/, "");

export type Step = "ArrowDown" | "ArrowUp" | "Home" | "End";
export const isStep = (key: string): key is Step =>
  key === "ArrowDown" || key === "ArrowUp" || key === "Home" || key === "End";

/** The stop after a key; at both ends it stays. */
export function stepFrom(rows: readonly Row[], stop: string, step: Step): string {
  if (step === "Home") return rows[0] ? (stopsOf(rows[0])[0] ?? "") : "";
  if (step === "End") return lastStop(rows.at(-1));
  const at = rows.findIndex(({ key }) => key === rowKeyOf(stop));
  const here = rows[at];
  if (!here) return stepFrom(rows, stop, "Home");
  const stops = stopsOf(here);
  const within = stops.indexOf(stop);
  if (step === "ArrowDown") return stops[within + 1] ?? stopsAt(rows, at + 1)[0] ?? stop;
  return within > 0 ? (stops[within - 1] ?? stop) : (stopsAt(rows, at - 1).at(-1) ?? stop);
}

const stopsAt = (rows: readonly Row[], at: number): readonly string[] => {
  const row = rows[at];
  return row ? stopsOf(row) : [];
};
const lastStop = (row: Row | undefined): string => (row ? (stopsOf(row).at(-1) ?? "") : "");

/** The stop of the same object if it still exists, otherwise of the row now at its index. */
export function keptStop(rows: readonly Row[], stop: string, place: number): string {
  const row = rows.find(({ key }) => key === rowKeyOf(stop)) ?? rows[Math.min(place, rows.length - 1)];
  if (!row) return "";
  const stops = stopsOf(row);
  return stops.includes(stop) ? stop : (stops[0] ?? "");
}
