// /metrics in the Prometheus text format, under the names that a real server uses.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
}

export interface MetricsSource {
  /** The newest revision of the store. */
  readonly revision: () => number;
  /** How many objects each resource has now. */
  readonly objectCounts: () => Iterable<readonly [resource: string, count: number]>;
}

const LABELS = ["verb", "group", "version", "resource", "subresource"] as const;
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export class Metrics {
  readonly #registry = new Registry();
  readonly #total = new Counter({
    name: "apiserver_request_total",
    help: "Requests answered, by verb, resource and status code.",
    labelNames: [...LABELS, "code"],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: "apiserver_request_duration_seconds",
    help: "Time from a request to its answer; watches are left out.",
    labelNames: LABELS,
    buckets: SECONDS,
    registers: [this.#registry],
  });
  readonly #watches = new Gauge({
    name: "apiserver_longrunning_requests",
    help: "Watches that are open now.",
    labelNames: LABELS,
    registers: [this.#registry],
  });

  constructor(source: MetricsSource) {
    new Gauge({
      name: "egret_store_revision",
      help: "The newest revision of the store.",
      registers: [this.#registry],
      collect() {
        this.set(source.revision());
      },
    });
    new Gauge({
      name: "apiserver_storage_objects",
      help: "Objects in the store, by resource.",
      labelNames: ["resource"],
      registers: [this.#registry],
      collect() {
        for (const [resource, count] of source.objectCounts()) this.set({ resource }, count);
      },
    });
  }

  answered(labels: RequestLabels, code: number, seconds: number): void {
    this.#total.inc({ ...labels, code });
    if (labels.verb !== "WATCH")
      this.#seconds.observe(labels as RequestLabels & Record<string, string>, seconds);
  }

  watching(labels: RequestLabels, change: 1 | -1): void {
    this.#watches.inc(labels as RequestLabels & Record<string, string>, change);
  }

  #withProcess = false;

  async text(): Promise<string> {
    if (!this.#withProcess) {
      this.#withProcess = true; // they start observers of their own: not before somebody looks
      collectDefaultMetrics({ register: this.#registry });
    }
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
