// Who asked what: the last requests of the server, in a ring. Adding one stores the facts as they come; they are worded
// when somebody reads them.
import type { RequestObserver, RequestRecord } from "../../apiserver/api-request.ts";
import { createPattern } from "../faults/match.ts";

export const REQUEST_LOG_ENTRIES = 1000;

/** The surface's own requests and those that only ask whether the server is there would crowd out what matters. */
const UNLOGGED = /^\/(egret|healthz|livez|readyz)(\/|\?|$)/;

export interface RequestLogEntry {
  /** Counts all requests since the start; clearing the log does not start it anew. */
  readonly sequence: number;
  /** When it came, by the server's clock: RFC 3339 with milliseconds. */
  readonly time: string;
  /** A watch has an entry when it starts and another one when it has ended. */
  readonly stage: "complete" | "started" | "ended";
  /** As authorisation knows it; for a path that names no resource the method in lower case. */
  readonly verb: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** "" for the core group, and for a path that names no resource. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** In whose name; "" when the credentials were wrong. */
  readonly user: string;
  readonly userAgent: string;
  /** 0: a fault broke the connection before there was an answer. */
  readonly status: number;
  readonly durationMs: number;
  /** The ids of the faults that struck, with commas between them. */
  readonly fault?: string;
  /** The revision that the answer shows, where the server knows it without looking. */
  readonly resourceVersion?: string;
}

export const TEXT_FILTERS = ["verb", "group", "resource", "namespace", "name", "userAgent", "user"] as const;

/** What is left out lets everything pass; texts may hold * for any letters. */
export interface RequestFilter extends Readonly<Partial<Record<(typeof TEXT_FILTERS)[number], string>>> {
  readonly status?: number;
  /** Entries after the one with this sequence number. */
  readonly since?: number;
  /** The newest so many. */
  readonly limit?: number;
}

type Kept = RequestRecord & { readonly sequence: number };

/**
 * The last requests of a server.
 *
 * @example
 * expect(server.requests.entries({ verb: "update", resource: "egressips" })).toHaveLength(1);
 */
export class RequestLog implements RequestObserver {
  readonly #ring: RequestRecord[] = [];
  readonly #capacity: number;
  #added = 0;
  /** Entries up to this one have been cleared. */
  #cleared = 0;

  constructor(capacity = REQUEST_LOG_ENTRIES) {
    this.#capacity = capacity;
  }

  add(record: RequestRecord): void {
    if (!record.info.isResourceRequest && UNLOGGED.test(record.url)) return;
    this.#ring[this.#added++ % this.#capacity] = record;
  }

  /** The sequence number of the newest entry; 0 before the first one. */
  get last(): number {
    return this.#added;
  }

  /** Oldest first. */
  entries(filter: RequestFilter = {}): RequestLogEntry[] {
    const passes = createFilter(filter);
    const found: RequestLogEntry[] = [];
    const limit = filter.limit ?? this.#capacity;
    for (let sequence = this.#added; sequence > this.#oldest(filter.since); sequence--) {
      if (found.length >= limit) break;
      const record = this.#ring[(sequence - 1) % this.#capacity];
      const entry = record && worded({ ...record, sequence });
      if (entry !== undefined && passes(entry)) found.push(entry);
    }
    return found.reverse();
  }

  clear(): void {
    this.#ring.length = 0;
    this.#cleared = this.#added;
  }

  /** How many entries after this one are no longer kept. */
  missed(since: number): number {
    return Math.max(0, this.#added - this.#capacity - Math.max(since, this.#cleared));
  }

  #oldest(since = 0): number {
    return Math.max(since, this.#cleared, this.#added - this.#capacity);
  }
}

function createFilter(filter: RequestFilter): (entry: RequestLogEntry) => boolean {
  const { status } = filter;
  const tests = TEXT_FILTERS.flatMap((name) => {
    const pattern = filter[name];
    return pattern === undefined ? [] : [{ name, fits: createPattern(pattern) }];
  });
  return (entry) =>
    (status === undefined || entry.status === status) && tests.every(({ name, fits }) => fits(entry[name]));
}

function worded(kept: Kept): RequestLogEntry {
  const { info, startedMs, endedMs, cause, revision } = kept;
  const { group, version, resource, subresource, namespace, name } = info;
  return {
    sequence: kept.sequence,
    time: new Date(startedMs).toISOString(),
    stage: kept.stage,
    ...{ verb: info.verb || kept.method.toLowerCase(), method: kept.method, path: kept.url },
    ...{ group, version, resource, subresource, namespace, name },
    ...{ user: kept.user, userAgent: kept.userAgent, status: kept.status },
    durationMs: endedMs - startedMs,
    ...(cause === "" ? {} : { fault: cause }),
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
  };
}
