// The number of runs of a property and their seed: FC_SCALE multiplies the runs, FC_SEED repeats those of a printed seed.

export function runs(numRuns: number): { numRuns: number; seed?: number } {
  const { FC_SCALE: scale, FC_SEED: seed } = process.env;
  return { numRuns: numRuns * Number(scale ?? 1), ...(seed ? { seed: Number(seed) } : {}) };
}
