// Runs workers for a while and measures the number and the latency of their steps.

export interface Limits {
  readonly msMax: number;
  readonly countMax: number;
}

/** One unit of work; its number is unique among all workers. */
export type Step = (number: number) => Promise<unknown>;

export interface Sample {
  readonly count: number;
  readonly elapsedMs: number;
  /** The latency of each step, or percentiles of them in the same number. */
  readonly delaysMs: readonly number[];
  /** Processor time of the server meanwhile, if its process can be inspected. */
  readonly cost?: { readonly processMs: number; readonly mainThreadMs: number };
}

/** Every worker takes the next number as soon as it has finished the one before. */
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
  return { count: delaysMs.length, elapsedMs, delaysMs };
}

export interface Result {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs?: number;
  readonly busy?: number;
  readonly rawPerSecond?: number;
  readonly rawCpuUs?: number;
  readonly rawBusy?: number;
}

export interface Turns {
  readonly rounds: number;
  /** Without measuring the raw limit. */
  readonly alone: boolean;
}

/**
 * Measures Egret and the raw limit alternately, so that a short load on the machine affects both. The rates are the
 * medians of the rounds, the latencies those of all rounds together.
 */
export async function compare(
  { rounds, alone }: Turns,
  ours: () => Promise<Sample>,
  raw?: () => Promise<Sample>,
): Promise<Result> {
  const beside = alone ? undefined : raw;
  const [samples = [], limits = []] = await inTurns(rounds, beside ? [ours, beside] : [ours]);
  return { ...resultOf(samples), ...(beside ? rawResultOf(limits) : {}) };
}

function rawResultOf(limits: readonly Sample[]): Partial<Result> {
  const { cpuUs, busy } = costOf(limits);
  return {
    rawPerSecond: medianRate(limits),
    ...(cpuUs === undefined ? {} : { rawCpuUs: cpuUs }),
    ...(busy === undefined ? {} : { rawBusy: busy }),
  };
}

/** The samples of each contender, measured alternately. */
export async function inTurns(
  rounds: number,
  contenders: readonly (() => Promise<Sample>)[],
): Promise<Sample[][]> {
  const samples: Sample[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) samples[index]?.push(await contender());
  }
  return samples;
}

export function resultOf(samples: readonly Sample[]): Result {
  const delays = samples.flatMap(({ delaysMs }) => delaysMs).sort((a, b) => a - b);
  return {
    perSecond: medianRate(samples),
    p50Ms: percentile(delays, 0.5),
    p99Ms: percentile(delays, 0.99),
    ...costOf(samples),
  };
}

/** Of all samples together, because the system counts in steps of ten milliseconds. */
function costOf(samples: readonly Sample[]): Pick<Result, "cpuUs" | "busy"> {
  const sum = (of: (sample: Sample) => number) => samples.reduce((total, sample) => total + of(sample), 0);
  if (samples.some(({ cost }) => cost === undefined) || samples.length === 0) return {};
  const cpuMs = sum(({ cost }) => cost?.processMs ?? 0);
  const mainMs = sum(({ cost }) => cost?.mainThreadMs ?? 0);
  return {
    cpuUs: (1000 * cpuMs) / sum(({ count }) => count),
    busy: mainMs / sum(({ elapsedMs }) => elapsedMs),
  };
}

/** Of sorted values; the share is at least 0 and below 1. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

function medianRate(samples: readonly Sample[]): number {
  return median(samples.map(rateOf));
}

export const rateOf = ({ count, elapsedMs }: Sample): number => (1000 * count) / elapsedMs;

/** Of an even number of values, the upper one of the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
