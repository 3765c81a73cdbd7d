// "Did you mean": the word of a list that is nearest to one that is not in it.

/** So many letters may be wrong: one in three, and at most three. */
const WRONG_MAX = 3;

/** ` (did you mean "apply"?)`, or "" where no word is near. */
export function didYouMean(given: string, words: readonly string[]): string {
  const nearest = nearestOf(given, words);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** The first of the nearest words; undefined when none is near. */
export function nearestOf(given: string, words: readonly string[]): string | undefined {
  const text = given.toLowerCase();
  const wrongMax = Math.min(WRONG_MAX, Math.max(1, Math.floor(text.length / 3)));
  const near = words
    .map((word) => ({ word, wrong: wrongLetters(text, word.toLowerCase()) }))
    .filter(({ wrong }) => wrong <= wrongMax)
    .sort((a, b) => a.wrong - b.wrong);
  return near[0]?.word ?? words.find((word) => text.length > 2 && word.toLowerCase().startsWith(text));
}

/** Letters to put in, take out, change or swap with the next one (optimal string alignment). */
function wrongLetters(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
      );
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap && row > 1 && column > 1) least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
