// What the server tells of an import, line by line. Pure.
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

/** Of what the server has told so far the last whole line; undefined before the first. */
export function lastLine(text: string): Line | undefined {
  const line =
    text
      .slice(0, text.lastIndexOf("\n") + 1)
      .trimEnd()
      .split("\n")
      .at(-1) ?? "";
  return line === "" ? undefined : (JSON.parse(line) as Line); // what POST /import/file answers
}

/** For people: what has come of a file. */
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
