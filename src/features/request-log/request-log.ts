// The request log: a ring of the server's latest requests. Adding an entry stores raw facts; they are formatted when
// the log is read.

import { boundedText } from "../../apimachinery/go/clone.ts";
import type { RequestObserver, RequestRecord } from "../../apiserver/endpoints/api-request.ts";
import { parseRequestInfo, Query } from "../../apiserver/endpoints/request/request-info.ts";
import { splitUrl } from "../../apiserver/endpoints/request/url.ts";
import {
  type ControlRoute,
  integer,
  maybe,
  number,
  object,
  oneOf,
  route,
  text,
  type ValueOf,
} from "../control-surface/control-route.ts";
import {
  checkFilters,
  count,
  logOf,
  NUMBER_FILTERS,
  readFilters,
  textFilters,
  textTest,
} from "./log-queries.ts";

export const REQUEST_LOG_ENTRIES = 1000;

// Clients choose these texts, and a URL may have 1 MiB. The limits keep a full log below 8 MB.
const URL_CHARACTERS_MAX = 4096;
const USER_CHARACTERS_MAX = 512;
const USER_AGENT_CHARACTERS_MAX = 512;
const CAUSE_CHARACTERS_MAX = 1024;

/** Control requests and health checks are not logged: they would evict relevant entries. */
const UNLOGGED = /^\/(egret|healthz|livez|readyz)(\/|\?|$)/;

const ENTRY = object({
  sequence: integer("Counts all requests since the start."),
  time: text("When it came, by the server's clock."),
  stage: oneOf(["complete", "started", "ended"], "A watch is told of twice."),
  verb: text("As authorisation knows it."),
  method: text("HTTP method."),
  path: text(`With its query; beyond ${URL_CHARACTERS_MAX} characters only how many more there were.`),
  group: text('"" is the core group.'),
  version: text("API version."),
  resource: text("Plural name."),
  subresource: text("Such as status."),
  namespace: text("Of the path."),
  name: text("Of the path."),
  user: text("In whose name."),
  userAgent: text("The header."),
  status: integer("0: the connection was broken before there was an answer."),
  durationMs: number("By the server's clock."),
  fault: maybe(text("The faults that struck.")),
  resourceVersion: maybe(text("The revision that the answer shows, where it is known without looking.")),
});
/** For a path without a resource, the verb is the method in lower case. `user` is "" for invalid credentials. */
export type RequestLogEntry = ValueOf<typeof ENTRY>;

const TEXT_FILTERS = ["verb", "group", "resource", "namespace", "name", "userAgent", "user"] as const;
const NUMBERS = { status: count("HTTP status of the answer; 0 is none."), ...NUMBER_FILTERS };
const FILTERS = { ...textFilters(TEXT_FILTERS, "requests"), ...NUMBERS };
/** An absent filter matches every entry; texts may contain * as a wildcard. */
export type RequestFilter = Readonly<
  Partial<Record<(typeof TEXT_FILTERS)[number], string> & Record<keyof typeof NUMBERS, number>>
>;

/**
 * The stored part of a request. Slots are reused: new records would survive young-generation garbage collection, which
 * would copy them. RequestInfo is parsed from the URL when the log is read.
 */
type Slot = { -readonly [Key in Exclude<keyof RequestRecord, "info">]: RequestRecord[Key] };

const EMPTY: Slot = {
  ...{ stage: "complete", method: "", url: "", user: "", userAgent: "", status: 0 },
  ...{ startedMs: 0.5, endedMs: 0.5, cause: "", revision: undefined },
};

function fill(slot: Slot, record: RequestRecord): Slot {
  slot.stage = record.stage;
  slot.method = record.method;
  slot.url = boundedText(record.url, URL_CHARACTERS_MAX);
  slot.user = boundedText(record.user, USER_CHARACTERS_MAX);
  if (slot.userAgent !== record.userAgent)
    slot.userAgent = boundedText(record.userAgent, USER_AGENT_CHARACTERS_MAX);
  slot.status = record.status;
  slot.startedMs = record.startedMs;
  slot.endedMs = record.endedMs;
  slot.cause = boundedText(record.cause, CAUSE_CHARACTERS_MAX);
  slot.revision = record.revision;
  return slot;
}

