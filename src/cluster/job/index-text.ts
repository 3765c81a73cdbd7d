// Completion indexes of a Job in the text form of its status: "1,3-5,7".

export function readIndexes(text: string): Set<number> {
  const indexes = new Set<number>();
  for (const part of text === "" ? [] : text.split(",")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** Two consecutive indexes are listed separately, three or more as a range. */
export function formatIndexes(indexes: Iterable<number>): string {
  const runs: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs
    .map(([first, last]) =>
      first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`,
    )
    .join(",");
}
