// GETs every 10 ms between "start" and "stop". The latency of a GET counts from when it was due: if a server blocks for a
// second, every GET that was due in that second shows it.
import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "../measure.ts";
import type { ProbeFigures } from "./probe.ts";

const PERIOD_MS = 10;
/** Before and after the work: a stall may begin late, and its after-effects count as well. */
const MARGIN_MS = 100;
/** No more GETs are sent while so many wait for their answers. */
const WAITING_MAX = 100;
/** The most GETs of one measurement. */
const GETS_MAX = 60_000;

const url = `${process.argv[2]}/api/v1/namespaces/default`;

let running = false;
let ended: Promise<ProbeFigures> | undefined;

process.on("message", async (word) => {
  if (word === "start") {
    running = true;
    ended = measure();
    await delay(MARGIN_MS);
    process.send?.("started");
    return;
  }
  await delay(MARGIN_MS);
  running = false;
  process.send?.(await ended);
});
process.on("disconnect", () => process.exit());
await getOnce(newcomer());
process.send?.("ready");

/** A client without connections: an existing connection would not have to wait to be accepted. */
function newcomer(): Agent {
  return new Agent({ keepAlive: true, maxSockets: WAITING_MAX });
}

async function measure(): Promise<ProbeFigures> {
  const agent = newcomer();
  const from = performance.now();
  const tookMs: number[] = [];
  const waiting = new Set<Promise<void>>();
  let failed = 0;
  for (let number = 0; running && number < GETS_MAX; number++) {
    const dueMs = from + number * PERIOD_MS;
    const early = dueMs - performance.now();
    if (early > 0) await delay(early);
    if (waiting.size >= WAITING_MAX) await Promise.race(waiting);
    const answer = getOnce(agent).then((good) => {
      tookMs.push(performance.now() - dueMs);
      if (!good) failed++;
      waiting.delete(answer);
    });
    waiting.add(answer);
  }
  await Promise.all(waiting);
  agent.destroy();
  tookMs.sort((a, b) => a - b);
  return {
    count: tookMs.length,
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    longestMs: tookMs.at(-1) ?? 0,
    failed,
  };
}

function getOnce(agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = get(url, { agent }, (answer) => {
      answer.resume();
      answer.on("close", () => resolve(answer.statusCode === 200));
    });
    sent.on("error", () => resolve(false));
  });
}
