// What has changed lately, with what was before: enough to say how things stood at any revision since, without asking anybody.
import type { Change, Kind, ObjectRecord } from "./records.ts";

const CHANGES_MAX = 20_000;
const BYTES_MAX = 24 * 1024 * 1024;

interface Entry {
  readonly change: Change;
  readonly before: ObjectRecord | undefined;
  readonly bytes: number;
}

/** Revisions between which it is not known what has changed. */
interface Gap {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
}

export class Ring {
  readonly #changesMax: number;
  readonly #bytesMax: number;
  /** In the order of their coming: of one object that is the order of revisions. The first ones may have been dropped. */
  #entries: Entry[] = [];
  #first = 0;
  #bytes = 0;
  /** Before it nothing is known. */
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

  /** All objects of a kind were listed; `from` is up to where they were known before, undefined if they were not. */
  listed(kind: Kind, from: number | undefined, to: number): void {
    if (from === undefined) this.#floor = Math.max(this.#floor, to);
    else this.#gaps.push({ kind, from, to });
  }

  /** It was another cluster. */
  clear(): void {
    this.#entries = [];
    this.#gaps = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#floor = 0;
  }

  /** What makes the state at one revision that at another; undefined where that is not known. Infinity is now. */
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

/** About what V8 takes for a change, and for a value with its place. */
const ENTRY_BYTES = 120;
const VALUE_BYTES = 24;

/** About. The record after a change is the one before the next, or is kept anyway. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  for (const member of Object.values(value)) bytes += bytesOf(member);
  return bytes;
}
