// Runs a fuzz target in a thread with a limited heap, and detects when the thread hangs or dies.
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { INPUT_BYTES_MAX } from "./mutator.ts";
import { CurrentInput, type FuzzOrder, type FuzzReport } from "./thread-messages.ts";

const HEAP_MEGABYTES = 256;
/** The stack size of the server's worker threads. */
const STACK_MEGABYTES = 16;
/** The time after which the thread of an input is ended; the thread itself reports shorter overruns. */
const HANGS_MS = 15_000;
const LOOK_MS = 250;

export interface FuzzRun {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  readonly msMax: number;
}

/** Returns the number of inputs. Rejects with the finding, and with the file that holds its input as base64. */
export async function runTarget(run: FuzzRun): Promise<number> {
  const shared = CurrentInput.memory(INPUT_BYTES_MAX);
  const current = new CurrentInput(shared);
  const { done, finding } = await runThread({ ...run, shared }, current);
  if (finding === undefined) return done;
  const { number, input } = current;
  const path = join(tmpdir(), `egret-parser-${run.target}-${run.seed}-${number}.txt`);
  await writeFile(path, input.toString("base64"));
  const where = `${run.target}, seed ${run.seed}, input ${number} of ${input.length} bytes (base64 in ${path})`;
  throw new Error(`${where}: ${finding}\n${JSON.stringify(input.toString("latin1").slice(0, 500))}`);
}

function runThread(order: FuzzOrder, current: CurrentInput): Promise<FuzzReport> {
  const thread = startThread(order);
  return new Promise<FuzzReport>((resolve) => {
    let [last, since] = [-1, Date.now()];
    const timer = setInterval(() => {
      const { number } = current;
      if (number !== last) [last, since] = [number, Date.now()];
      else if (Date.now() - since > HANGS_MS)
        resolve({ done: number, finding: `it hangs for ${HANGS_MS} ms` });
    }, LOOK_MS);
    const end = (report: FuzzReport) => {
      clearInterval(timer);
      resolve(report);
    };
    thread.once("message", end);
    thread.once("error", (error) =>
      end({ done: current.number, finding: `the thread died: ${error.stack}` }),
    );
    thread.once("exit", (code) => end({ done: current.number, finding: `the thread ended with ${code}` }));
  }).finally(() => thread.terminate());
}

function startThread(order: FuzzOrder): Worker {
  const loader = createRequire(import.meta.url).resolve("tsx/cjs");
  const source = fileURLToPath(new URL("./fuzz-worker.ts", import.meta.url));
  const code = `require(${JSON.stringify(loader)}); require(${JSON.stringify(source)});`;
  return new Worker(code, {
    eval: true,
    execArgv: [],
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, stackSizeMb: STACK_MEGABYTES },
  });
}
