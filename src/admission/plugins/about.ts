// What plugins ask of a write, and of the store: whether it is about objects of a kind, and what there is of another kind.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../registry/admission.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import type { Authorizer } from "../../registry/definition/request-context.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { prefixRange, type Store } from "../../storage/store.ts";

/** What plugins are made with. */
export interface PluginDeps {
  readonly store: Store;
  /** The kinds that are served; left out: nobody knows. */
  readonly resources?: ResourceRegistry;
  /** How long Pods stay on nodes that are not ready or unreachable; left out: 300 each. */
  readonly tolerationSeconds?: { readonly notReady: number; readonly unreachable: number };
}

/** What those are made with that ask for further rights. */
export interface AskingDeps extends PluginDeps {
  readonly authorizer: Authorizer;
  /** Rejects with a StatusError. Left out: no namespace is created. */
  readonly createNamespace?: (name: string) => Promise<void>;
}

/** A plugin that looks at objects before they are prepared, and may change them. */
export interface AdmittingPlugin extends AdmissionPlugin {
  admit(attributes: AdmissionAttributes): void;
}

/** A plugin that looks at objects as they will be stored. */
export interface ValidatingPlugin extends AdmissionPlugin {
  validate(attributes: AdmissionAttributes): void;
}

/** A plugin that does both. */
export interface FullPlugin extends AdmittingPlugin {
  validate(attributes: AdmissionAttributes): void;
}

/** On a Pod that a node runs on its own account, and that is only pictured here. */
export const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

/** Whether a write is about a resource itself, and not about a subresource. */
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

/** The stored objects below a key, in the order of their names. */
export const objectsBelow = (store: Store, keys: string): Readonly<KubeObject>[] =>
  store.list(prefixRange(keys)).items.map(decodeStored);

/** Nothing keeps several from being the default; then the newest counts, and of those that are equally old the first. */
export function newestOf(objects: readonly Readonly<KubeObject>[]): Readonly<KubeObject> | undefined {
  const born = ({ metadata }: Readonly<KubeObject>) => Date.parse(metadata.creationTimestamp ?? "");
  return [...objects].sort((a, b) => born(b) - born(a))[0];
}
