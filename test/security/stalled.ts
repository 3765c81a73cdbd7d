// How long the built server's thread works without answering others: the processor time of its main thread between two
// answers to a polling client. Unlike wall-clock time, it does not depend on other processes.
import { readFileSync } from "node:fs";
import type { BuiltServer } from "./built-server.ts";

const USER_HZ = 100;

/** Processor time of the main thread in milliseconds, in steps of 10. */
function mainThreadMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / USER_HZ;
}

export interface Stalled {
  /** The most processor time between two answers. */
  readonly mostMs: number;
  readonly answers: number;
}

/** Measures during the work, which must resolve. */
export async function whileAsked(server: BuiltServer, work: () => Promise<unknown>): Promise<Stalled> {
  const { pid } = server.process;
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  let [mostMs, answers] = [0, 0];
  while (!isDone) {
    const before = mainThreadMs(pid);
    await server.send("GET", "/readyz");
    mostMs = Math.max(mostMs, mainThreadMs(pid) - before);
    answers++;
  }
  await working;
  return { mostMs, answers };
}
