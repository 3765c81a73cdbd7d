// Line diff with a minimal edit script (Myers 1986).

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Limit of the edit distance. Texts that differ more are shown as all lines removed and all lines added. */
const STEPS_MAX = 2000;

export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let [start, end] = [0, 0];
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: " ", text }));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** The changed lines with `context` lines around them; undefined marks a gap. */
export function withContext(lines: readonly DiffLine[], context = 3): (DiffLine | undefined)[] {
  const near = lines.map(() => false);
  lines.forEach(({ sign }, index) => {
    if (sign === " ") return;
    near.fill(true, Math.max(0, index - context), index + context + 1);
  });
  const shown: (DiffLine | undefined)[] = [];
  lines.forEach((line, index) => {
    if (near[index]) shown.push(line);
    else if (shown.length === 0 || shown.at(-1) !== undefined) shown.push(undefined);
  });
  return shown;
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const reached = furthest(before, after);
  if (!reached) return [...signed("-", before), ...signed("+", after)];
  const lines: DiffLine[] = [];
  let [x, y] = [before.length, after.length];
  const bothBack = (): void => {
    y--;
    lines.push({ sign: " ", text: before[--x] ?? "" });
  };
  for (let step = reached.length - 1; step > 0; step--) {
    const last = reached[step - 1] ?? new Map();
    const diagonal = x - y;
    const isDown =
      diagonal === -step || (diagonal !== step && at(last, diagonal - 1) < at(last, diagonal + 1));
    const fromX = at(last, isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX + (isDown ? 0 : 1)) bothBack();
    if (isDown) lines.push({ sign: "+", text: after[--y] ?? "" });
    else lines.push({ sign: "-", text: before[--x] ?? "" });
  }
  while (x > 0) bothBack();
  return lines.reverse();
}

const signed = (sign: "-" | "+", texts: readonly string[]): DiffLine[] =>
  texts.map((text) => ({ sign, text }));
const at = (reached: ReadonlyMap<number, number>, diagonal: number): number => reached.get(diagonal) ?? -1;

/** The furthest x of each diagonal, per number of edits; undefined if STEPS_MAX is exceeded. */
function furthest(
  before: readonly string[],
  after: readonly string[],
): ReadonlyMap<number, number>[] | undefined {
  const all: Map<number, number>[] = [];
  let last = new Map<number, number>([[1, 0]]);
  for (let step = 0; step <= Math.min(before.length + after.length, STEPS_MAX); step++) {
    const now = new Map<number, number>();
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      const isDown =
        diagonal === -step || (diagonal !== step && at(last, diagonal - 1) < at(last, diagonal + 1));
      let x = isDown ? at(last, diagonal + 1) : at(last, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      now.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return [...all, now];
    }
    all.push(now);
    last = now;
  }
  return undefined;
}
