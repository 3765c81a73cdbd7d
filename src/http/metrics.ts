// /metrics in the Prometheus text format, under the names that a real server uses. The library that writes it is loaded
// when somebody asks for the first time.
import type { Registry } from "prom-client";
import type { RequestInfo } from "../apiserver/request/request-info.ts";
import { BUCKETS_SECONDS, type RequestCount, RequestCounts } from "./request-counts.ts";

export type { RequestLabels } from "./request-counts.ts";

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

const LABELS = ["verb", "group", "version", "resource", "subresource"] as const;
type Library = Awaited<ReturnType<typeof loadLibrary>>;

export class Metrics {
  readonly counts = new RequestCounts();
  readonly #source: MetricsSource;
  #registry: Promise<Registry> | undefined;

  constructor(source: MetricsSource) {
    this.#source = source;
  }

  isServed(info: RequestInfo): boolean {
    return this.#source.isServed(info);
  }

  async text(): Promise<{ readonly contentType: string; readonly text: string }> {
    this.#registry ??= loadLibrary().then((library) => this.#register(library));
    const registry = await this.#registry;
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  #register(library: Library): Registry {
    const registry = new library.Registry();
    const registers = [registry];
    const { counts } = this;
    const source = this.#source;
    new library.Counter({
      name: "apiserver_request_total",
      help: "Requests answered, by verb, resource and status code.",
      labelNames: [...LABELS, "code"],
      registers,
      collect() {
        this.reset();
        for (const { labels, codes } of counts)
          for (const [code, count] of codes) this.inc({ ...labels, code }, count);
      },
    });
    registerDurations(library, registry, counts);
    new library.Gauge({
      name: "apiserver_longrunning_requests",
      help: "Watches that are open now.",
      labelNames: LABELS,
      registers,
      collect() {
        for (const { labels, watches } of counts)
          if (labels.verb === "WATCH") this.set({ ...labels }, watches);
      },
    });
    new library.Gauge({
      name: "apiserver_current_inflight_requests",
      help: "Requests on their way now, watches left out.",
      labelNames: ["request_kind"],
      registers,
      collect() {
        for (const [kind, count] of Object.entries(source.inflight()))
          this.set({ request_kind: kind }, count);
      },
    });
    new library.Gauge({
      name: "egret_store_revision",
      help: "The newest revision of the store.",
      registers,
      collect() {
        this.set(source.revision());
      },
    });
    new library.Gauge({
      name: "apiserver_storage_objects",
      help: "Objects in the store, by resource.",
      labelNames: ["resource"],
      registers,
      collect() {
        for (const [resource, count] of source.objectCounts()) this.set({ resource }, count);
      },
    });
    registerLimits(library, registers, source);
    registerQueues(library, registers, source);
    library.collectDefaultMetrics({ register: registry });
    return registry;
  }
}

/** The library is CommonJS: bundled or not, all of it is the default export. */
async function loadLibrary() {
  return (await import("prom-client")).default;
}

/** What was refused or cut off because there was too much of it. */
function registerLimits({ Counter, Gauge }: Library, registers: Registry[], source: MetricsSource): void {
  new Counter({
    name: "apiserver_dropped_requests_total",
    help: "Requests refused because too many were on their way.",
    labelNames: ["request_kind"],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(source.refused())) this.inc({ request_kind: kind }, count);
    },
  });
  new Gauge({
    name: "egret_store_watches",
    help: "Watches of the store that are open now, those of controllers too.",
    registers,
    collect() {
      this.set(source.watches().open);
    },
  });
  new Counter({
    name: "egret_store_watches_dropped_total",
    help: "Watches cut off because they fell too far behind.",
    registers,
    collect() {
      this.reset();
      this.inc(source.watches().dropped);
    },
  });
}

/** Under the names of client-go; a controller with several queues of one name is one. */
function registerQueues({ Counter, Gauge }: Library, registers: Registry[], { queues }: MetricsSource): void {
  const labelNames = ["name"];
  new Gauge({
    name: "workqueue_depth",
    help: "Keys that wait in the queue of a controller.",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, depth } of queues()) this.inc({ name }, depth);
    },
  });
  for (const what of ["adds", "retries"] as const) {
    new Counter({
      name: `workqueue_${what}_total`,
      help: what === "adds" ? "Keys put in the queue of a controller." : "Keys put back after a failure.",
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const figures of queues()) this.inc({ name: figures.name }, figures[what]);
      },
    });
  }
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
