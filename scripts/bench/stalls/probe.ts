// A client that GETs every 10 ms while other clients stall the server. It is a process of its own, so that preparing the
// bodies of the others does not delay it.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The latencies of the GETs, from when each was due to the end of its answer. */
export interface ProbeFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Answers without a 2xx status, and GETs without an answer. */
  readonly failed: number;
}

export interface Probe extends AsyncDisposable {
  /** Sends GETs during the work, and for a moment before and after. */
  during<T>(work: () => Promise<T>): Promise<{ readonly figures: ProbeFigures; readonly done: T }>;
}

export async function startProbe(url: string): Promise<Probe> {
  const child = fork(fileURLToPath(import.meta.resolve("./probe-process.ts")), [url], {
    execArgv: ["--import", "tsx"],
  });
  const ended = once(child, "exit");
  const died = ended.then(([code]) => {
    throw new Error(`the client that GETs ended with ${code}`);
  });
  died.catch(() => {}); // its exit after the last message is expected
  await Promise.race([once(child, "message"), died]);
  return {
    async during(work) {
      await Promise.race([asked(child, "start"), died]);
      const done = await work();
      const [figures] = await Promise.race([asked(child, "stop"), died]);
      return { figures: figures as ProbeFigures, done }; // what probe-process.ts sends
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}

async function asked(child: ChildProcess, word: "start" | "stop"): Promise<unknown[]> {
  const answer = once(child, "message");
  child.send(word);
  return await answer;
}
