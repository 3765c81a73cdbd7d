// Robustness test modelled on etcd's own: three etcds and three servers, clients that write, read and watch, and random
// faults for EGRET_ROBUST_SECONDS (EGRET_ROBUST_SEED repeats a run). Then all faults end, the cluster has to recover by
// itself, and the answers to the clients are compared with the reference history of etcd.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { etcdProblem } from "../../support/etcd.ts";
import { eventually } from "../../support/eventually.ts";
import { Random } from "../../support/random.ts";
import { checkControllers } from "./check-controllers.ts";
import { checkOrder } from "./check-order.ts";
import { checkWatches } from "./check-watches.ts";
import { checkWrites } from "./check-writes.ts";
import { Clients, isObserved } from "./clients.ts";
import { Cluster } from "./cluster.ts";
import { decideForever, layEgress } from "./decisions.ts";
import { type FaultContext, leaderStandsStill, mendAll, OF_PROCESSES, OF_WAYS, play } from "./faults.ts";
import { Observer } from "./observer.ts";
import { Truth } from "./truth.ts";
import { WatchingClient } from "./watchers.ts";

const problem = etcdProblem();
const SECONDS = Number(process.env["EGRET_ROBUST_SECONDS"] ?? 18);
const SEED = Number(process.env["EGRET_ROBUST_SEED"] ?? Date.now() % 1_000_000);
const IS_LONG = SECONDS > 60;
const WRITERS = 12;
const WATCHERS = 6;
const LONGEST_MS = IS_LONG ? 12_000 : 2000;
/** The time for which a server may lead before it is suspended. */
const LEADS_MS = 10_000;
const HEALED_MS_MAX = 60_000;
const CHECKED_MS_MAX = 240_000;

test.skipIf(problem !== undefined)(
  `${SECONDS} s of faults in three etcds and three servers (seed ${SEED})${problem === undefined ? "" : ` (left out: ${problem})`}`,
  { timeout: SECONDS * 1000 + CHECKED_MS_MAX },
  async () => {
    await using cluster = await Cluster.start();
    await using observer = new Observer(cluster.etcd.endpoints);
    const urls = () => cluster.servers.map(({ url }) => url);
    const chance = new Random(SEED + 1);
    const clients = new Clients({ random: chance, urls });
    const watchers = Array.from({ length: WATCHERS }, () => new WatchingClient(chance, urls));
    const [faults, working, watching] = [new AbortController(), new AbortController(), new AbortController()];
    await layEgress(cluster);
    const watched = watchers.map((watcher) => watcher.work(watching.signal));
    const worked = [clients.work(WRITERS, working.signal), decideForever(cluster, chance, working.signal)];

    const context = (n: number): FaultContext => ({
      ...{ cluster, observer, signal: faults.signal, longestMs: LONGEST_MS },
      random: new Random(SEED + n),
    });
    const over = setTimeout(() => faults.abort(), SECONDS * 1000);
    const lanes = [play(OF_WAYS, context(2)), play(OF_PROCESSES, context(3))];
    do await leaderStandsStill(context(4));
    while (!faults.signal.aborted && (await sleep(LEADS_MS, true)));
    const played = (await Promise.all(lanes)).flat();
    clearTimeout(over);
    await mendAll(context(5));

    // The cluster recovers by itself.
    for (const url of urls())
      await eventually(
        async () => (await fetch(`${url}/readyz`)).status,
        (status) => status === 200,
        HEALED_MS_MAX,
      );
    working.abort();
    await Promise.all(worked);
    // Only the keep-alive ends a connection that hung; until then a server may report ready and wait for etcd.
    for (const server of cluster.servers.keys())
      await eventually(
        () => clients.writeLast(server),
        (answer) => answer === "done",
        HEALED_MS_MAX,
      );
    const last = Math.max(...clients.history.map(({ revision = 0 }) => revision));
    await eventually(
      () => observer.revision,
      (seen) => seen >= last,
      HEALED_MS_MAX,
    );
    await eventually(
      () => Math.min(...watchers.map(({ upTo }) => upTo)),
      (seen) => seen >= last,
      HEALED_MS_MAX,
    );
    watching.abort();
    await Promise.all(watched);

    const truth = new Truth(observer.events, isObserved);
    const { findings, ...terms } = checkControllers(observer.events);
    const stretches = watchers.flatMap((watcher) => watcher.stretches);
    report({
      ...{ seed: SEED, changes: truth.changes.length, ...terms },
      outcomes: counted(clients.history.map(({ outcome }) => outcome)),
      answers: counted(
        clients.history.map(({ outcome, answer }) => (outcome === "unknown" ? short(answer) : outcome)),
      ),
      played: counted(played),
      watches: { stretches: stretches.length, opened: watchers.reduce((sum, { opened }) => sum + opened, 0) },
      ends: [...new Set(stretches.map(({ end }) => end.slice(0, 300)))],
    });
    expect(findings.slice(0, 5)).toEqual([]);
    expect(checkWrites(clients.history, truth).slice(0, 5)).toEqual([]);
    expect(checkOrder(clients.history, truth).slice(0, 5)).toEqual([]);
    expect(checkWatches(stretches, truth).slice(0, 5)).toEqual([]);
    expect(watchers.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(terms.terms).toBeGreaterThan(1);
    expect(terms.writes).toBeGreaterThan(0);
  },
);

/** Without the parts that differ each time. */
const short = (answer: string): string => answer.replace(/\d{2,}/g, "N").slice(0, 400);

function counted(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

function report(facts: object): void {
  if (process.env["EGRET_ROBUST_SECONDS"]) process.stdout.write(`${JSON.stringify(facts, null, 1)}\n`);
}
