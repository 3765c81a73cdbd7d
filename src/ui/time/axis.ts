// Time axis of the timeline. Long pauses are folded to a fixed width, which leaves more width for entries. Pure.

interface Piece {
  readonly fromMs: number;
  readonly toMs: number;
  readonly left: number;
  readonly right: number;
  readonly isFold: boolean;
}

export interface Axis {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

/** Width of a fold in pixels. */
const FOLD_PX = 22;
const FOLDS_MAX = 8;
/** A pause is folded if it is longer than PAUSE_MS_MIN and than PAUSE_PART of the whole range. */
const PAUSE_MS_MIN = 10_000;
const PAUSE_PART = 1 / 12;

/** `times` is sorted; times outside fromMs to toMs are ignored. */
export function axisOf(times: readonly number[], fromMs: number, toMs: number, width: number): Axis {
  const end = Math.max(toMs, fromMs + 1);
  const inside = [fromMs, ...times.filter((ms) => ms > fromMs && ms < end), end];
  const pauses = inside
    .slice(1)
    .map((ms, index) => ({ from: inside[index] ?? fromMs, to: ms }))
    .filter(({ from, to }) => to - from > Math.max(PAUSE_MS_MIN, (end - fromMs) * PAUSE_PART))
    .sort((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, FOLDS_MAX)
    .sort((a, b) => a.from - b.from);
  // 5 % of a pause stays unfolded on each side that has an entry.
  const folds = pauses.map(({ from, to }) => {
    const rest = (to - from) / 20;
    return { from: from === fromMs ? from : from + rest, to: to === end ? to : to - rest };
  });
  const folded = folds.reduce((sum, { from, to }) => sum + to - from, 0);
  const perMs = Math.max(0, width - folds.length * FOLD_PX) / Math.max(1, end - fromMs - folded);
  const pieces: Piece[] = [];
  let [ms, left] = [fromMs, 0];
  const add = (toMs: number, wide: number, isFold: boolean) => {
    if (toMs <= ms) return;
    pieces.push({ fromMs: ms, toMs, left, right: left + wide, isFold });
    [ms, left] = [toMs, left + wide];
  };
  for (const { from, to } of folds) {
    add(from, (from - ms) * perMs, false);
    add(to, FOLD_PX, true);
  }
  add(end, (end - ms) * perMs, false);
  return { pieces, width };
}

/** Returns a position outside the axis for times outside its range. */
export function xOf({ pieces, width }: Axis, ms: number): number {
  const [first] = pieces;
  if (!first || ms < first.fromMs) return -1;
  const piece = pieces.find(({ toMs }) => ms <= toMs);
  if (!piece) return width + 1;
  const { fromMs, toMs, left, right } = piece;
  return left + ((ms - fromMs) / (toMs - fromMs)) * (right - left);
}

export function msAt({ pieces }: Axis, x: number): number {
  const piece = pieces.find(({ right }) => x <= right) ?? pieces.at(-1);
  if (!piece) return 0;
  const { fromMs, toMs, left, right } = piece;
  const part = right === left ? 0 : Math.max(0, Math.min(1, (x - left) / (right - left)));
  return fromMs + part * (toMs - fromMs);
}

const STEPS_S = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 604_800];

/** Axis ticks: round ones, at least `apart` pixels from each other. */
export function ticksOf({ pieces }: Axis, apart: number): { readonly x: number; readonly ms: number }[] {
  const found: { x: number; ms: number }[] = [];
  for (const { fromMs, toMs, left, right, isFold } of pieces) {
    if (isFold || right - left < apart / 2) continue;
    const perMs = (right - left) / (toMs - fromMs);
    const stepMs = (STEPS_S.find((step) => step * 1000 * perMs >= apart) ?? STEPS_S.at(-1) ?? 1) * 1000;
    for (let ms = Math.ceil(fromMs / stepMs) * stepMs; ms <= toMs; ms += stepMs) {
      const x = left + (ms - fromMs) * perMs;
      if (x - (found.at(-1)?.x ?? Number.NEGATIVE_INFINITY) >= apart) found.push({ x, ms });
    }
  }
  return found;
}
