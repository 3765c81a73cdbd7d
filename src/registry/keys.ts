// Where objects lie in the store. The layout is that of a kube-apiserver in etcd, because lists are in key order
// and because some messages show the key: /registry/<group>/<resource>/[<namespace>/]<name>.
import { type KeyRange, prefixRange } from "../storage/store.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

const prefixes = new WeakMap<ResourceDefinition, string>();

/** "/registry/k8s.ovn.org/egressips/": everything of one resource. */
export function resourcePrefix(definition: ResourceDefinition): string {
  let prefix = prefixes.get(definition);
  if (prefix === undefined) {
    const own =
      definition.group === "" || !definition.custom
        ? definition.resource
        : `${definition.group}/${definition.resource}`;
    prefix = `/registry/${definition.storagePrefix ?? own}/`;
    prefixes.set(definition, prefix);
  }
  return prefix;
}

export function objectKey(definition: ResourceDefinition, namespace: string, name: string): string {
  const prefix = resourcePrefix(definition);
  return namespace === "" ? prefix + name : `${prefix}${namespace}/${name}`;
}

/** All objects of a resource, or those of one namespace. */
export function collectionRange(definition: ResourceDefinition, namespace: string): KeyRange {
  const prefix = resourcePrefix(definition);
  return prefixRange(namespace === "" ? prefix : `${prefix}${namespace}/`);
}

/** The range that holds one key only. */
export function singleKeyRange(key: string): KeyRange {
  return { from: key, to: `${key}\0` };
}
