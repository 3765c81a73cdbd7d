// Sources of timeline entries: watches from the oldest available revision, and the request log. They run only while a
// view uses the timeline.

import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parsedJson,
  textAt,
} from "../../apimachinery/json/json.ts";
import type { RequestLogEntry } from "../../features/request-log/request-log.ts";
import type { Failure } from "../data/kind-table.ts";
import { delayBefore, GONE, isRefusal, type Transport } from "../data/kind-watch.ts";
import { readRecord } from "../data/read-record.ts";
import { KINDS, type Kind, type ObjectRecord } from "../data/records.ts";
import type { PageClock } from "../frame/browser-clock.ts";
import { type ChangeType, readChange, readEvent } from "./changes.ts";
import type { Entry } from "./entries.ts";
import { isShown, requestEntry } from "./requests.ts";

type Stream = Kind | "events";
const STREAMS: readonly Stream[] = [...KINDS, "events"];
/** Streams that list their objects at the first revision: decisions are derived from the previous record. */
const WITH_BEFORE: ReadonlySet<Stream> = new Set([
  "nodes",
  "egressips",
  "egressservices",
  "cloudprivateipconfigs",
]);

/** Maximum number of revisions that the timeline goes back. */
const REVISIONS_MAX = 20_000;
const REQUESTS_EVERY_MS = 1_000;
const FLUSH_MS = 200;
/** Each FLUSH_ENTRIES entries add FLUSH_MS to the interval between updates, because sorting takes longer. */
const FLUSH_ENTRIES = 4_000;

export interface SourceParts {
  readonly clock: PageClock;
  /** Collection path of a stream. */
  readonly pathOf: (stream: Stream) => string;
  readonly get: (
    path: string,
  ) => Promise<{ readonly object?: JsonObject | undefined; readonly failure?: Failure | undefined }>;
  readonly watch: (path: string, query: string, told: Parameters<Transport["watch"]>[2]) => () => void;
  /** The newest known revision. */
  readonly newest: () => number;
  readonly told: (news: News) => void;
}

/** Entries and state since the last call. */
export interface News {
  readonly entries: readonly Entry[];
  /** True: drop all earlier entries. */
  readonly isAnew: boolean;
  /** The first revision of the timeline: the oldest that the server keeps, or the limit of the timeline. */
  readonly from: number;
  /** Requests that the log has dropped before they were read. */
  readonly missed: number;
  /** Streams that cannot be read, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
}

export class TimeSource {
  readonly #parts: SourceParts;
  readonly #ends = new Set<() => void>();
  readonly #records = new Map<string, ObjectRecord>();
  readonly #refused = new Map<string, string>();
  /** Incremented by start() and stop(): answers of earlier rounds are ignored. */
  #round = 0;
  #pending: Entry[] = [];
  #isAnew = true;
  #from = 1;
  #missed = 0;
  #sequence = 0;
  #isDue = false;
  #count = 0;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  /** Starts, or restarts after a change of cluster. */
  start(): void {
    this.stop();
    this.#records.clear();
    this.#refused.clear();
    this.#pending = [];
    this.#isAnew = true;
    this.#missed = 0;
    this.#sequence = 0;
    this.#count = 0;
    const round = this.#round;
    void this.#begin(round);
    void this.#pollRequests(round);
  }

  stop(): void {
    this.#round++;
    for (const end of this.#ends) end();
    this.#ends.clear();
    this.#isDue = false;
  }

  async #begin(round: number): Promise<void> {
    const oldest = await this.#oldest();
    if (round !== this.#round) return;
    this.#from = Math.max(1, oldest, this.#parts.newest() - REVISIONS_MAX);
    this.#tell();
    for (const stream of STREAMS) void this.#open(stream, round);
  }

  /** Without access to the history, the timeline starts at the newest revision. */
  async #oldest(): Promise<number> {
    const { object, failure } = await this.#parts.get("/egret/v1/history/namespaces/kube-system?limit=1");
    if (!failure) return Number(textAt(object, "oldestRevision"));
    this.#refused.set("history", failure.message);
    return this.#parts.newest();
  }

