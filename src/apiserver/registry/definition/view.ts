// Values derived from a definition: storage version, strategy of an endpoint, subresources (/status, /scale, and those of
// built-in kinds), storage keys.

import { memoize } from "../../../apimachinery/meta/memoize.ts";
import { joinApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import { type KeyRange, prefixRange } from "../../../storage/store.ts";
import type {
  ResourceDefinition,
  ResourceView,
  Strategy,
  SubresourceAction,
  SubresourceDefinition,
} from "./resource-definition.ts";

/** The definition in its storage version. */
export function storageView(definition: ResourceDefinition): ResourceView {
  const version = definition.versions.find((item) => item.storage) ?? definition.versions[0];
  if (version === undefined) throw new Error(`${definition.group}/${definition.resource} has no version`);
  return { definition, version };
}

/** Strategy of the kind at this version. */
export function strategyOf({ definition, version }: ResourceView): Strategy {
  return version.strategy ?? definition.strategy;
}

/** "k8s.ovn.org/v1", or "v1" in the core group. */
export function apiVersionOf({ definition, version }: ResourceView): string {
  return joinApiVersion(definition.group, version.name);
}

/** Version of a kind by apiVersion, served or not. */
export const versionNamed = (definition: ResourceDefinition, apiVersion: string | undefined) =>
  definition.versions.find((version) => apiVersionOf({ definition, version }) === apiVersion);

/** The strategy of an endpoint: the kind's own, or that of the subresource. */
export function strategyFor(view: ResourceView, subresource: string): Strategy {
  if (subresource === "") return strategyOf(view);
  if (subresource === "status" && view.version.status) return view.version.status;
  return namedSubresource(view, subresource)?.strategy ?? strategyOf(view);
}

/**
 * Reports whether a PUT at the endpoint creates a missing object. The status endpoint inherits that from the kind, as
 * upstream.
 */
export function createsOnUpdate(view: ResourceView, subresource: string): boolean {
  return (subresource === "" || subresource === "status") && strategyOf(view).allowCreateOnUpdate === true;
}

/** Reports whether the kind has this subresource at this version, served or not. */
export function hasSubresource(view: ResourceView, subresource: string): boolean {
  if (subresource === "status") return view.version.status !== undefined;
  if (subresource === "scale") return view.version.scale !== undefined;
  return namedSubresource(view, subresource) !== undefined;
}

const READ_WRITE = ["get", "update", "patch"];

/** Verbs that are served on a subresource. */
export function subresourceVerbs(view: ResourceView, subresource: string): readonly string[] {
  if (subresource === "status" || subresource === "scale")
    return hasSubresource(view, subresource) ? READ_WRITE : [];
  const named = namedSubresource(view, subresource);
  return named?.strategy || named?.action || named?.connect ? named.verbs : [];
}

/** The subresource definition, if it accepts connections. */
export function connectionOf(view: ResourceView, subresource: string): SubresourceDefinition | undefined {
  const named = namedSubresource(view, subresource);
  return named?.connect && named;
}

/** Action of a POST to the subresource, or with "" to the collection; undefined: the POST creates an object. */
export function actionOf(view: ResourceView, subresource: string): SubresourceAction | undefined {
  const { definition } = view;
  if (subresource === "") return definition.action && { ...definition.action, posted: definition };
  return namedSubresource(view, subresource)?.action;
}

function namedSubresource({ definition }: ResourceView, name: string) {
  return definition.subresources?.find((item) => item.name === name);
}

/**
 * Key prefix of a resource: "/registry/k8s.ovn.org/egressips/". The layout
 * /registry/<group>/<resource>/[<namespace>/]<name> is that of a kube-apiserver in etcd, because lists are in key order
 * and some messages show the key.
 */
export const resourcePrefix = memoize(({ group, custom, resource, storagePrefix }: ResourceDefinition) => {
  const own = group === "" || !custom ? resource : `${group}/${resource}`;
  return `${ROOT}${storagePrefix ?? own}/`;
});

const ROOT = "/registry/";
/** Each child of this prefix is a collection of its own. */
const SERVICES = "/registry/services/";

/** Length of the resource prefix in a key of any kind; 0: the key belongs to no resource. */
export function collectionEnd(key: string): number {
  if (!key.startsWith(ROOT)) return 0;
  const slash = key.indexOf("/", ROOT.length);
  const dot = key.indexOf(".", ROOT.length);
  const isGroup = dot !== -1 && dot < slash;
  return slash === -1 ? 0 : (isGroup || key.startsWith(SERVICES) ? key.indexOf("/", slash + 1) : slash) + 1;
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
