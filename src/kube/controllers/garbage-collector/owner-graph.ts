// The ownership graph as the watches report it. Only objects with owner references, or in foreground or orphan
// deletion, have a node. Owners are keyed by the uid in the owner references, so objects without ownership cost next to
// nothing.
//
//   nodes        b → { owners: a, x }     c → { owners: a }
//   dependents   a → { b, c }             x → { b }
//
// Each change that may affect an object enqueues its uid; collect.ts decides.

import { equalJson } from "../../../apimachinery/json/json.ts";
import { NestedMap } from "../../../apimachinery/meta/nested-map.ts";
import type { ObjectMeta } from "../../../apimachinery/meta/object-meta.ts";
import type { ServedResource } from "../../../controller/api.ts";

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

/** The limit of cached uids of deleted owners; uids are never reused. The oldest are evicted first. */
const GONE_MAX = 4096;

export class OwnerGraph {
  readonly #enqueue: (uid: string) => void;
  readonly #nodes = new Map<string, OwnerNode>();
  readonly #dependents = new NestedMap<true>();
  readonly #namespaces = new Map<string, string>();
  /** Uid of a deleted object → its namespace. */
  readonly #gone = new Map<string, string>();

  constructor(enqueue: (uid: string) => void) {
    this.#enqueue = enqueue;
  }

  get(uid: string): OwnerNode | undefined {
    return this.#nodes.get(uid);
  }

  /** The known dependents of the owner. */
  dependentsOf(uid: string): OwnerNode[] {
    return [...this.#dependents.of(uid).keys()].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  /** The namespace of the object with the uid; undefined if no watch has reported it. */
  namespaceOf(uid: string): string | undefined {
    return this.#namespaces.get(uid);
  }

  /** The namespace of the deleted object with the uid; undefined if no deletion was observed. */
  goneFrom(uid: string): string | undefined {
    return this.#gone.get(uid);
  }

  /** Records the state of an existing object. */
  observe(resource: ServedResource, metadata: ObjectMeta): void {
    const { uid = "", namespace = "" } = metadata;
    const old = this.#nodes.get(uid);
    if (!this.#namespaces.has(uid)) this.#namespaces.set(uid, namespace);
    if (!concernsOwnership(metadata)) {
      if (old) this.#dropNode(old);
      return;
    }
    const node = toNode(resource, metadata);
    this.#nodes.set(uid, node);
    const ownersChanged = !old || !equalJson(old.owners, node.owners);
    if (ownersChanged) this.#link(node, old);
    if (node.foreground && !old?.foreground) this.#enqueueDependents(uid);
    if (node.deleting ? node.foreground || node.orphaning : ownersChanged) this.#enqueue(uid);
  }

  /** Records a deletion and enqueues the affected dependents and owners. */
  remove(uid: string): void {
    const namespace = this.#namespaces.get(uid);
    this.#forget(uid);
    if (this.#dependents.of(uid).size === 0 || namespace === undefined) return;
    this.#gone.set(uid, namespace);
    const [oldest] = this.#gone.keys();
    if (oldest !== undefined && this.#gone.size > GONE_MAX) this.#gone.delete(oldest);
    this.#enqueueDependents(uid);
  }

  /**
   * Drops an object that is no longer watched and may or may not exist. Its dependents are enqueued, since they have to
   * look it up.
   */
  lose(uid: string): void {
    this.#forget(uid);
    this.#enqueueDependents(uid);
  }

  /** Enqueues the objects that match. */
  lookAgain(concerns: (node: OwnerNode) => boolean): void {
    for (const node of this.#nodes.values()) if (concerns(node)) this.#enqueue(node.uid);
  }

  #forget(uid: string): void {
    this.#namespaces.delete(uid);
    const node = this.#nodes.get(uid);
    if (node) this.#dropNode(node);
  }

  #dropNode(node: OwnerNode): void {
    this.#nodes.delete(node.uid);
    for (const { uid } of node.owners) {
      this.#dependents.delete(uid, node.uid);
      this.#wakeOwner(uid);
    }
  }

  /** Updates the dependents index. Owners that the node may no longer block are enqueued. */
  #link(node: OwnerNode, old: OwnerNode | undefined): void {
    for (const { uid } of node.owners) this.#dependents.set(uid, node.uid, true);
    for (const { uid } of old?.owners ?? []) {
      if (!node.owners.some((owner) => owner.uid === uid)) this.#dependents.delete(uid, node.uid);
      this.#wakeOwner(uid);
    }
  }

  /** Enqueues an owner that waits for its dependents: it may have one fewer. */
  #wakeOwner(uid: string): void {
    const owner = this.#nodes.get(uid);
    if (owner?.foreground || owner?.orphaning) this.#enqueue(uid);
  }

  #enqueueDependents(uid: string): void {
    for (const dependent of this.#dependents.of(uid).keys()) this.#enqueue(dependent);
  }
}

/** True if the dependent blocks the foreground deletion of the owner. */
export const isBlocking = ({ namespace, owners }: OwnerNode, owner: OwnerNode): boolean =>
  (owner.namespace === "" || owner.namespace === namespace) &&
  owners.some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === true);

const concernsOwnership = ({ ownerReferences, deletionTimestamp, finalizers = [] }: ObjectMeta): boolean =>
  (ownerReferences !== undefined && ownerReferences.length > 0) ||
  (deletionTimestamp !== undefined && (finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN)));

export type OwnerNode = Readonly<ReturnType<typeof toNode>>;

function toNode(resource: ServedResource, metadata: ObjectMeta) {
  const { uid = "", namespace = "", name = "", ownerReferences = [], finalizers = [] } = metadata;
  const deleting = metadata.deletionTimestamp !== undefined;
  return {
    uid,
    resource,
    /** "" for cluster-scoped objects. */
    namespace,
    name,
    owners: ownerReferences,
    deleting,
    /** In foreground deletion: kept until its dependents are gone. */
    foreground: deleting && finalizers.includes(FOREGROUND),
    /** In orphan deletion: kept until no dependent refers to it. */
    orphaning: deleting && finalizers.includes(ORPHAN),
  };
}
