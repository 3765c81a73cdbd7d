// /metrics in the Prometheus text format, under the metric names of a kube-apiserver. prom-client is loaded at the
// first scrape.
import type { Registry } from "prom-client";
import type { Histogram } from "../../apimachinery/meta/histogram.ts";
import type { RequestInfo } from "../endpoints/request/request-info.ts";
import { LABELS, RequestCounts } from "./call.ts";

export interface MetricsSource {
  /** Whether the request concerns a served resource: only those have their own label values. */
  readonly isServed: (info: RequestInfo) => boolean;
  /** Requests in flight. */
  readonly inflight: () => Readonly<Record<string, number>>;
  /** Requests rejected by the in-flight limits, so far. */
  readonly refused: () => Readonly<Record<string, number>>;
  /** The work queues of the controllers. */
  readonly queues: () => readonly QueueMetrics[];
  /** Metrics of other components. */
  readonly others: readonly Metric[];
}

export interface QueueMetrics {
  readonly name: string;
  /** Keys that wait. */
  readonly depth: number;
  /** Keys ever added, and keys requeued after a failure. */
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
    const registry = await this.#registry.catch((error) => {
      this.#registry = undefined; // the next request tries again
      throw error;
    });
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  #register(library: Library): Registry {
    const registry = new library.Registry();
    for (const metric of [...requestMetrics(this.counts, this.#source), ...this.#source.others]) {
      if (metric.type === "Histogram") registerHistogram(library, registry, metric);
      else registerMetrics(library, registry, metric);
    }
    library.collectDefaultMetrics({ register: registry });
    return registry;
  }
}

/** prom-client is CommonJS: bundled or not, its exports are the default export. */
async function loadLibrary() {
  return (await import("prom-client")).default;
}

type Labels = Readonly<Record<string, string | number>>;

interface Named {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

interface Samples<Type extends string, Value> extends Named {
  readonly type: Type;
  /** Current values. */
  metrics(): Rows<Value> | Promise<Rows<Value>>;
}

type Rows<Value> = Iterable<readonly [Labels, Value]>;
type NumberMetric = Samples<"Counter" | "Gauge", number>;
type HistogramMetric = Samples<"Histogram", Histogram>;
export type Metric = NumberMetric | HistogramMetric;

const metricOf =
  <Type extends Metric["type"], Value>(type: Type) =>
  (
    name: string,
    help: string,
    labelNames: readonly string[],
    metrics: () => Rows<Value> | Promise<Rows<Value>>,
  ): Samples<Type, Value> => ({ type, name, help, labelNames, metrics });

export const counter = metricOf<"Counter", number>("Counter");
export const gauge = metricOf<"Gauge", number>("Gauge");
export const histogram = metricOf<"Histogram", Histogram>("Histogram");

function requestMetrics(counts: RequestCounts, source: MetricsSource): readonly Metric[] {
  const byKind = (metrics: Readonly<Record<string, number>>) =>
    Object.entries(metrics).map(([kind, count]) => [{ request_kind: kind }, count] as const);
  const ofQueues = (figure: "depth" | "adds" | "retries") => () =>
    source.queues().map((queue) => [{ name: queue.name }, queue[figure]] as const);
  return [
    histogram(
      "apiserver_request_duration_seconds",
      "Time from a request to its answer; watches are left out.",
      LABELS,
      () => [...counts].map(({ labels, seconds }) => [labels, seconds] as const),
    ),
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
    counter(
      "apiserver_dropped_requests_total",
      "Requests refused because too many were on their way.",
      ["request_kind"],
      () => byKind(source.refused()),
    ),
    // Metric names of client-go. Queues of one name in a controller are summed.
    gauge("workqueue_depth", "Keys that wait in the queue of a controller.", ["name"], ofQueues("depth")),
    counter("workqueue_adds_total", "Keys put in the queue of a controller.", ["name"], ofQueues("adds")),
    counter("workqueue_retries_total", "Keys put back after a failure.", ["name"], ofQueues("retries")),
  ];
}

function registerMetrics(library: Library, registry: Registry, metric: NumberMetric): void {
  const { type, name, help, labelNames } = metric;
  new library[type]({
    ...{ name, help, labelNames, registers: [registry] },
    async collect() {
      const metrics = await metric.metrics();
      this.reset();
      for (const [labels, value] of metrics) this.inc(labels, value);
    },
  });
}

/** A histogram whose buckets are counted by another component. */
function registerHistogram({ Histogram }: Library, registry: Registry, metric: HistogramMetric): void {
  const { name, help, labelNames } = metric;
  const empty = new Histogram({ name, help, labelNames, registers: [] });
  class Counted extends Histogram {
    override async get() {
      const values = [...(await metric.metrics())].flatMap(([labels, counted]) =>
        histogramValues(name, labels, counted),
      );
      return { ...(await empty.get()), values };
    }
    getForPromString() {
      return this.get();
    }
  }
  new Counted({ name, help, labelNames, registers: [registry] });
}

function histogramValues(name: string, labels: Labels, { bounds, buckets, sum, count }: Histogram) {
  if (count === 0) return [];
  const own: Record<string, string | number> = { ...labels };
  let below = 0;
  const values = bounds.map((bound, position) => {
    below += buckets[position] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...own, le: bound }, value: below };
  });
  return [
    ...values,
    { metricName: `${name}_bucket`, labels: { ...own, le: "+Inf" }, value: count },
    { metricName: `${name}_sum`, labels: own, value: sum },
    { metricName: `${name}_count`, labels: own, value: count },
  ];
}
