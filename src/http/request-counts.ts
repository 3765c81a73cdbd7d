// What has been answered, counted as cheaply as can be: every request comes by here, and few of them are ever asked for.

export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
}

/** Upper bounds in seconds; what takes longer is in the sum and the count alone. */
export const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Paths name what they like, also what there is not: beyond so many kinds of request all others count as one. */
const ROWS_MAX = 1000;
const OTHERS: RequestLabels = { verb: "", group: "", version: "", resource: "", subresource: "" };

export interface RequestCount {
  readonly labels: RequestLabels;
  /** Answers by status code. */
  readonly codes: Map<number, number>;
  /** How many took at most as long as each bound, and longer than the one before. */
  readonly buckets: number[];
  seconds: number;
  measured: number;
  /** Watches that are open now. */
  watches: number;
}

export class RequestCounts implements Iterable<RequestCount> {
  readonly #counts = new Map<string, RequestCount>();

  answered(labels: RequestLabels, code: number, seconds: number): void {
    const count = this.#of(labels);
    count.codes.set(code, (count.codes.get(code) ?? 0) + 1);
    if (labels.verb === "WATCH") return; // how long a client watches says nothing about the server
    const bucket = BUCKETS_SECONDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) count.buckets[bucket] = (count.buckets[bucket] ?? 0) + 1;
    count.seconds += seconds;
    count.measured++;
  }

  watching(labels: RequestLabels, change: 1 | -1): void {
    this.#of(labels).watches += change;
  }

  [Symbol.iterator](): Iterator<RequestCount> {
    return this.#counts.values();
  }

  #of(labels: RequestLabels): RequestCount {
    const { verb, group, version, resource, subresource } = labels;
    const key = `${verb} ${group} ${version} ${resource} ${subresource}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      if (this.#counts.size >= ROWS_MAX && labels !== OTHERS) return this.#of(OTHERS);
      const buckets = new Array<number>(BUCKETS_SECONDS.length).fill(0);
      count = { labels, codes: new Map(), buckets, seconds: 0, measured: 0, watches: 0 };
      this.#counts.set(key, count);
    }
    return count;
  }
}
