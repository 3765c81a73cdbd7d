// Decodes the watch events of one kind into changes. A watch starts with initial events, or resumes from the last
// resourceVersion. After a relist, only objects that differ are reported. The table does no I/O: the owner of the
// connection passes frames in.
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  parsedJson,
  textAt,
} from "../../apimachinery/json/json.ts";
import { readRecord } from "./read-record.ts";
import type { Change, Kind, ObjectRecord } from "./records.ts";
import type { Ring } from "./ring.ts";

const LIST_END = "k8s.io/initial-events-end";

/** Why a request failed. */
export interface Failure {
  /** HTTP status code; 0: the server did not answer. */
  readonly code: number;
  readonly message: string;
}

/** Failure of a Status object. */
export const failureIn = (status: JsonObject | undefined, code = 0): Failure => ({
  code: numberAt(status, "code") ?? code,
  message: textAt(status, "message"),
});

/** Result of one decoded watch frame. */
export interface Taken {
  readonly changes: readonly Change[];
  /** Set when the frame ends the watch. */
  readonly failure?: Failure;
}

const NOTHING: Taken = { changes: [] };

export class KindTable {
  readonly #kind: Kind;
  readonly #ring: Ring;
  readonly #records = new Map<string, ObjectRecord>();
  /** The table is complete up to this revision; undefined: a relist is required. */
  #known: number | undefined;
  /** The revision before the current relist. */
  #knownOnce: number | undefined;
  /** Uids received in the initial events so far. */
  #listed = new Set<string>();

  constructor(kind: Kind, ring: Ring) {
    this.#kind = kind;
    this.#ring = ring;
  }

  /** The table is complete up to this revision; undefined until the initial events are complete. */
  get revision(): number | undefined {
    return this.#known;
  }

  /** All known objects, as changes. */
  *all(): Iterable<Change> {
    for (const record of this.#records.values()) yield this.#change(record.uid, record, record.revision);
  }

  /** Starts a watch and returns its query. */
  begin(): string {
    this.#listed = new Set();
    const how =
      this.#known === undefined
        ? "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
        : `resourceVersion=${this.#known}`;
    return `watch=true&allowWatchBookmarks=true&${how}`;
  }

  /** The next watch requests initial events. Known records are kept until those events replace or remove them. */
  relist(): void {
    this.#knownOnce ??= this.#known;
    this.#known = undefined;
  }

  /** Drops all records: they belong to another cluster. */
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
      if (revision <= this.#known) return NOTHING; // already delivered
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

  /** Objects of the first list are not recorded in the ring as changes. */
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
