// The thread that passes inputs to a parser in sequence. The current input is in shared memory, because a thread that
// hangs or dies cannot report it.
import { performance } from "node:perf_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "../../support/random.ts";
import { targetNamed } from "./all-targets.ts";
import { mutate } from "./mutator.ts";
import type { ParserTarget } from "./target.ts";
import { CurrentInput, type FuzzOrder, type FuzzReport } from "./thread-messages.ts";

/** The time limit of an input, three times over. A busy machine takes several times as long as usual. */
const BASE_MS = 1500;
const MS_PER_KILOBYTE = 5;
/** The limit of buffers, which a thread's heap limit does not cover. */
const EXTERNAL_BYTES_MAX = 512 * 1024 * 1024;

async function fuzz({ target: name, seed, inputs, msMax, shared }: FuzzOrder): Promise<FuzzReport> {
  const target = targetNamed(name);
  const current = new CurrentInput(shared);
  const corpus = await target.seeds();
  for (const [index, valid] of corpus.entries()) {
    current.set(index, valid);
    try {
      await target.run(Buffer.from(valid));
    } catch (error) {
      return { done: index, finding: `a valid input was rejected: ${text(error)}` };
    }
  }
  const random = new Random(seed);
  const endMs = performance.now() + msMax;
  let done = 0;
  for (; done < inputs && performance.now() < endMs; done++) {
    const input = mutate(random, corpus, target.tokens);
    current.set(done, input);
    const finding = await findingOf(target, input);
    if (finding !== undefined) return { done, finding };
  }
  return { done };
}

async function findingOf(target: ParserTarget, input: Buffer): Promise<string | undefined> {
  const limitMs = BASE_MS + (MS_PER_KILOBYTE * input.length) / 1024;
  let leastMs = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3 && leastMs > limitMs; time++) {
    const startMs = performance.now();
    try {
      await target.run(Buffer.from(input));
    } catch (error) {
      if (!target.isExpected(error)) return `an unexpected error: ${text(error)}`;
    }
    leastMs = Math.min(leastMs, performance.now() - startMs);
  }
  if (leastMs > limitMs) return `it takes ${Math.round(leastMs)} ms, thrice`;
  const { external } = process.memoryUsage();
  return external > EXTERNAL_BYTES_MAX ? `buffers hold ${external} bytes` : undefined;
}

const text = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

void fuzz(workerData as FuzzOrder).then((report) => parentPort?.postMessage(report));
