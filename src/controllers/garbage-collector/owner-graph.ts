// Who is owned by whom, as far as the watches have told. Only objects that name owners, or whose deletion waits for
// their dependents, have a node here; owners are known by the uid that dependents name, so that the many objects that
// neither own nor are owned cost next to nothing.
//
//   nodes        b → { owners: a, x }     c → { owners: a }
//   dependents   a → { b, c }             x → { b }
//
// Every change that could decide somebody's fate puts his uid in the queue; what is decided is up to collect.ts.

import { equalJson } from "../../meta/json.ts";
import { NestedMap } from "../../meta/nested-map.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import type { ServedResource } from "../kit/api.ts";

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

/** How many uids are remembered that are known to be gone; none comes back. The oldest are forgotten first. */
const GONE_MAX = 4096;

export class OwnerGraph {
  readonly #enqueue: (uid: string) => void;
  readonly #nodes = new Map<string, OwnerNode>();
  readonly #dependents = new NestedMap<true>();
  readonly #namespaces = new Map<string, string>();
  /** The namespace that an object was in which was seen to go. */
  readonly #gone = new Map<string, string>();

  constructor(enqueue: (uid: string) => void) {
    this.#enqueue = enqueue;
  }

  get(uid: string): OwnerNode | undefined {
    return this.#nodes.get(uid);
  }

  /** The dependents that were seen to name the owner. */
  dependentsOf(uid: string): OwnerNode[] {
    return [...this.#dependents.of(uid).keys()].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  /** The namespace of the object with the uid; undefined when no watch has told of it. */
  namespaceOf(uid: string): string | undefined {
    return this.#namespaces.get(uid);
  }

  /** The namespace in which the object with the uid was seen to go; undefined when it was not. */
  goneFrom(uid: string): string | undefined {
    return this.#gone.get(uid);
  }

  /** Takes in the state of an object that is there. */
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

  /** The object is gone: its dependents have an owner less, and its owners a dependent. */
  remove(uid: string): void {
    const namespace = this.#namespaces.get(uid);
    this.#forget(uid);
    if (this.#dependents.of(uid).size === 0 || namespace === undefined) return;
    this.#gone.set(uid, namespace);
    const [oldest] = this.#gone.keys();
    if (oldest !== undefined && this.#gone.size > GONE_MAX) this.#gone.delete(oldest);
    this.#enqueueDependents(uid);
  }

  /** Nothing more will be told of the object, which may be there or not: whoever depends on it has to ask. */
  lose(uid: string): void {
    this.#forget(uid);
    this.#enqueueDependents(uid);
  }

  /** The objects for which this holds are looked at once more. */
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

  /** Brings the index in line with the node; owners that it may not hold up any more are looked at. */
  #link(node: OwnerNode, old: OwnerNode | undefined): void {
    for (const { uid } of node.owners) this.#dependents.set(uid, node.uid, true);
    for (const { uid } of old?.owners ?? []) {
      if (!node.owners.some((owner) => owner.uid === uid)) this.#dependents.delete(uid, node.uid);
      this.#wakeOwner(uid);
    }
  }

  /** An owner that waits for its dependents may have one less to wait for. */
  #wakeOwner(uid: string): void {
    const owner = this.#nodes.get(uid);
    if (owner?.foreground || owner?.orphaning) this.#enqueue(uid);
  }

  #enqueueDependents(uid: string): void {
    for (const dependent of this.#dependents.of(uid).keys()) this.#enqueue(dependent);
  }
}

/** True if the dependent keeps the owner, which waits for its dependents, from going. */
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
    /** Deleted, and stays until its dependents are gone. */
    foreground: deleting && finalizers.includes(FOREGROUND),
    /** Deleted, and stays until its dependents do not name it any more. */
    orphaning: deleting && finalizers.includes(ORPHAN),
  };
}
