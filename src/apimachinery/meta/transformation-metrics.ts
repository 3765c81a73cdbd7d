// Metrics of value transformations on writes to etcd and reads from it: counts and durations.
import { Histogram } from "./histogram.ts";

export type Direction = "to_storage" | "from_storage";

/** 5 µs, doubled 24 times, as in a kube-apiserver. */
const BOUNDS = Array.from({ length: 25 }, (_, index) => 5e-6 * 2 ** index);

/** For one resource, one direction and one prefix. */
export class Transformations {
  /** The name of the resource in requests: "secrets", "things.example.com". */
  readonly resource: string;
  readonly direction: Direction;
  readonly prefix: string;
  succeeded = 0;
  failed = 0;
  readonly #seconds: Histogram;

  constructor(resource: string, direction: Direction, prefix: string, seconds: Histogram) {
    this.resource = resource;
    this.direction = direction;
    this.prefix = prefix;
    this.#seconds = seconds;
  }

  done(seconds: number, isFailure: boolean): void {
    if (isFailure) {
      this.failed++;
      return;
    }
    this.succeeded++;
    this.#seconds.observe(seconds);
  }
}

export interface TransformationTimes {
  readonly direction: Direction;
  readonly prefix: string;
  readonly seconds: Histogram;
}

export class TransformationMetrics implements Iterable<Transformations> {
  readonly #all = new Map<string, Transformations>();
  readonly #seconds = new Map<string, TransformationTimes>();

  /** Durations of successful transformations, over all resources. */
  get times(): Iterable<TransformationTimes> {
    return this.#seconds.values();
  }

  of(resource: string, direction: Direction, prefix: string): Transformations {
    const key = `${direction} ${prefix} ${resource}`;
    let metrics = this.#all.get(key);
    if (metrics === undefined) {
      metrics = new Transformations(resource, direction, prefix, this.#timesOf(direction, prefix).seconds);
      this.#all.set(key, metrics);
    }
    return metrics;
  }

  #timesOf(direction: Direction, prefix: string): TransformationTimes {
    const key = `${direction} ${prefix}`;
    let times = this.#seconds.get(key);
    if (times === undefined) {
      times = { direction, prefix, seconds: new Histogram(BOUNDS) };
      this.#seconds.set(key, times);
    }
    return times;
  }

  [Symbol.iterator](): Iterator<Transformations> {
    return this.#all.values();
  }
}
