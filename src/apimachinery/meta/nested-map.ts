/** A map with two keys, an outer and an inner one. Outer keys without values are removed. */
export class NestedMap<V> {
  readonly #maps = new Map<string, Map<string, V>>();

  /** The values of an outer key by their inner keys, in insertion order. */
  of(outer: string): ReadonlyMap<string, V> {
    return this.#maps.get(outer) ?? EMPTY;
  }

  has(outer: string): boolean {
    return this.#maps.has(outer);
  }

  /** The outer keys. */
  keys(): Iterable<string> {
    return this.#maps.keys();
  }

  set(outer: string, inner: string, value: V): void {
    const map = this.#maps.get(outer);
    if (map) map.set(inner, value);
    else this.#maps.set(outer, new Map([[inner, value]]));
  }

  /** True if there was such a value. */
  delete(outer: string, inner: string): boolean {
    const map = this.#maps.get(outer);
    const deleted = map?.delete(inner) ?? false;
    if (map?.size === 0) this.#maps.delete(outer);
    return deleted;
  }

  deleteAll(outer: string): void {
    this.#maps.delete(outer);
  }
}

const EMPTY: ReadonlyMap<string, never> = new Map<string, never>();
