// Parses the progress report of an import, one JSON object per line. Pure.
import type { ToldStatus } from "../frame/ask.ts";

export interface ImportTold {
  readonly objects: number;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
  readonly hints: readonly string[];
}

type Line =
  | { readonly report: ImportTold }
  | { readonly error: ToldStatus }
  | { readonly done: number; readonly total: number };

/** The last complete line of the answer so far; undefined before the first one. */
export function lastLine(text: string): Line | undefined {
  const line =
    text
      .slice(0, text.lastIndexOf("\n") + 1)
      .trimEnd()
      .split("\n")
      .at(-1) ?? "";
  return line === "" ? undefined : (JSON.parse(line) as Line); // type of a line in the answer of POST /import/file
}

/** Result of an import as text. */
export function toldOf({ objects, skipped, hints }: ImportTold): string {
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  const [first] = skipped;
  return [
    `${objects.toLocaleString()} ${objects === 1 ? "object" : "objects"} written`,
    ...(first
      ? [`${left.toLocaleString()} left out (${first.reason}${skipped.length > 1 ? ", …" : ""})`]
      : []),
    ...hints,
  ].join("; ");
}