/**
 * The latest requests of a server.
 *
 * @example
 * expect(server.requests.entries({ verb: "update", resource: "egressips" })).toHaveLength(1);
 */
export class RequestLog implements RequestObserver {
  readonly #ring: Slot[] = [];
  readonly #capacity: number;
  #added = 0;
  /** Entries up to this sequence number have been cleared. */
  #cleared = 0;

  constructor(capacity = REQUEST_LOG_ENTRIES) {
    this.#capacity = capacity;
  }

  add(record: RequestRecord): void {
    if (!record.info.isResourceRequest && UNLOGGED.test(record.url)) return;
    const place = this.#added++ % this.#capacity;
    const slot = this.#ring[place];
    if (slot === undefined) this.#ring[place] = fill({ ...EMPTY }, record);
    else fill(slot, record);
  }

  /** The sequence number of the newest entry; 0 for an empty log. */
  get last(): number {
    return this.#added;
  }

  /** Oldest first. Throws a StatusError 400 for an unknown filter. */
  entries(filter: RequestFilter = {}): RequestLogEntry[] {
    checkFilters(Object.keys(filter), Object.keys(FILTERS));
    const passes = createFilter(filter);
    const found: RequestLogEntry[] = [];
    const limit = filter.limit ?? this.#capacity;
    for (let sequence = this.#added; sequence > this.#oldest(filter.since); sequence--) {
      if (found.length >= limit) break;
      const record = this.#ring[(sequence - 1) % this.#capacity];
      const entry = record && worded(record, sequence);
      if (entry !== undefined && passes(entry)) found.push(entry);
    }
    return found.reverse();
  }

  clear(): void {
    this.#ring.length = 0;
    this.#cleared = this.#added;
  }

  /** The number of entries after `since` that have been evicted. */
  missed(since: number): number {
    return Math.max(0, this.#added - this.#capacity - Math.max(since, this.#cleared));
  }

  #oldest(since = 0): number {
    return Math.max(since, this.#cleared, this.#added - this.#capacity);
  }
}

function createFilter(filter: RequestFilter): (entry: RequestLogEntry) => boolean {
  const { status } = filter;
  const fits = textTest(filter, TEXT_FILTERS);
  return (entry) => (status === undefined || entry.status === status) && fits(entry);
}

function worded(record: Slot, sequence: number): RequestLogEntry {
  const { stage, method, url, user, userAgent, status, startedMs, endedMs, cause, revision } = record;
  const [path, query] = splitUrl(url);
  const info = parseRequestInfo(method, path, new Query(query));
  const { group, version, resource, subresource, namespace, name } = info;
  return {
    ...{ sequence, time: new Date(startedMs).toISOString(), stage },
    ...{ verb: info.verb || method.toLowerCase(), method, path: url },
    ...{ group, version, resource, subresource, namespace, name },
    ...{ user, userAgent, status, durationMs: endedMs - startedMs },
    ...(cause === "" ? {} : { fault: cause }),
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
  };
}

export const requestLogRoutes = (log: RequestLog): ControlRoute[] => [
  route("GET /requests", "listRequests", {
    summary: "The last requests, oldest first, without those to the control surface and the health checks.",
    query: FILTERS,
    answer: ["The entries.", logOf(ENTRY)],
    handle: ({ raw }) => {
      const filter: RequestFilter = readFilters(raw.query, FILTERS);
      return { items: log.entries(filter), last: log.last, missed: log.missed(filter.since ?? 0) };
    },
  }),
  route("DELETE /requests", "clearRequests", {
    summary: "Forgets all requests; the sequence goes on.",
    answer: ["The log is empty."],
    handle: () => log.clear(),
  }),
];
