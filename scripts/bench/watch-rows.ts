// Watch fan-out: some clients write, many watch; a delivery is one event at one watcher, its delay counts from the
// moment the write was sent.
import { createRequest, EGRESS_IPS, markRequest, readJson, workers } from "./egress-ips.ts";
import { withConnections } from "./http-connection.ts";
import { compare, measure, type Sample, sampleOf } from "./measure.ts";
import type { Target } from "./plan.ts";
import type { Row } from "./report.ts";
import { WatchStream } from "./watch-stream.ts";

const WRITERS = 8;
const DELIVERY_MS_MAX = 60_000;

export async function watchRows({ plan, url }: Target): Promise<Row[]> {
  const names = Array.from({ length: WRITERS }, (_, writer) => `bench-watched-${writer}`);
  await prepare(url, names);
  const rows: Row[] = [];
  let firstSeq = 1; // the objects begin with 0, and a write that changes nothing has no event
  for (const watchers of plan.watchers) {
    const path = `${EGRESS_IPS}?watch=true&resourceVersion=${await revision(url)}`;
    const request = (seq: number, writer: number) => markRequest(names[writer] ?? "", seq);
    const measured = { url, path, watchers, events: plan.events, request, firstSeq };
    const result = await compare(1, () => fanOut(measured));
    firstSeq += plan.events;
    rows.push({ operation: `watch: ${plan.events} events, deliveries`, clients: watchers, ...result });
  }
  return rows;
}

async function prepare(url: string, names: readonly string[]): Promise<void> {
  await withConnections(url, 1, async (connections) => {
    const request = (number: number) => createRequest(names[number] ?? "", 0, { seq: 0 });
    await measure(workers(connections, 201, request), { msMax: DELIVERY_MS_MAX, countMax: names.length });
  });
}

async function revision(url: string): Promise<string> {
  const { metadata } = (await readJson(url, `${EGRESS_IPS}?limit=1`)) as {
    metadata: { resourceVersion: string };
  };
  return metadata.resourceVersion; // a list has one
}

interface FanOut {
  readonly url: string;
  readonly path: string;
  readonly watchers: number;
  readonly events: number;
  readonly firstSeq: number;
  readonly request: (seq: number, writer: number) => string;
}

async function fanOut({ url, path, watchers, events, firstSeq, request }: FanOut): Promise<Sample> {
  const sentAt = new Map<number, number>();
  const delays: number[] = [];
  const wanted = watchers * events;
  const { promise: delivered, resolve } = withResolvers();
  const onSeq = (seq: number) => {
    const sent = sentAt.get(seq);
    if (sent === undefined) return; // the state from before
    delays.push(performance.now() - sent);
    if (delays.length === wanted) resolve();
  };
  const streams = await Promise.all(
    Array.from({ length: watchers }, () => WatchStream.open(url, path, onSeq)),
  );
  try {
    return await withConnections(url, WRITERS, async (connections) => {
      const start = performance.now();
      const writes = measure(
        workers(connections, 200, (number, writer) => {
          const seq = firstSeq + number;
          sentAt.set(seq, performance.now());
          return request(seq, writer);
        }),
        { msMax: DELIVERY_MS_MAX, countMax: events },
      );
      await withinTime(
        Promise.all([writes, delivered]),
        () => `${delays.length} of ${wanted} deliveries came`,
      );
      return sampleOf(delays, performance.now() - start);
    });
  } finally {
    for (const stream of streams) stream.close();
  }
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
