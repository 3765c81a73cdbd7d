// How many turns of the event loop others get while something is done: what holds the thread gives them none.

export async function turnsWhile(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let waiting = setImmediate(count);
  function count(): void {
    turns++;
    waiting = setImmediate(count);
  }
  try {
    await work();
    return turns;
  } finally {
    clearImmediate(waiting);
  }
}
