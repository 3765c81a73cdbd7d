// Terminal output: progress, colors and tables.

import process from "node:process";
import { styleText } from "node:util";
import { systemClock } from "../apimachinery/meta/clock.ts";
import { greatest } from "../apimachinery/meta/lists.ts";
import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import type { Paint, Tone } from "../ovn/tell.ts";
import type { Environment } from "../server/options/read-command-line.ts";
import { drawProgress } from "./output.ts";

const EVERY_MS = 100;
/** Moves to the start of the line and clears it. */
const CLEAR = "\r\u001b[K";

/** One line on standard error that is overwritten, on terminals only. */
export class Progress implements Disposable {
  readonly #what: string;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isShown = false;

  /** `what` is a past participle: "applied", "restored". */
  constructor(what: string) {
    this.#what = what;
  }

  /** Reports whether standard error is a terminal. */
  get isSeen(): boolean {
    return process.stderr.isTTY === true;
  }

  /** At most ten times per second. `total` 0: unknown. */
  show(done: number, total: number): void {
    if (!this.isSeen) return;
    const now = systemClock.now();
    if (now - this.#lastMs < EVERY_MS && done < total) return;
    this.#lastMs = now;
    const share = total > 0 ? ` of ${total} (${Math.floor((done / total) * 100)} %)` : "";
    drawProgress(CLEAR, `${this.#what} ${done}${share}`);
    this.#isShown = true;
  }

  /** Clears the line before other output. */
  clear(): void {
    if (this.#isShown) drawProgress(CLEAR, "");
    this.#isShown = false;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

const LOOKS = {
  sentence: "bold",
  title: "bold",
  columns: "dim",
  good: "green",
  bad: "red",
  unsure: "yellow",
} as const satisfies Record<Tone, string>;

/**
 * Colors are for terminals; NO_COLOR disables them, and FORCE_COLOR enables them for any output (no-color.org,
 * force-color.org).
 */
export function hasColours(isTerminal: boolean, env: Environment): boolean {
  const { FORCE_COLOR: force, NO_COLOR: none = "", TERM: terminal } = env;
  if (force !== undefined) return force !== "0" && force !== "false";
  return none === "" && isTerminal && terminal !== "dumb";
}

/** undefined: the output has no colors. */
export const painterOf = (env: Environment): Paint | undefined =>
  hasColours(process.stdout.isTTY === true, env)
    ? (tone, text) => styleText(LOOKS[tone], text, { validateStream: false })
    : undefined;

/** Formats rows of cells as columns; the first row holds their names. */
export function tableText(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(shownInLine));
  const widthOf = (column: number) =>
    greatest(
      rows.map((row) => row[column]?.length ?? 0),
      0,
    );
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}
