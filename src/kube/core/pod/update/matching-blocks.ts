// Matching blocks of Python's difflib between two texts: the longest run of equal lines first, then the longest to its left
// and right. A new search for each takes quadratic time, so all runs are found once. The longest remaining run is taken, and
// the others are cut to the gaps that remain.
//
//   a  x x A B C y        runs, by size: (2,0,3) A B C, then (0,4,2) x x. The first leaves two gaps, one before
//   b  A B C z x x        and one after it; the second is in neither, as x x is before it in a and after it in b.

export interface Block {
  /** Start in each text, and number of lines. */
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** In a text of at least this many lines, a line that makes up more than a hundredth of them does not start a match. */
const POPULAR_FROM = 200;

/** In order; adjacent blocks are merged. */
export function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const search = new BlockSearch(a, b);
  const bySize: Block[][] = [];
  const keep = (run: Block): void => {
    bySize[run.size] ??= [];
    bySize[run.size]?.push(run);
  };
  for (const run of runsOf(a, b)) keep(run);
  for (let size = bySize.length - 1; size > 0; size--) {
    // Parts cut from longer runs follow the runs that had this size initially.
    const runs = (bySize[size] ?? []).sort((one, other) => one.a - other.a || one.b - other.b);
    for (const run of runs) for (const part of search.take(run)) keep(part);
  }
  search.fillCorners();
  return joined(search.taken);
}

/** Number of line pairs that may start a match: the cost of the search. */
export function pairsBetween(a: readonly string[], b: readonly string[]): number {
  const places = placesOf(b);
  return a.reduce((pairs, line) => pairs + (places.get(line)?.length ?? 0), 0);
}

/** Maximal runs of lines that may start a match. */
function runsOf(a: readonly string[], b: readonly string[]): Block[] {
  const places = placesOf(b);
  const runs: { a: number; b: number; size: number }[] = [];
  // Run that ends at each line of b (at index + 1; -1: none), for the previous line of a and for the current one.
  let before = new Int32Array(b.length + 1).fill(-1);
  let now = new Int32Array(b.length + 1).fill(-1);
  let filledBefore: readonly number[] = [];
  let filled: readonly number[] = [];
  for (let i = 0; i < a.length; i++) {
    for (const j of filledBefore) now[j + 1] = -1; // of the line before the last
    filledBefore = filled;
    filled = places.get(a[i] ?? "") ?? [];
    for (const j of filled) {
      const known = before[j] ?? -1;
      const run = known < 0 ? undefined : runs[known];
      if (run) run.size++;
      now[j + 1] = run ? known : runs.push({ a: i, b: j, size: 1 }) - 1;
    }
    [before, now] = [now, before];
  }
  return runs;
}

function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const known = places.get(line);
    if (known) known.push(index);
    else places.set(line, [index]);
  });
  if (lines.length < POPULAR_FROM) return places;
  const often = Math.floor(lines.length / 100) + 1;
  for (const [line, at] of places) if (at.length > often) places.delete(line);
  return places;
}

/** Taken blocks, and the gaps between them. */
class BlockSearch {
  readonly taken: Block[] = [];
  readonly #a: readonly string[];
  readonly #b: readonly string[];

  constructor(a: readonly string[], b: readonly string[]) {
    this.#a = a;
    this.#b = b;
  }

  /** Takes the run if it is within one gap; otherwise returns its parts in the gaps, for later. */
  take(run: Block): Block[] {
    const parts: Block[] = [];
    const end = run.a + run.size;
    for (let index = this.#blockBehind(run.a); ; index++) {
      const room = this.#room(index);
      if (room.aFrom >= end) break;
      const from = Math.max(run.a, room.aFrom, room.bFrom - run.b + run.a);
      const to = Math.min(end, room.aTo, room.bTo - run.b + run.a);
      if (from === run.a && to === end) {
        this.taken.splice(index, 0, this.#widened(run, room));
        return [];
      }
      if (from < to) parts.push({ a: from, b: from - run.a + run.b, size: to - from });
      if (index === this.taken.length) break;
    }
    return parts;
  }

  /** Lines that cannot start a match are matched at the start of a gap without any other match. */
  fillCorners(): void {
    const corners: Block[] = [];
    for (let index = 0; index <= this.taken.length; index++) {
      const room = this.#room(index);
      const corner = this.#widened({ a: room.aFrom, b: room.bFrom, size: 0 }, room);
      if (corner.size > 0) corners.push(corner);
    }
    for (const corner of corners) this.taken.push(corner);
    this.taken.sort((one, other) => one.a - other.a);
  }

  /** The first block that ends after the line of a. */
  #blockBehind(line: number): number {
    let [low, high] = [0, this.taken.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.taken[middle];
      if (block && block.a + block.size <= line) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The gap between a block and the previous one. */
  #room(index: number): Room {
    const before = this.taken[index - 1];
    const behind = this.taken[index];
    return {
      aFrom: before ? before.a + before.size : 0,
      bFrom: before ? before.b + before.size : 0,
      aTo: behind?.a ?? this.#a.length,
      bTo: behind?.b ?? this.#b.length,
    };
  }

  /** Extended by the equal lines around it, including those that cannot start a match. */
  #widened({ a, b, size }: Block, { aFrom, aTo, bFrom, bTo }: Room): Block {
    let [i, j, length] = [a, b, size];
    while (i > aFrom && j > bFrom && this.#a[i - 1] === this.#b[j - 1]) {
      i--;
      j--;
      length++;
    }
    while (i + length < aTo && j + length < bTo && this.#a[i + length] === this.#b[j + length]) length++;
    return { a: i, b: j, size: length };
  }
}

interface Room {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

function joined(blocks: readonly Block[]): Block[] {
  const out: Block[] = [];
  for (const block of blocks) {
    const last = out.at(-1);
    if (last && last.a + last.size === block.a && last.b + last.size === block.b) {
      out[out.length - 1] = { ...last, size: last.size + block.size };
    } else out.push(block);
  }
  return out;
}
