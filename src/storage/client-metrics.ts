// Metrics of the etcd client: calls as gRPC counts them, and what only etcd has, retries and leases.
import { Histogram } from "../apimachinery/meta/histogram.ts";
import { TransformationMetrics } from "../apimachinery/meta/transformation-metrics.ts";

/** Histogram buckets: keys per lease. */
const LEASE_BOUNDS = [10, 50, 100, 500, 1000, 2500, 5000];

export class CallMetrics {
  readonly type: "unary" | "bidi_stream";
  readonly service: string;
  readonly method: string;
  started = 0;
  sent = 0;
  received = 0;
  /** By the name of the status code. */
  readonly handled = new Map<string, number>();

  /** "/etcdserverpb.KV/Range" */
  constructor(path: string, type: CallMetrics["type"]) {
    const [, service = "", method = ""] = path.split("/");
    this.type = type;
    this.service = service;
    this.method = method;
  }

  ended(codeName: string): void {
    this.handled.set(codeName, (this.handled.get(codeName) ?? 0) + 1);
  }
}

export class ClientMetrics {
  readonly #calls = new Map<string, CallMetrics>();
  /** Retries, by the kind of the error before. */
  readonly retries = new Map<string, number>();
  readonly leaseKeys = new Histogram(LEASE_BOUNDS);
  /** Values that an EncryptionConfiguration has encrypted. */
  readonly transformations = new TransformationMetrics();
  /** Number of full reads: at the start, and whenever the watch could not resume. */
  loads = 0;

  get calls(): Iterable<CallMetrics> {
    return this.#calls.values();
  }

  call(path: string, type: CallMetrics["type"] = "unary"): CallMetrics {
    let metrics = this.#calls.get(path);
    if (metrics === undefined) {
      metrics = new CallMetrics(path, type);
      this.#calls.set(path, metrics);
    }
    return metrics;
  }

  retried(kind: string): void {
    this.retries.set(kind, (this.retries.get(kind) ?? 0) + 1);
  }
}
