// How often a property is tried, and with which seed: FC_SCALE makes the runs more, FC_SEED repeats those of a seed that
// was printed.

export function runs(numRuns: number): { numRuns: number; seed?: number } {
  const { FC_SCALE: scale, FC_SEED: seed } = process.env;
  return { numRuns: numRuns * Number(scale ?? 1), ...(seed ? { seed: Number(seed) } : {}) };
}
