import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { keyOfObject } from "./api.ts";

/** Values by two keys, an outer and an inner one; what an outer key has lost the last value of is not kept. */
export class NestedMap<V> {
  readonly #maps = new Map<string, Map<string, V>>();

  /** The values of an outer key by their inner keys, in the order in which they came. */
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

/**
 * The objects of an informer by what `outerOf` says of them (undefined: left out) and their own keys. Made with the memory
 * of a controller, it is up to date before the controller is told of a change.
 */
export function indexBy(
  informer: Informer,
  outerOf: (object: KubeObject) => string | undefined,
): Omit<NestedMap<KubeObject>, "set" | "delete" | "deleteAll"> {
  const index = new NestedMap<KubeObject>();
  const add = (object: KubeObject): void => {
    const outer = outerOf(object);
    if (outer !== undefined) index.set(outer, keyOfObject(object), object);
  };
  const remove = (object: KubeObject): void => void index.delete(outerOf(object) ?? "", keyOfObject(object));
  const update = (old: KubeObject, object: KubeObject): void => {
    if (outerOf(old) !== outerOf(object)) remove(old);
    add(object);
  };
  informer.addHandlers({ add, update, delete: remove });
  return index;
}

export const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? "";
