// The cost of watches that match none of the writes: many watches of another namespace, or with another selector, are open
// while clients write. The limit is the same server, measured alternately, without those watches.
import {
  configMaps,
  createConfigMapRequest,
  createNamespaces,
  markConfigMapRequest,
} from "../client/config-maps.ts";
import { clear, createRequest, EGRESS_IPS, markRequest, revisionOf, workers } from "../client/egress-ips.ts";
import { withConnections } from "../client/http-connection.ts";
import type { ServerAccess } from "../client/server-access.ts";
import { WatchStream } from "../client/watch-stream.ts";
import { compare, measure, type Sample } from "../measure.ts";
import type { Bench, Target } from "../plan.ts";
import { metered } from "../process-time.ts";
import type { Row } from "../report/row.ts";

const CLIENTS = 16;
const NAMESPACES = 2;
const OPENED_AT_ONCE = 100;
const WITHOUT = "the same without those watches";

interface Bystanders {
  readonly id: string;
  readonly what: string;
  /** The watched collection, and the query of each watch by its number. */
  readonly collection: string;
  readonly query: (number: number) => string;
  readonly request: (worker: number, seq: number) => string;
}

export function bystanderRows(bench: Bench): Promise<Row[]> {
  return bench.withServer(async (target) => {
    const { access } = target;
    await createNamespaces(access, NAMESPACES);
    await withConnections(access, CLIENTS, async (all) => {
      const limits = { msMax: target.plan.writes.msMax, countMax: CLIENTS };
      await measure(
        workers(all, 201, (number) => createRequest(`bench-by-${number}`, number)),
        limits,
      );
      await measure(
        workers(all, 201, (number) => createConfigMapRequest(0, `bench-by-${number}`)),
        limits,
      );
    });
    const seqs = { next: 1 };
    const rows: Row[] = [];
    for (const bystanders of BYSTANDERS)
      if (target.wants(bystanders.id)) rows.push(await bystanderRow(target, bystanders, seqs));
    await clear(access);
    await clear(access, configMaps(0));
    return rows;
  });
}

const mark = (worker: number, seq: number) => markRequest(`bench-by-${worker}`, seq);

const BYSTANDERS: readonly Bystanders[] = [
  {
    id: "bystanders/namespace",
    what: "of another namespace",
    collection: configMaps(1),
    query: () => "",
    request: (worker, seq) => markConfigMapRequest(0, `bench-by-${worker}`, seq),
  },
  {
    id: "bystanders/name",
    what: "of another object by name",
    collection: EGRESS_IPS,
    query: (number) => `&fieldSelector=metadata.name%3Dbench-none-${number}`,
    request: mark,
  },
  {
    id: "bystanders/label",
    what: "by a label that none has",
    collection: EGRESS_IPS,
    query: (number) => `&labelSelector=bench-none%3Dn${number}`,
    request: mark,
  },
];

async function bystanderRow(
  { plan, access }: Target,
  bystanders: Bystanders,
  seqs: { next: number },
): Promise<Row> {
  const { id, what, request } = bystanders;
  const write = (): Promise<Sample> =>
    withConnections(access, CLIENTS, (all) =>
      metered(access.pid, () =>
        measure(
          workers(all, 200, (_number, worker) => request(worker, seqs.next++)),
          plan.writes,
        ),
      ),
    );
  const beside = async () => {
    const streams = await openAll(access, plan.idleWatches, bystanders);
    try {
      return await write();
    } finally {
      for (const stream of streams) stream.close();
    }
  };
  await write();
  const result = await compare({ rounds: plan.streamRounds, alone: plan.alone }, beside, write);
  const operation = `merge patch beside ${plan.idleWatches} watches ${what}`;
  return { id, operation, clients: CLIENTS, ...result, raw: WITHOUT };
}

async function openAll(
  access: ServerAccess,
  count: number,
  { collection, query }: Bystanders,
): Promise<WatchStream[]> {
  const from = `${collection}?watch=true&resourceVersion=${await revisionOf(access, collection)}`;
  const streams: WatchStream[] = [];
  while (streams.length < count) {
    const more = Math.min(OPENED_AT_ONCE, count - streams.length);
    const numbers = Array.from({ length: more }, (_, index) => streams.length + index);
    const opened = numbers.map((number) => WatchStream.open(access, `${from}${query(number)}`, () => {}));
    streams.push(...(await Promise.all(opened)));
  }
  return streams;
}
