// Values that a store holds and cannot show: they are not objects, or not those of their keys. Reads, lists and watches pass
// them over; their keys stay taken, and nothing but a delete at their revision removes them.
import type { Revision } from "../meta/revision.ts";
import type { KeyValue } from "./store.ts";

export interface UnreadableValue {
  readonly key: string;
  readonly modRevision: Revision;
  readonly reason: string;
  /** undefined: another process holds the bytes. */
  readonly kv?: KeyValue | undefined;
  readonly error?: Error | undefined;
}

/** Returns why a stored value cannot be shown; undefined: it can. `isDeep`: also what costs as much as to decode it. */
export type Screen = (kv: Pick<KeyValue, "key" | "value">, isDeep: boolean) => string | undefined;

export class UnreadableValues {
  readonly #byKey = new Map<string, UnreadableValue>();
  readonly #onNew: (value: UnreadableValue) => void;

  constructor(onNew: (value: UnreadableValue) => void = () => {}) {
    this.#onNew = onNew;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): UnreadableValue | undefined {
    return this.#byKey.size === 0 ? undefined : this.#byKey.get(key);
  }

  /** In the order of their keys. */
  all(): readonly UnreadableValue[] {
    return [...this.#byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Reports a value that is new, or whose reason is. */
  note(value: UnreadableValue): void {
    const isNew = this.#byKey.get(value.key)?.reason !== value.reason;
    this.#byKey.set(value.key, value);
    if (isNew) this.#onNew(value);
  }

  delete(key: string): void {
    if (this.#byKey.size > 0) this.#byKey.delete(key);
  }

  /** Takes over what another state holds. */
  become(other: UnreadableValues): void {
    this.#byKey.clear();
    for (const value of other.#byKey.values()) this.#byKey.set(value.key, value);
  }
}
