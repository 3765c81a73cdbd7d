// Keeps workers busy for a while and tells how often and how fast they got through.

export interface Limits {
  readonly msMax: number;
  readonly countMax: number;
}

/** One piece of work; its number is unique among all workers. */
export type Step = (number: number) => Promise<unknown>;

export interface Sample {
  readonly perSecond: number;
  readonly delaysMs: readonly number[];
}

/** Every worker takes the next number as soon as it is done with the one before. */
export async function measure(workers: readonly Step[], { msMax, countMax }: Limits): Promise<Sample> {
  const delaysMs: number[] = [];
  const start = performance.now();
  let next = 0;
  const work = async (step: Step) => {
    while (next < countMax && performance.now() - start < msMax) {
      const number = next++;
      const from = performance.now();
      await step(number);
      delaysMs.push(performance.now() - from);
    }
  };
  await Promise.all(workers.map(work));
  return sampleOf(delaysMs, performance.now() - start);
}

export function sampleOf(delaysMs: readonly number[], elapsedMs: number): Sample {
  return { perSecond: (1000 * delaysMs.length) / elapsedMs, delaysMs };
}

export interface Result {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rawPerSecond?: number;
}

/**
 * Ours and the raw limit in turns, so that a machine that is busy for a moment is so for both. The rates are the
 * medians of the rounds, the delays are those of all rounds together.
 */
export async function compare(
  rounds: number,
  ours: () => Promise<Sample>,
  raw?: () => Promise<Sample>,
): Promise<Result> {
  const samples: Sample[] = [];
  const limits: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    if (raw) limits.push(await raw());
    samples.push(await ours());
  }
  const delays = samples.flatMap(({ delaysMs }) => delaysMs).sort((a, b) => a - b);
  return {
    perSecond: medianRate(samples),
    p50Ms: delays[Math.floor(delays.length / 2)] ?? 0,
    p99Ms: delays[Math.floor(delays.length * 0.99)] ?? 0,
    ...(raw ? { rawPerSecond: medianRate(limits) } : {}),
  };
}

function medianRate(samples: readonly Sample[]): number {
  const rates = samples.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
  return rates[Math.floor(rates.length / 2)] ?? 0;
}
