import { NestedMap } from "../apimachinery/meta/nested-map.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { keyOfObject } from "./api.ts";
import type { Informer } from "./informer.ts";

/**
 * Indexes the objects of an informer by `outerOf` and by their own keys. Objects for which `outerOf` returns undefined
 * are left out. Created with the memory of a controller, the index is up to date before the controller receives a
 * change.
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
