// Two texts compared line by line, as the unified diff that Python's difflib makes: matching blocks are found by the
// longest run of equal lines, then to its left and right. Refusals of a real server show changes like that.

interface Block {
  /** Where it begins in either text, and how many lines it has. */
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly equal: boolean;
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Lines of either text that are shown around a change. */
const CONTEXT = 3;
/** In a text of so many lines, those that stand in more than a hundredth of them do not begin a match. */
const POPULAR_FROM = 200;

/** The changed parts from a to b with what stands around them; "" when they are equal. Every line ends with a line feed. */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  const changes = changesOf(matchingBlocks(a, b), a.length, b.length);
  return groupsOf(changes)
    .map((group) => showGroup(group, a, b))
    .join("");
}

function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const places = placesOf(b);
  const blocks: Block[] = [];
  const search = (aFrom: number, aTo: number, bFrom: number, bTo: number): void => {
    const found = longestMatch({ a, b, places }, aFrom, aTo, bFrom, bTo);
    if (found.size === 0) return;
    search(aFrom, found.a, bFrom, found.b);
    const last = blocks.at(-1);
    if (last && last.a + last.size === found.a && last.b + last.size === found.b) {
      blocks[blocks.length - 1] = { ...last, size: last.size + found.size };
    } else blocks.push(found);
    search(found.a + found.size, aTo, found.b + found.size, bTo);
  };
  search(0, a.length, 0, b.length);
  return blocks;
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

interface Compared {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** The longest one; of several the first in a, and of these the first in b. */
function longestMatch(
  { a, b, places }: Compared,
  aFrom: number,
  aTo: number,
  bFrom: number,
  bTo: number,
): Block {
  let best: Block = { a: aFrom, b: bFrom, size: 0 };
  let ending = new Map<number, number>();
  for (let i = aFrom; i < aTo; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? "") ?? []) {
      if (j < bFrom) continue;
      if (j >= bTo) break;
      const size = (ending.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    ending = next;
  }
  let { a: i, b: j, size } = best;
  while (i > aFrom && j > bFrom && a[i - 1] === b[j - 1]) {
    i--;
    j--;
    size++;
  }
  while (i + size < aTo && j + size < bTo && a[i + size] === b[j + size]) size++;
  return { a: i, b: j, size };
}

function changesOf(blocks: readonly Block[], aLength: number, bLength: number): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  for (const { a, b, size } of [...blocks, { a: aLength, b: bLength, size: 0 }]) {
    if (i < a || j < b) changes.push({ equal: false, fromA: i, toA: a, fromB: j, toB: b });
    i = a + size;
    j = b + size;
    if (size > 0) changes.push({ equal: true, fromA: a, toA: i, fromB: b, toB: j });
  }
  return changes;
}

/** Changes that are near each other are shown together. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  changes.forEach((change, index) => {
    if (!change.equal) {
      group.push(change);
      return;
    }
    const length = change.toA - change.fromA;
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    if (isFirst && isLast) return;
    if (isFirst) group.push(lastOf(change));
    else if (isLast) group.push(firstOf(change));
    else if (length <= 2 * CONTEXT) group.push(change);
    else {
      group.push(firstOf(change));
      groups.push(group);
      group = [lastOf(change)];
    }
  });
  if (group.some(({ equal }) => !equal)) groups.push(group);
  return groups;
}

const firstOf = (change: Change): Change => ({
  ...change,
  toA: Math.min(change.toA, change.fromA + CONTEXT),
  toB: Math.min(change.toB, change.fromB + CONTEXT),
});

const lastOf = (change: Change): Change => ({
  ...change,
  fromA: Math.max(change.fromA, change.toA - CONTEXT),
  fromB: Math.max(change.fromB, change.toB - CONTEXT),
});

function showGroup(group: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return "";
  const head = `@@ -${showRange(first.fromA, last.toA)} +${showRange(first.fromB, last.toB)} @@\n`;
  const show = (sign: string, lines: readonly string[]) => lines.map((line) => `${sign}${line}\n`).join("");
  const body = group.map(({ equal, fromA, toA, fromB, toB }) =>
    equal ? show(" ", a.slice(fromA, toA)) : show("-", a.slice(fromA, toA)) + show("+", b.slice(fromB, toB)),
  );
  return head + body.join("");
}

function showRange(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}