  async #open(stream: Stream, round: number): Promise<void> {
    if (stream !== "events" && WITH_BEFORE.has(stream)) {
      const query = `resourceVersion=${this.#from}&resourceVersionMatch=Exact`;
      const { object, failure } = await this.#parts.get(`${this.#parts.pathOf(stream)}?${query}`);
      if (round !== this.#round) return;
      if (failure && isRefusal(failure)) return this.#refuse(stream, failure);
      for (const item of objectsAt(object, "items")) {
        const record = readRecord(stream, item);
        if (record) this.#records.set(record.uid, record);
      }
    }
    this.#watch(stream, round, this.#from, 0);
  }

  #watch(stream: Stream, round: number, since: number, tries: number): void {
    const { clock, pathOf, watch } = this.#parts;
    let [at, failed] = [since, tries];
    const end = watch(pathOf(stream), `watch=true&allowWatchBookmarks=true&resourceVersion=${at}`, {
      opened: () => {
        failed = 0;
      },
      frame: (text) => {
        const event = parsedJson(text);
        const object = isObject(event) ? objectAt(event, "object") : undefined;
        if (!isObject(event) || !object) return;
        if (event["type"] === "ERROR") {
          if (object["code"] === GONE) this.start(); // compacted: restart from the oldest revision of the server
          return;
        }
        at = Math.max(at, Number(textAt(objectAt(object, "metadata"), "resourceVersion")) || 0);
        if (event["type"] !== "BOOKMARK") this.#take(stream, event["type"] as ChangeType, object);
      },
      closed: (failure) => {
        this.#ends.delete(end);
        if (round !== this.#round) return;
        if (failure && isRefusal(failure)) this.#refuse(stream, failure);
        else if (failure?.code === GONE) this.start();
        else this.#later(delayBefore(failed + 1, clock), () => this.#watch(stream, round, at, failed + 1));
      },
    });
    this.#ends.add(end);
  }

  #take(stream: Stream, type: ChangeType, object: JsonObject): void {
    if (stream === "events") {
      const entry = type === "DELETED" ? undefined : readEvent(object);
      if (entry) this.#pending.push(entry);
    } else {
      const uid = textAt(objectAt(object, "metadata"), "uid");
      const { entries, record } = readChange(stream, type, object, this.#records.get(uid));
      for (const entry of entries) this.#pending.push(entry);
      if (record) this.#records.set(uid, record);
      else this.#records.delete(uid);
    }
    this.#tell();
  }

  #refuse(stream: Stream, { message }: Failure): void {
    this.#refused.set(stream, message);
    this.#tell();
  }

  async #pollRequests(round: number): Promise<void> {
    const { object, failure } = await this.#parts.get(`/egret/v1/requests?since=${this.#sequence}`);
    if (round !== this.#round) return;
    if (failure && isRefusal(failure)) return this.#refuse("requests" as Stream, failure);
    if (object) this.#takeRequests(object);
    this.#later(REQUESTS_EVERY_MS, () => void this.#pollRequests(round));
  }

  #takeRequests(log: JsonObject): void {
    const last = Number(log["last"] ?? 0);
    this.#missed += Number(log["missed"] ?? 0);
    // A lower sequence number means that the server has restarted and counts from zero.
    this.#sequence = last < this.#sequence ? 0 : last;
    const entries = objectsAt(log, "items") as unknown as readonly RequestLogEntry[];
    const shown = entries.filter(isShown).map(requestEntry);
    for (const entry of shown) this.#pending.push(entry);
    if (shown.length > 0) this.#tell();
  }

  #later(delayMs: number, callback: () => void): void {
    const end = this.#parts.clock.after(delayMs, () => {
      this.#ends.delete(end);
      callback();
    });
    this.#ends.add(end);
  }

  /** Batches entries into one update. */
  #tell(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#later(FLUSH_MS * (1 + Math.floor(this.#count / FLUSH_ENTRIES)), () => {
      this.#isDue = false;
      const [entries, isAnew] = [this.#pending, this.#isAnew];
      this.#count += entries.length;
      this.#pending = [];
      this.#isAnew = false;
      this.#parts.told({
        entries,
        isAnew,
        from: this.#from,
        missed: this.#missed,
        refused: new Map(this.#refused),
      });
    });
  }
}
