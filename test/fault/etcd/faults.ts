// Random faults: of processes, of the connections between them, and of etcd's state.
import { setTimeout as sleep } from "node:timers/promises";
import type { Etcd } from "../../support/etcd.ts";
import type { Random } from "../../support/random.ts";
import type { Cluster, Server } from "./cluster.ts";
import type { Observer } from "./observer.ts";

export interface FaultContext {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly observer: Observer;
  /** The longest duration of a fault without a limit of its own. */
  readonly longestMs: number;
  readonly signal: AbortSignal;
}

type Fault = (context: FaultContext) => Promise<void>;

/** A Lease expires after 15 s and candidates poll it every 2 s; but these may have faults meanwhile. */
const TAKEN_OVER_MS_MAX = 60_000;
const LOOK_MS = 250;
const DELAY_MS_MAX = 250;
const CALM_MS_MAX = 2500;

const lasts = async ({ random, longestMs, signal }: FaultContext, ms = random.below(longestMs)) => {
  await sleep(ms, undefined, { signal }).catch(() => {});
};
const aMember = ({ cluster, random }: FaultContext): Etcd => random.one(cluster.etcd.members);
const aServer = ({ cluster, random }: FaultContext): Server =>
  random.one(cluster.servers.filter((server) => server !== cluster.spared));

async function killed(context: FaultContext, members: readonly Etcd[]): Promise<void> {
  for (const member of members) await member.end("SIGKILL");
  await lasts(context);
  for (const member of members) member.revive();
}

async function paused(
  context: FaultContext,
  which: { pause(): void; resume(): void }[],
  ms?: number,
): Promise<void> {
  for (const one of which) one.pause();
  await lasts(context, ms);
  for (const one of which) one.resume();
}

const asPausable = (server: Server) => ({
  pause: () => server.signal("SIGSTOP"),
  resume: () => server.signal("SIGCONT"),
});

const twoOf = <T>(random: Random, all: readonly T[]): T[] => {
  const spared = random.one(all);
  return all.filter((one) => one !== spared);
};

/** Faults under which no server can work: of two such draws one is drawn again. */
const HARD = new Set([
  "two etcds are killed",
  "all etcds are killed",
  "two etcds stand still",
  "etcd has no space",
]);

/** Faults of processes: one of these at a time. */
export const OF_PROCESSES: Readonly<Record<string, Fault>> = {
  "an etcd is killed": (context) => killed(context, [aMember(context)]),
  "two etcds are killed": (context) => killed(context, twoOf(context.random, context.cluster.etcd.members)),
  "all etcds are killed": (context) => killed(context, context.cluster.etcd.members),
  "an etcd stands still": (context) => paused(context, [aMember(context)]),
  "two etcds stand still": (context) => paused(context, twoOf(context.random, context.cluster.etcd.members)),
  "a server is killed": async (context) => {
    const server = aServer(context);
    await server.kill();
    await lasts(context);
    await server.start();
  },
  "a server stands still": (context) => paused(context, [asPausable(aServer(context))]),
  "a server's clock jumps": async (context) => aServer(context).signal("SIGUSR2"),
};

/** Suspends the leader until another server leads, and then resumes it unaware of the change. */
export async function leaderStandsStill({ cluster }: FaultContext): Promise<void> {
  const leader = await cluster.leader();
  if (leader === undefined) return;
  cluster.spared = leader;
  leader.signal("SIGSTOP");
  const others = cluster.servers.filter((server) => server !== leader);
  const deadline = performance.now() + TAKEN_OVER_MS_MAX;
  while ((await cluster.leader(others)) === undefined && performance.now() < deadline) await sleep(LOOK_MS);
  leader.signal("SIGCONT");
  cluster.spared = undefined;
}

async function disturbed(
  context: FaultContext,
  disturb: (way: Server["ways"][number]) => void,
): Promise<void> {
  const { ways } = aServer(context);
  const some = context.random.chance(1 / 2) ? ways : [context.random.one(ways)];
  for (const way of some) disturb(way);
  await lasts(context);
  for (const way of some) way.mend();
}

/** Faults of connections and of etcd's state: one of these at a time, besides one of the others. */
export const OF_WAYS: Readonly<Record<string, Fault>> = {
  "a way is cut": (context) => disturbed(context, (way) => way.cut()),
  "a way hangs": (context) => disturbed(context, (way) => way.hang()),
  "a way is slow": (context) => {
    const delayMs = context.random.below(DELAY_MS_MAX);
    return disturbed(context, (way) => way.slow(delayMs));
  },
  "a cut way, and the past is forgotten": (context) =>
    disturbed(context, (way) => {
      way.cut();
      setTimeout(() => void compact(context), context.longestMs / 2);
    }),
  "the past is forgotten": compact,
  "etcd has no space": async (context) => {
    const alarm = (action: string) =>
      context.cluster.etcd.post("maintenance/alarm", { action, alarm: "NOSPACE" }).catch(() => undefined);
    await alarm("ACTIVATE");
    await lasts(context);
    while (!(await alarm("DEACTIVATE")) && !context.signal.aborted) await sleep(LOOK_MS);
  },
};

/** Compacts all revisions that the observer has received. */
async function compact({ cluster, observer }: FaultContext): Promise<void> {
  await cluster.etcd.post("kv/compaction", { revision: `${observer.revision}` }).catch(() => {});
}

/** Plays faults in sequence with pauses between, until the signal aborts. Returns the played faults. */
export async function play(
  faults: Readonly<Record<string, Fault>>,
  context: FaultContext,
): Promise<string[]> {
  const { random, signal } = context;
  const played: string[] = [];
  const names = Object.keys(faults);
  while (!signal.aborted) {
    let name = random.one(names);
    if (HARD.has(name) && random.chance(1 / 2)) name = random.one(names);
    played.push(name);
    await faults[name]?.(context);
    await lasts(context, random.below(CALM_MS_MAX));
  }
  return played;
}

/** Ends all faults: every process runs, every connection works, and etcd accepts writes. */
export async function mendAll({ cluster }: FaultContext): Promise<void> {
  for (const server of cluster.servers) for (const way of server.ways) way.mend();
  await cluster.etcd.up();
  const { alarms = [] } = await cluster.etcd.post("maintenance/alarm", { action: "GET" });
  for (const { memberID } of alarms as { memberID: string }[])
    await cluster.etcd.post("maintenance/alarm", { action: "DEACTIVATE", alarm: "NOSPACE", memberID });
}
