// Helpers for plugins: matching of kinds, and lookups in the store.
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../apiserver/registry/admission.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { Authorizer } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { prefixRange, type Store } from "../../storage/store.ts";

/** Dependencies of plugins. */
export interface PluginDeps {
  readonly store: Store;
  /** The served resources; absent: unknown. */
  readonly resources?: ResourceRegistry;
  /** Default toleration seconds for nodes that are not ready or unreachable; absent: 300 each. */
  readonly tolerationSeconds?: { readonly notReady: number; readonly unreachable: number };
}

/** Dependencies of plugins that authorize or create namespaces. */
export interface AskingDeps extends PluginDeps {
  readonly authorizer: Authorizer;
  /** Rejects with a StatusError. Absent: no namespace is created. */
  readonly createNamespace?: (name: string) => Promise<void>;
}

/** A mutating plugin: runs before validation, and may change objects. */
export interface AdmittingPlugin extends AdmissionPlugin {
  admit(attributes: AdmissionAttributes): void;
}

/** A validating plugin: runs on objects as they will be stored. */
export interface ValidatingPlugin extends AdmissionPlugin {
  validate(attributes: AdmissionAttributes): void;
}

/** A mutating and validating plugin. */
export interface FullPlugin extends AdmittingPlugin {
  validate(attributes: AdmissionAttributes): void;
}

/** Annotation of mirror Pods, which represent static Pods of a node. */
export const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

/** Whether a write concerns a resource itself, and not a subresource. */
export function isAbout(
  { view, subresource }: AdmissionAttributes,
  group: string,
  resource: string,
): boolean {
  const { definition } = view;
  return definition.group === group && definition.resource === resource && subresource === "";
}

/** The stored Node of that name. */
export function storedNode(store: Store, name: string): Readonly<KubeObject> | undefined {
  const stored = store.get(`/registry/minions/${name}`);
  return stored && decodeStored(stored);
}

/** The stored objects below a key, sorted by name. */
export const objectsBelow = (store: Store, keys: string): Readonly<KubeObject>[] =>
  store.list(prefixRange(keys)).items.map(decodeStored);

/** Several objects may be marked as default. The newest takes precedence; among equally old ones, the first by name. */
export function newestOf(objects: readonly Readonly<KubeObject>[]): Readonly<KubeObject> | undefined {
  const born = ({ metadata }: Readonly<KubeObject>) => Date.parse(metadata.creationTimestamp ?? "");
  return [...objects].sort((a, b) => born(b) - born(a))[0];
}
