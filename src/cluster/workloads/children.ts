// The objects of one resource by their controller. Own writes are cached at once: a lagging watch must not cause a
// second creation or deletion.
//
//   watch: pod a (uid 1, controlled by X)    of(X): a
//   create(b, controlled by X)               of(X): a b
//   delete(a)                                of(X): b        until the watch reports the state of a

import { NestedMap } from "../../apimachinery/meta/nested-map.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { controllerOf, deleteObject, ignoring, isGoing, keyOfObject, placeOf } from "../../controller/api.ts";
import type { Client, ClientDeleteOptions, PatchOptions, ResourceName } from "../../controller/client.ts";
import type { Change, Keys, Watch } from "../../controller/definition.ts";
import type { Informer } from "../../controller/informer.ts";
import { isOfKind, labelsEqual, type OwnerKind, selectorOf, uidOf } from "./resources.ts";

export class Children {
  readonly resource: ResourceName;
  readonly #client: Client;
  readonly #owner: OwnerKind;
  /** By the uid of the controller, or by the namespace of objects without one. */
  readonly #objects = new NestedMap<KubeObject>();
  /** Uids of objects that this controller deleted and whose watch event is pending. */
  readonly #deleted = new Set<string>();

  /** Objects with a controller of another kind are ignored. */
  constructor(client: Client, resource: ResourceName, owner: OwnerKind) {
    this.#client = client;
    this.#owner = owner;
    this.resource = resource;
  }

  /** Applies a watch event. Returns true if the cache changed. */
  observe({ type, object, old }: Change): boolean {
    if (type === "delete") {
      this.#deleted.delete(uidOf(object));
      return this.#drop(object);
    }
    if (isGoing(object)) this.#deleted.delete(uidOf(object));
    const isLeft = old !== undefined && outerOf(old) !== outerOf(object) && this.#drop(old);
    return this.#set(object) || isLeft;
  }

  /** The objects that the owner controls, in order of arrival. */
  of(owner: KubeObject): KubeObject[] {
    return this.#present(uidOf(owner));
  }

  /** The approximate number of the owner's objects. */
  count(owner: KubeObject): number {
    return this.#objects.of(uidOf(owner)).size;
  }

  /** The objects of the namespace without a controller. */
  orphansIn(namespace: string): KubeObject[] {
    return this.#present(orphansOf(namespace));
  }

  async create(object: KubeObject): Promise<KubeObject> {
    const made = await this.#client.create(this.resource, object);
    this.#set(made);
    return made;
  }

  async update(object: KubeObject, subresource = ""): Promise<KubeObject> {
    const made = await this.#client.update(this.resource, object, subresource);
    this.#set(made);
    return made;
  }

  /** undefined: the object is gone. */
  async patch(object: KubeObject, options: PatchOptions): Promise<KubeObject | undefined> {
    const made = await ignoring([404], this.#client.patch(this.resource, placeOf(object), options));
    this.#drop(object);
    if (made) this.#set(made);
    return made;
  }

  async delete(object: KubeObject, options: Omit<ClientDeleteOptions, "uid"> = {}): Promise<void> {
    this.#deleted.add(uidOf(object));
    try {
      await deleteObject(this.#client, this.resource, object, options);
    } catch (error) {
      this.#deleted.delete(uidOf(object));
      throw error;
    }
    if (!this.#objects.of(outerOf(object)).has(uidOf(object))) this.#deleted.delete(uidOf(object));
  }

  #present(outer: string): KubeObject[] {
    const all = [...this.#objects.of(outer).values()];
    return this.#deleted.size === 0 ? all : all.filter((object) => !this.#deleted.has(uidOf(object)));
  }

  /** Returns false if the cache holds this or a later version. */
  #set(object: KubeObject): boolean {
    const above = controllerOf(object);
    if (above && !isOfKind(above, this.#owner)) return false;
    const known = this.#objects.of(outerOf(object)).get(uidOf(object));
    if (known && versionOf(known) >= versionOf(object)) return false;
    this.#objects.set(outerOf(object), uidOf(object), object);
    return true;
  }

  #drop(object: KubeObject): boolean {
    return this.#objects.delete(outerOf(object), uidOf(object));
  }
}

const orphansOf = (namespace: string): string => `nobody in ${namespace}`;

const outerOf = (object: KubeObject): string =>
  controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace ?? "");

/** resourceVersions of one object are ordered (KEP-5504). */
const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? "0");

/** The owners that a change of a child affects: its present and former controller, and possible adopters. */
export function ownersOf(
  { type, object, old }: Change,
  owner: OwnerKind,
  owners: Pick<Informer, "list">,
): Keys {
  const [now, before] = [controllerOf(object), old && controllerOf(old)];
  const namespace = object.metadata.namespace ?? "";
  const left =
    before && before.uid !== now?.uid && isOfKind(before, owner) ? [`${namespace}/${before.name}`] : [];
  if (now) return isOfKind(now, owner) ? [...left, `${namespace}/${now.name}`] : left;
  if (type === "delete" || isGoing(object)) return left;
  const isSame = old && !before && labelsEqual(old.metadata.labels, object.metadata.labels);
  if (isSame) return left;
  const adopters = [...owners.list()].filter(
    (item) =>
      item.metadata.namespace === namespace && selectorOf(item)?.matches(object.metadata.labels ?? {}),
  );
  return [...left, ...adopters.map(keyOfObject)];
}

interface Keeping {
  readonly owners: Informer;
  readonly memory: { readonly children: Children };
}

/** The watch of the children. The owners' informer is the watch named `owners`. */
export const childrenOf = (
  resource: ResourceName,
  owner: OwnerKind,
  facts?: (child: KubeObject) => unknown,
): Watch<Keeping> => ({
  resource,
  take: (change, { memory, owners }) =>
    memory.children.observe(change) || isTold(change) ? ownersOf(change, owner, owners) : [],
  ...(facts ? { facts } : {}),
});

/** A deletion enqueues the owner also when the controller itself made it. */
const isTold = ({ type, object }: Change): boolean => type === "delete" || isGoing(object);
