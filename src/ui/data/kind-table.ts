// What one kind's watch says, as the changes that it means. A watch begins with all objects that there are, or goes on where the
// last one ended; a beginning tells only what differs from what was known. It does nothing by itself: whoever has the
// connection gives it what arrives.
import { isObject, type JsonObject, numberAt, objectAt, parsedJson, textAt } from "../../meta/json.ts";
import { readRecord } from "./read-record.ts";
import type { Change, Kind, ObjectRecord } from "./records.ts";
import type { Ring } from "./ring.ts";

const LIST_END = "k8s.io/initial-events-end";

/** Why something is not answered as it was asked for. */
export interface Failure {
  /** Of HTTP; 0: nobody answered. */
  readonly code: number;
  readonly message: string;
}

/** What a Status says. */
export const failureIn = (status: JsonObject | undefined, code = 0): Failure => ({
  code: numberAt(status, "code") ?? code,
  message: textAt(status, "message"),
});

/** What a frame of a watch means. */
export interface Taken {
  readonly changes: readonly Change[];
  /** The watch ends with it. */
  readonly failure?: Failure;
}

const NOTHING: Taken = { changes: [] };

export class KindTable {
  readonly #kind: Kind;
  readonly #ring: Ring;
  readonly #records = new Map<string, ObjectRecord>();
  /** undefined: all has to be told anew. */
  #known: number | undefined;
  /** Up to which all was known when that was asked for. */
  #knownOnce: number | undefined;
  /** Whom the beginning has named so far. */
  #listed = new Set<string>();

  constructor(kind: Kind, ring: Ring) {
    this.#kind = kind;
    this.#ring = ring;
  }

  /** Up to which all is known; undefined as long as not all have been named. */
  get revision(): number | undefined {
    return this.#known;
  }

  /** All objects as they are known, as if they had just come. */
  *all(): Iterable<Change> {
    for (const record of this.#records.values()) yield this.#change(record.uid, record, record.revision);
  }

  /** The query of the next watch. */
  begin(): string {
    this.#listed = new Set();
    const how =
      this.#known === undefined
        ? "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
        : `resourceVersion=${this.#known}`;
    return `watch=true&allowWatchBookmarks=true&${how}`;
  }

  /** The next watch tells all there is; what is known stays until it is told otherwise. */
  relist(): void {
    this.#knownOnce ??= this.#known;
    this.#known = undefined;
  }

  /** Nothing is known any more: it was another server's. */
  forget(): void {
    this.#known = undefined;
    this.#knownOnce = undefined;
    this.#records.clear();
  }

  take(frame: string): Taken {
    const event = parsedJson(frame);
    const object = isObject(event) ? objectAt(event, "object") : undefined;
    if (!isObject(event) || object === undefined) return NOTHING;
    switch (event["type"]) {
      case "BOOKMARK":
        return this.#bookmark(object);
      case "ERROR":
        return { changes: [], failure: failureIn(object) };
      case "DELETED":
        return this.#event(object, true);
      default:
        return this.#event(object, false);
    }
  }

  #event(object: JsonObject, isDeleted: boolean): Taken {
    const record = readRecord(this.#kind, object);
    if (record === undefined) return NOTHING;
    const { uid, revision } = record;
    if (this.#known === undefined) {
      if (isDeleted) this.#listed.delete(uid);
      else this.#listed.add(uid);
    } else {
      if (revision <= this.#known) return NOTHING; // told before
      this.#known = revision;
    }
    return { changes: isDeleted ? this.#remove(uid, revision) : this.#put(record) };
  }

  #put(record: ObjectRecord): Change[] {
    const before = this.#records.get(record.uid);
    if (before?.revision === record.revision) return [];
    this.#records.set(record.uid, record);
    return [this.#changed(this.#change(record.uid, record, record.revision), before)];
  }

  #remove(uid: string, revision: number): Change[] {
    const before = this.#records.get(uid);
    this.#records.delete(uid);
    return before ? [this.#changed(this.#change(uid, undefined, revision), before)] : [];
  }

  /** What is listed for the first time has not changed. */
  #changed(change: Change, before: ObjectRecord | undefined): Change {
    if (this.#known !== undefined || this.#knownOnce !== undefined) this.#ring.add(change, before);
    return change;
  }

  #bookmark(object: JsonObject): Taken {
    const metadata = objectAt(object, "metadata");
    const revision = Number(textAt(metadata, "resourceVersion"));
    if (this.#known !== undefined) {
      this.#known = Math.max(this.#known, revision);
      return NOTHING;
    }
    if (textAt(objectAt(metadata, "annotations"), LIST_END) !== "true") return NOTHING;
    const gone = [...this.#records.keys()].filter((uid) => !this.#listed.has(uid));
    const changes = gone.flatMap((uid) => this.#remove(uid, revision));
    this.#ring.listed(this.#kind, this.#knownOnce, revision);
    this.#listed = new Set();
    this.#known = revision;
    this.#knownOnce = undefined;
    return { changes };
  }

  #change(uid: string, record: ObjectRecord | undefined, revision: number): Change {
    return { kind: this.#kind, uid, record, revision } as Change; // the record is one of the kind
  }
}
