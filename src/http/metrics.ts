// /metrics in the Prometheus text format, under the names that a real server uses. The library that writes it is loaded
// when somebody asks for the first time.
import type { Registry } from "prom-client";
import type { RequestInfo } from "../apiserver/request/request-info.ts";
import { BUCKETS_SECONDS, LABELS, type RequestCount, RequestCounts } from "./call.ts";

export interface MetricsSource {
  /** Whether a request is about a kind that is served: only those have figures of their own. */
  readonly isServed: (info: RequestInfo) => boolean;
  /** The newest revision of the store. */
  readonly revision: () => number;
  /** How many objects each resource has now. */
  readonly objectCounts: () => Iterable<readonly [resource: string, count: number]>;
  /** Requests on their way. */
  readonly inflight: () => Readonly<Record<string, number>>;
  /** Requests that were too many, so far. */
  readonly refused: () => Readonly<Record<string, number>>;
  /** Watches of the store, those of controllers too: open now, and ever dropped because they fell too far behind. */
  readonly watches: () => { readonly open: number; readonly dropped: number };
  /** The queues of the controllers. */
  readonly queues: () => readonly QueueFigures[];
}

export interface QueueFigures {
  readonly name: string;
  /** Keys that wait. */
  readonly depth: number;
  /** Keys ever put in the queue, and put back because their work failed. */
  readonly adds: number;
  readonly retries: number;
}

type Library = Awaited<ReturnType<typeof loadLibrary>>;

export class Metrics {
  readonly counts = new RequestCounts();
  readonly isServed: MetricsSource["isServed"];
  readonly #source: MetricsSource;
  #registry: Promise<Registry> | undefined;

  constructor(source: MetricsSource) {
    this.isServed = source.isServed;
    this.#source = source;
  }

  async text(): Promise<{ readonly contentType: string; readonly text: string }> {
    this.#registry ??= loadLibrary().then((library) => this.#register(library));
    const registry = await this.#registry;
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  #register(library: Library): Registry {
    const registry = new library.Registry();
    registerDurations(library, registry, this.counts);
    for (const { type, name, help, labelNames, figures } of metricsOf(this.counts, this.#source)) {
      new library[type]({
        name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          this.reset();
          for (const [labels, value] of figures()) this.inc(labels, value);
        },
      });
    }
    library.collectDefaultMetrics({ register: registry });
    return registry;
  }
}

/** The library is CommonJS: bundled or not, all of it is the default export. */
async function loadLibrary() {
  return (await import("prom-client")).default;
}

type Labels = Readonly<Record<string, string | number>>;

interface Metric {
  readonly type: "Counter" | "Gauge";
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** What is true now. */
  figures(): Iterable<readonly [Labels, number]>;
}

function metricsOf(counts: RequestCounts, source: MetricsSource): readonly Metric[] {
  const metric =
    (type: Metric["type"]) =>
    (name: string, help: string, labelNames: readonly string[], figures: Metric["figures"]): Metric => ({
      ...{ type, name, help, labelNames, figures },
    });
  const [counter, gauge] = [metric("Counter"), metric("Gauge")];
  const byKind = (figures: Readonly<Record<string, number>>) =>
    Object.entries(figures).map(([kind, count]) => [{ request_kind: kind }, count] as const);
  const ofQueues = (figure: "depth" | "adds" | "retries") => () =>
    source.queues().map((queue) => [{ name: queue.name }, queue[figure]] as const);
  return [
    counter(
      "apiserver_request_total",
      "Requests answered, by verb, resource and status code.",
      [...LABELS, "code"],
      () =>
        [...counts].flatMap(({ labels, codes }) =>
          [...codes].map(([code, count]) => [{ ...labels, code }, count] as const),
        ),
    ),
    gauge("apiserver_longrunning_requests", "Watches that are open now.", LABELS, () =>
      [...counts]
        .filter(({ labels }) => labels.verb === "WATCH")
        .map(({ labels, watches }) => [{ ...labels }, watches] as const),
    ),
    gauge(
      "apiserver_current_inflight_requests",
      "Requests on their way now, watches left out.",
      ["request_kind"],
      () => byKind(source.inflight()),
    ),
    gauge("egret_store_revision", "The newest revision of the store.", [], () => [[{}, source.revision()]]),
    gauge("apiserver_storage_objects", "Objects in the store, by resource.", ["resource"], () =>
      [...source.objectCounts()].map(([resource, count]) => [{ resource }, count] as const),
    ),
    counter(
      "apiserver_dropped_requests_total",
      "Requests refused because too many were on their way.",
      ["request_kind"],
      () => byKind(source.refused()),
    ),
    gauge(
      "egret_store_watches",
      "Watches of the store that are open now, those of controllers too.",
      [],
      () => [[{}, source.watches().open]],
    ),
    counter(
      "egret_store_watches_dropped_total",
      "Watches cut off because they fell too far behind.",
      [],
      () => [[{}, source.watches().dropped]],
    ),
    // Under the names of client-go; a controller with several queues of one name is one.
    gauge("workqueue_depth", "Keys that wait in the queue of a controller.", ["name"], ofQueues("depth")),
    counter("workqueue_adds_total", "Keys put in the queue of a controller.", ["name"], ofQueues("adds")),
    counter("workqueue_retries_total", "Keys put back after a failure.", ["name"], ofQueues("retries")),
  ];
}

/** A histogram whose buckets are counted elsewhere. */
function registerDurations({ Histogram }: Library, registry: Registry, counts: RequestCounts): void {
  const name = "apiserver_request_duration_seconds";
  const help = "Time from a request to its answer; watches are left out.";
  const empty = new Histogram({ name, help, labelNames: LABELS, registers: [] });
  class Durations extends Histogram {
    override async get() {
      const values = [...counts].flatMap((count) => histogramValues(name, count));
      return { ...(await empty.get()), values };
    }
    getForPromString() {
      return this.get();
    }
  }
  new Durations({ name, help, labelNames: LABELS, registers: [registry] });
}

function histogramValues(name: string, { labels, buckets, seconds, measured }: RequestCount) {
  if (measured === 0) return [];
  const own: Record<string, string | number> = { ...labels };
  let below = 0;
  const values = BUCKETS_SECONDS.map((bound, position) => {
    below += buckets[position] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...own, le: bound }, value: below };
  });
  return [
    ...values,
    { metricName: `${name}_bucket`, labels: { ...own, le: "+Inf" }, value: measured },
    { metricName: `${name}_sum`, labels: own, value: seconds },
    { metricName: `${name}_count`, labels: own, value: measured },
  ];
}
