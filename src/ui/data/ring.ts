// History window of recent changes with their previous records. It computes the differences between two revisions without
// a request to the server.
import type { Change, Kind, ObjectRecord } from "./records.ts";

const CHANGES_MAX = 20_000;
const BYTES_MAX = 24 * 1024 * 1024;

interface Entry {
  readonly change: Change;
  readonly before: ObjectRecord | undefined;
  readonly bytes: number;
}

/** Revisions of a kind between which changes may be missing. */
interface Gap {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
}

export class Ring {
  readonly #changesMax: number;
  readonly #bytesMax: number;
  /** In order of arrival, which for a single object is revision order. Entries before #first are dropped. */
  #entries: Entry[] = [];
  #first = 0;
  #bytes = 0;
  /** Lower bound: states before this revision are unknown. */
  #floor = 0;
  #gaps: Gap[] = [];

  constructor(changesMax = CHANGES_MAX, bytesMax = BYTES_MAX) {
    this.#changesMax = changesMax;
    this.#bytesMax = bytesMax;
  }

  add(change: Change, before: ObjectRecord | undefined): void {
    const bytes = ENTRY_BYTES + bytesOf(before);
    this.#entries.push({ change, before, bytes });
    this.#bytes += bytes;
    while (this.#entries.length - this.#first > this.#changesMax || this.#bytes > this.#bytesMax)
      this.#drop();
    if (this.#first > this.#changesMax) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }

  /**
   * Records a complete list of a kind at revision `to`. `from`: the revision known before it; undefined for the first
   * list.
   */
  listed(kind: Kind, from: number | undefined, to: number): void {
    if (from === undefined) this.#floor = Math.max(this.#floor, to);
    else this.#gaps.push({ kind, from, to });
  }

  /** Drops all: the cluster has changed. */
  clear(): void {
    this.#entries = [];
    this.#gaps = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#floor = 0;
  }

  /**
   * The changes that turn the state at `from` into that at `to`; undefined if they are not in the window. Infinity: now.
   */
  between(from: number, to: number): Change[] | undefined {
    const isKnown = (revision: number): boolean =>
      revision >= this.#floor && !this.#gaps.some((gap) => gap.from < revision && revision < gap.to);
    if (!isKnown(from) || !isKnown(to)) return undefined;
    const found = new Map<string, Change>();
    const [low, high] = from < to ? [from, to] : [to, from];
    const passed = this.#entries
      .slice(this.#first)
      .filter(({ change }) => change.revision > low && change.revision <= high);
    if (from < to) for (const { change } of passed) found.set(change.uid, change);
    else for (const entry of passed.reverse()) found.set(entry.change.uid, undone(entry));
    return [...found.values()];
  }

  #drop(): void {
    const dropped = this.#entries[this.#first++];
    if (!dropped) return;
    this.#bytes -= dropped.bytes;
    this.#floor = Math.max(this.#floor, dropped.change.revision);
    this.#gaps = this.#gaps.filter(({ to }) => to > this.#floor);
  }
}

const undone = ({ change, before }: Entry): Change =>
  ({ ...change, record: before, revision: before?.revision ?? change.revision }) as Change;

/** Approximate heap use in V8 of an entry, and of a value with its slot. */
const ENTRY_BYTES = 120;
const VALUE_BYTES = 24;

/**
 * Approximate. Only the previous record counts: the record after a change is shared with the next entry or with the
 * table.
 */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  for (const member of Object.values(value)) bytes += bytesOf(member);
  return bytes;
}
