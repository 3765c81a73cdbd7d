// Two builds measured alternately: each figure of both, and the significance of the difference.
import { median } from "../measure.ts";
import type { Row } from "../report/row.ts";
import { short } from "../report/table.ts";

/** The same rows of the other build and of this one, measured in direct succession. */
export interface Pair {
  readonly other: readonly Row[];
  readonly ours: readonly Row[];
}

export interface Difference {
  readonly operation: string;
  readonly clients?: number | undefined;
  readonly figure: string;
  readonly other: number;
  readonly ours: number;
  /** The median of the ratios of the pairs, ours to the other's. */
  readonly ratio: number;
  readonly pairs: number;
  /** The number of pairs in which this build was better. */
  readonly better: number;
  /** The probability, from 0 to 1, that chance alone makes so many pairs agree. */
  readonly chance: number;
}

interface Figure {
  readonly name: (row: Row) => string;
  readonly of: (row: Row) => number | undefined;
  readonly moreIsBetter?: boolean;
}

const FIGURES: readonly Figure[] = [
  { name: () => "cpu µs", of: ({ cpuUs }) => cpuUs },
  { name: () => "per second", of: ({ perSecond }) => perSecond, moreIsBetter: true },
  { name: () => "p99 ms", of: ({ p99Ms }) => p99Ms },
  { name: ({ unit = "" }) => unit, of: ({ value }) => value },
];

export function differencesOf(pairs: readonly Pair[]): Difference[] {
  return (pairs[0]?.ours ?? []).flatMap((row) =>
    FIGURES.flatMap((figure) => {
      const both = pairs.flatMap(({ other, ours }) => {
        const [there, here] = [other, ours].map((rows) => figureIn(rows, row.id, figure));
        return there && here ? [{ there, here }] : [];
      });
      return both.length === 0 ? [] : [differenceOf(row, figure, both)];
    }),
  );
}

function figureIn(rows: readonly Row[], id: string, { of }: Figure): number | undefined {
  const row = rows.find((candidate) => candidate.id === id);
  return row === undefined ? undefined : of(row);
}

function differenceOf(
  row: Row,
  { name, moreIsBetter = false }: Figure,
  both: readonly { readonly there: number; readonly here: number }[],
): Difference {
  const { operation, clients } = row;
  const better = both.filter(({ there, here }) => (moreIsBetter ? here > there : here < there)).length;
  const worse = both.filter(({ there, here }) => (moreIsBetter ? here < there : here > there)).length;
  return {
    operation,
    clients,
    figure: name(row),
    other: median(both.map(({ there }) => there)),
    ours: median(both.map(({ here }) => here)),
    ratio: median(both.map(({ there, here }) => here / there)),
    pairs: both.length,
    better,
    chance: chanceOf(better, worse),
  };
}

/** The two-sided sign test: the probability that as many or more fair coins fall on the same side. Ties do not count. */
export function chanceOf(heads: number, tails: number): number {
  const throws = heads + tails;
  let ways = 1;
  let sum = 0;
  for (let side = 0; side <= Math.min(heads, tails); side++) {
    sum += ways;
    ways = (ways * (throws - side)) / (side + 1);
  }
  return Math.min(1, (2 * sum) / 2 ** throws);
}

export function linesOf(differences: readonly Difference[], other: string): string[] {
  const head = ["operation", "clients", "figure", other, "here", "here / there", "better in", "by chance"];
  const cells = differences.map((difference) => [
    difference.operation,
    String(difference.clients ?? ""),
    difference.figure,
    short(difference.other),
    short(difference.ours),
    difference.ratio.toFixed(3),
    `${difference.better} of ${difference.pairs}`,
    `${Math.round(100 * difference.chance)} %`,
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...cells].map((row) => row[at]?.length ?? 0)));
  return [head, ...cells].map((row) =>
    row
      .map((cell, at) =>
        at === 0 || at === 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join("  "),
  );
}
