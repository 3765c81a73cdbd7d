// Values that a store holds and cannot serve: they do not decode, or are not objects of their keys. Reads, lists and
// watches skip them. Their keys count as present, and only a delete at their revision removes them.
import type { KeyValue, UnreadableKeys, UnreadableValue } from "./store.ts";

/**
 * Returns why a stored value cannot be served; undefined: it can. `isDeep`: also runs checks that cost as much as
 * decoding it.
 */
export type Screen = (kv: Pick<KeyValue, "key" | "value">, isDeep: boolean) => string | undefined;

export class UnreadableValues implements UnreadableKeys {
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

  all(): readonly UnreadableValue[] {
    return [...this.#byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Records a value; reports it if it or its reason is new. */
  note(value: UnreadableValue): void {
    const isNew = this.#byKey.get(value.key)?.reason !== value.reason;
    this.#byKey.set(value.key, value);
    if (isNew) this.#onNew(value);
  }

  delete(key: string): void {
    if (this.#byKey.size > 0) this.#byKey.delete(key);
  }

  /** Takes over the contents of another instance. */
  become(other: UnreadableValues): void {
    this.#byKey.clear();
    for (const value of other.#byKey.values()) this.#byKey.set(value.key, value);
  }
}
