// The objects of one resource by who controls them. What a controller writes itself is known here at once, before the watch
// tells of it: it must not make or delete something twice because its copy of the world lags behind.
//
//   watch: pod a (uid 1, controlled by X)    of(X): a
//   create(b, controlled by X)               of(X): a b
//   delete(a)                                of(X): b        until the watch says what has become of a
import type { Client, ClientDeleteOptions, PatchOptions, ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { NestedMap } from "../../meta/nested-map.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { controllerOf, deleteObject, ignoring, isGoing, keyOfObject, placeOf } from "../kit/api.ts";
import type { Change, Keys, Watch } from "../kit/definition.ts";
import { isOfKind, labelsEqual, type OwnerKind, selectorOf, uidOf } from "./resources.ts";

export class Children {
  readonly resource: ResourceName;
  readonly #client: Client;
  readonly #owner: OwnerKind;
  /** By the uid of the controller, or the namespace of what nobody controls. */
  readonly #objects = new NestedMap<KubeObject>();
  /** The uids of what was deleted here while the watch has not told of it. */
  readonly #deleted = new Set<string>();

  /** What others than owners of this kind control is passed over. */
  constructor(client: Client, resource: ResourceName, owner: OwnerKind) {
    this.#client = client;
    this.#owner = owner;
    this.resource = resource;
  }

  /** Takes in what the watch tells; true if it is news. */
  observe({ type, object, old }: Change): boolean {
    if (type === "delete") {
      this.#deleted.delete(uidOf(object));
      return this.#drop(object);
    }
    if (isGoing(object)) this.#deleted.delete(uidOf(object));
    const isLeft = old !== undefined && outerOf(old) !== outerOf(object) && this.#drop(old);
    return this.#set(object) || isLeft;
  }

  /** What the owner controls, in the order in which it came. */
  of(owner: KubeObject): KubeObject[] {
    return this.#present(uidOf(owner));
  }

  /** How many there are about. */
  count(owner: KubeObject): number {
    return this.#objects.of(uidOf(owner)).size;
  }

  /** What nobody controls. */
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

  /** Undefined: it has gone. */
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

  /** False: it is known already in this version or a later one. */
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

/** Versions of one object can be compared (KEP-5504). */
const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? "0");

/** The keys of those whom a change of a child concerns: its controllers, and who might adopt it. */
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

/** Follows the children of owners, which are watched by the name `owners`. */
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

/** What has gone, or goes, is news to who has deleted it as well. */
const isTold = ({ type, object }: Change): boolean => type === "delete" || isGoing(object);
