// Watch fan-out: some clients write, many watch. A delivery is one event at one watcher; its delay counts from the sending
// of the write. The raw limit is a bare server that writes prepared bytes to as many watchers.
import { setTimeout as delay } from "node:timers/promises";
import { clear, createRequest, EGRESS_IPS, markRequest, revisionOf, workers } from "../client/egress-ips.ts";
import { requestBytes, withConnections } from "../client/http-connection.ts";
import type { ServerAccess } from "../client/server-access.ts";
import { WatchStream } from "../client/watch-stream.ts";
import { compare, measure, type Sample, type Step, sampleOf } from "../measure.ts";
import type { Bench, Pace, Target } from "../plan.ts";
import { metered } from "../process-time.ts";
import type { Row } from "../report/row.ts";

const WRITERS = 8;
const DELIVERY_MS_MAX = 60_000;
const EVENT_BYTES = 800;
const AS_FAST_AS_IT_GOES = Number.POSITIVE_INFINITY;

/** The writes while others watch: the objects by writer, and the number of the next change. */
interface Watched {
  readonly names: readonly string[];
  next: number;
}

export function watchRows(bench: Bench): Promise<Row[]> {
  return bench.withServer(async (target) => {
    const watched = await preparedWatch(target);
    const rows: Row[] = [];
    for (const watchers of target.plan.watchers)
      if (target.wants(`watch/${watchers}`)) rows.push(await watchRow(target, watchers, watched));
    for (const pace of target.plan.paces)
      if (target.wants(`watch-paced/${pace.watchers}`)) rows.push(await pacedRow(target, pace, watched));
    await clear(target.access);
    return rows;
  });
}

async function watchRow(target: Target, watchers: number, watched: Watched): Promise<Row> {
  return {
    id: `watch/${watchers}`,
    operation: `watch: ${target.plan.events} events, deliveries`,
    ...(await deliveries(target, { watchers, events: target.plan.events }, watched)),
  };
}

/** Writes at a fixed rate, so that delays are measured under the same load on every server. */
async function pacedRow(target: Target, pace: Pace, watched: Watched): Promise<Row> {
  return {
    id: `watch-paced/${pace.watchers}`,
    operation: `watch: ${pace.perSecond} changes per second, deliveries`,
    ...(await deliveries(target, pace, watched)),
  };
}

async function deliveries(
  target: Target,
  pace: Pace,
  watched: Watched,
): Promise<Omit<Row, "id" | "operation">> {
  const { plan, raw } = target;
  const { watchers, events, perSecond = AS_FAST_AS_IT_GOES } = pace;
  const bare = () => {
    const request = (seq: number) => requestBytes("POST", `/emit/${EVENT_BYTES}/${seq}`);
    const firstSeq = taken(watched, events);
    return fanOut({ access: raw, path: "/watch", watchers, events, perSecond, request, firstSeq });
  };
  const turns = { rounds: plan.streamRounds, alone: plan.alone };
  const result = await compare(turns, () => watchTurn(target, pace, watched), bare);
  return { clients: watchers, ...result, raw: `bare HTTP, ${EVENT_BYTES} bytes to each` };
}

/** The server commits changes and delivers them. */
export async function watchTurn(
  { access }: Target,
  { watchers, events, perSecond = AS_FAST_AS_IT_GOES }: Pace,
  watched: Watched,
): Promise<Sample> {
  const path = `${EGRESS_IPS}?watch=true&resourceVersion=${await revisionOf(access, EGRESS_IPS)}`;
  const request = (seq: number, writer: number) => markRequest(watched.names[writer] ?? "", seq);
  const firstSeq = taken(watched, events);
  return await fanOut({ access, path, watchers, events, perSecond, request, firstSeq });
}

function taken(watched: Watched, events: number): number {
  const firstSeq = watched.next;
  watched.next += events;
  return firstSeq;
}

/** Creates the objects that are written. */
export async function preparedWatch({ access }: Target): Promise<Watched> {
  const names = Array.from({ length: WRITERS }, (_, writer) => `bench-watched-${writer}`);
  await withConnections(access, 1, async (connections) => {
    const request = (number: number) => createRequest(names[number] ?? "", 0, { seq: 0 });
    await measure(workers(connections, 201, request), {
      msMax: DELIVERY_MS_MAX,
      countMax: names.length,
    });
  });
  return { names, next: 1 }; // objects start at 0, and a write without a change has no event
}

interface FanOut {
  readonly access: ServerAccess;
  readonly path: string;
  readonly watchers: number;
  readonly events: number;
  readonly perSecond: number;
  readonly firstSeq: number;
  readonly request: (seq: number, writer: number) => string;
}

async function fanOut({
  access,
  path,
  watchers,
  events,
  perSecond,
  firstSeq,
  request,
}: FanOut): Promise<Sample> {
  const sentAt = new Map<number, number>();
  const delays: number[] = [];
  const wanted = watchers * events;
  const { promise: delivered, resolve } = withResolvers();
  const onSeq = (seq: number) => {
    const sent = sentAt.get(seq);
    if (sent === undefined) return; // the initial state
    delays.push(performance.now() - sent);
    if (delays.length === wanted) resolve();
  };
  const streams = await Promise.all(
    Array.from({ length: watchers }, () => WatchStream.open(access, path, onSeq)),
  );
  try {
    return await withConnections(access, WRITERS, async (connections) => {
      return await metered(access.pid, async () => {
        const start = performance.now();
        const steps = workers(connections, 200, (number, writer) => {
          const seq = firstSeq + number;
          sentAt.set(seq, performance.now());
          return request(seq, writer);
        });
        const writes = measure(
          steps.map((step) => paced(step, perSecond)),
          {
            msMax: DELIVERY_MS_MAX,
            countMax: events,
          },
        );
        await withinTime(
          Promise.all([writes, delivered]),
          () => `${delays.length} of ${wanted} deliveries came`,
        );
        return sampleOf(delays, performance.now() - start);
      });
    });
  } finally {
    for (const stream of streams) stream.close();
  }
}

/** Each number has its due time. */
function paced(step: Step, perSecond: number): Step {
  const from = performance.now();
  return async (number) => {
    const early = from + (1000 * number) / perSecond - performance.now();
    if (early > 1) await delay(early);
    await step(number);
  };
}

function withResolvers(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function withinTime(work: Promise<unknown>, late: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`within ${DELIVERY_MS_MAX} ms ${late()}`)), DELIVERY_MS_MAX);
  });
  try {
    await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
