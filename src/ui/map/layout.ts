// Rows → positions. The height depends only on the row, so that no DOM measurement is needed. Pure.
import type { Row } from "./fold.ts";

/** Top offset of each row; the last entry is the total height. */
export interface Layout {
  readonly tops: Float64Array;
  readonly height: number;
}

/** Visible part of a column. */
export interface View {
  readonly scroll: number;
  readonly height: number;
}

/** In pixels at a root font size of 16; `scale` is the ratio of the actual size to that. */
const HEIGHTS = { namespace: 46, pod: 28, group: 40, head: 34, address: 24, reason: 24, foot: 8 } as const;
const NODE = { head: 34, meter: 17, foot: 6 } as const;
export const GAP = 8;
/** Rows rendered above and below the visible part. */
const SPARE = 6;
const ROWS_MAX = 40;

/** Without the gap below the row, and without `scale`. */
export function heightOf(row: Row): number {
  if (row.kind === "target") {
    const { addresses, mark } = row.of;
    const reason = mark === "bad" || mark === "wait" ? HEIGHTS.reason : 0;
    return HEIGHTS.head + HEIGHTS.address * addresses.length + reason + HEIGHTS.foot;
  }
  if (row.kind === "node") return NODE.head + NODE.meter * linesBelow(row) + NODE.foot;
  return HEIGHTS[row.kind];
}

/** Nodes that are not assignable and hold no address have no meters. */
export const hasMeters = ({ of }: Extract<Row, { kind: "node" }>): boolean => of.isAssignable || of.used > 0;

/** Number of lines below the heading: the meters, and the planned state. */
const linesBelow = (row: Extract<Row, { kind: "node" }>): number =>
  (hasMeters(row) ? row.of.meters.length : 0) + (row.of.ghost === undefined ? 0 : 1);

export function layoutOf(rows: readonly Row[], scale = 1): Layout {
  const tops = new Float64Array(rows.length + 1);
  let top = 0;
  rows.forEach((row, index) => {
    tops[index] = top;
    top += (heightOf(row) + GAP) * scale;
  });
  tops[rows.length] = top;
  return { tops, height: top };
}

/** Range of rows to render, `to` exclusive. */
export function visibleRows({ tops }: Layout, { scroll, height }: View): readonly [from: number, to: number] {
  const count = tops.length - 1;
  const first = rowAt(tops, scroll);
  const last = rowAt(tops, scroll + height);
  const from = Math.max(0, first - SPARE);
  return [from, Math.min(count, Math.max(last + 1 + SPARE, 0), from + ROWS_MAX)];
}

/** The row at a y position, by binary search. */
function rowAt(tops: Float64Array, y: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Offset within a row where a line ends: at an address, or in the middle of the row's upper part. */
export function anchorIn(row: Row, address?: number): number {
  if (row.kind !== "target" || address === undefined) return Math.min(heightOf(row), HEIGHTS.namespace) / 2;
  return HEIGHTS.head + HEIGHTS.address * (address + 0.5);
}

/** The scroll position at which the row is completely visible. */
export function scrollTo({ tops }: Layout, index: number, { scroll, height }: View): number {
  const [top = 0, bottom = 0] = [tops[index], tops[index + 1]];
  if (top < scroll) return top;
  return bottom > scroll + height ? bottom - height : scroll;
}
