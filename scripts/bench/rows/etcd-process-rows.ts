// One, two and three servers on an etcd with three members, all on this machine: the gain and the cost of each further
// server.
import { EtcdCluster } from "../../../test/support/etcd-cluster.ts";
import { CACHED, cachedGetLoad, createLoad, getLoad } from "../client/egress-ips.ts";
import { type Loads, loadsOf } from "../load/loads-of.ts";
import { type Limits, resultOf, type Sample } from "../measure.ts";
import type { Bench, Target } from "../plan.ts";
import type { Row } from "../report/row.ts";
import { prepared } from "./object-rows.ts";

const MEMBERS = 3;
const CLIENTS = 16;
/** The distance between the numbers of concurrent writers; addresses repeat after three million. */
const APART = 1_000_000;
const VERBS = ["get", "get-cached", "create"];

/** The same total number of clients, on one server, then on two, then on three. */
export async function processRows(bench: Bench): Promise<Row[]> {
  const counts = Array.from({ length: bench.plan.processes }, (_, index) => index + 1);
  const isWanted = VERBS.some((verb) =>
    counts.some((count) => bench.wants(`etcd/processes-${verb}/${count}`)),
  );
  if (!isWanted) return [];
  await using cluster = await EtcdCluster.start(MEMBERS);
  const store = ["--store", `etcd://${cluster.endpoints.join()}`];
  const withMore = (targets: readonly Target[]): Promise<Row[]> =>
    targets.length < bench.plan.processes
      ? bench.withServer((target) => withMore([...targets, target]), store)
      : rowsOf(targets, counts);
  return await withMore([]);
}

async function rowsOf(targets: readonly Target[], counts: readonly number[]): Promise<Row[]> {
  const [target] = targets;
  if (target === undefined) return [];
  const { plan, wants, generator, access } = target;
  await prepared(target);
  const verbs = [
    { id: "get", operation: "get EgressIP", text: getLoad(), limits: plan.reads },
    { id: "get-cached", operation: `get EgressIP, ${CACHED}`, text: cachedGetLoad(), limits: plan.reads },
    { id: "create", operation: "create EgressIP", text: createLoad(), limits: plan.writes },
  ];
  const rows: Row[] = [];
  for (const { id, operation, text, limits } of verbs) {
    const loads = targets.map((each, index) => loadsOf(each, text, plan.prepared + index * APART));
    const at = (servers: number, each: Limits) =>
      together(loads.slice(0, servers), (load, index) => load(sharesOf(servers)[index] ?? 1, each));
    await at(targets.length, plan.warmUp);
    const samples: Sample[][] = counts.map(() => []);
    for (let round = 0; round < plan.rounds; round++)
      for (const [index, count] of counts.entries()) samples[index]?.push(await at(count, limits));
    for (const [index, count] of counts.entries())
      rows.push({
        id: `etcd/processes-${id}/${count}`,
        operation: `etcd of three: ${operation}, ${count} server${count === 1 ? "" : "s"}`,
        clients: CLIENTS,
        generator: generator.for(access).name,
        ...resultOf(samples[index] ?? []),
      });
  }
  return rows.filter(({ id }) => wants(id));
}

/** The number of clients for each server. */
const sharesOf = (servers: number): number[] =>
  Array.from({ length: servers }, (_, index) => Math.floor((CLIENTS + index) / servers));

/** Combines what several servers do at the same time into one sample. */
async function together(
  loads: readonly Loads[],
  run: (load: Loads, index: number) => Promise<Sample>,
): Promise<Sample> {
  const samples = await Promise.all(loads.map(run));
  const costs = samples.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    count: sum(samples.map(({ count }) => count)),
    elapsedMs: Math.max(...samples.map(({ elapsedMs }) => elapsedMs)),
    delaysMs: samples.flatMap(({ delaysMs }) => delaysMs),
    ...(costs.length < samples.length
      ? {}
      : {
          cost: {
            processMs: sum(costs.map(({ processMs }) => processMs)),
            mainThreadMs: sum(costs.map(({ mainThreadMs }) => mainThreadMs)),
          },
        }),
  };
}
