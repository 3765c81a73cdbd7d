// How many requests may be on their way at a time, as the API server's flags of these names say. Watches do not count.

export interface InflightLimits {
  /** Requests that only read; 0 is no limit. */
  readonly maxRequestsInflight: number;
  /** Requests that may change something; 0 is no limit. */
  readonly maxMutatingRequestsInflight: number;
}

export type RequestKind = "readOnly" | "mutating";

const READ_ONLY = new Set(["GET", "HEAD", "OPTIONS"]);

export const kindOf = (method: string): RequestKind => (READ_ONLY.has(method) ? "readOnly" : "mutating");

export class Inflight {
  readonly #limits: Readonly<Record<RequestKind, number>>;
  readonly #now: Record<RequestKind, number> = { readOnly: 0, mutating: 0 };
  readonly #refused: Record<RequestKind, number> = { readOnly: 0, mutating: 0 };

  constructor({ maxRequestsInflight, maxMutatingRequestsInflight }: InflightLimits) {
    this.#limits = {
      readOnly: maxRequestsInflight || Number.POSITIVE_INFINITY,
      mutating: maxMutatingRequestsInflight || Number.POSITIVE_INFINITY,
    };
  }

  /** False when there are enough already; otherwise leave has to follow. */
  enter(kind: RequestKind): boolean {
    if (this.#now[kind] >= this.#limits[kind]) {
      this.#refused[kind]++;
      return false;
    }
    this.#now[kind]++;
    return true;
  }

  leave(kind: RequestKind): void {
    this.#now[kind]--;
  }

  /** How many were ever too many. */
  get refused(): Readonly<Record<RequestKind, number>> {
    return this.#refused;
  }

  /** How many are on their way. */
  get now(): Readonly<Record<RequestKind, number>> {
    return this.#now;
  }
}
