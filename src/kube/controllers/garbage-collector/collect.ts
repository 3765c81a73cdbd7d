// Decides about one object by its owners and dependents: no change, removal of an owner reference, removal of a
// finalizer, or deletion. Each decision reads the live object from the API; the graph only selects the objects to
// check.

import { inBatches } from "../../../apimachinery/meta/lists.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../apimachinery/meta/object-meta.ts";
import {
  changeObject,
  findObject,
  isNotFound,
  isNotServed,
  readObject,
  type ServedResource,
} from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import type { Logger } from "../../../controller/logging.ts";
import { FOREGROUND, isBlocking, ORPHAN, type OwnerGraph, type OwnerNode } from "./owner-graph.ts";

interface OwnerLookup {
  readonly client: Client;
  readonly graph: OwnerGraph;
  readonly log: Logger;
  readonly resources: {
    findKind(reference: OwnerReference): ServedResource | undefined;
    /** Resolves once all informers have synced: the dependents of an object are complete only then. */
    synced(): Promise<void>;
  };
  /** Owners that were missing at an import, whose deletion was never observed. They count as present. */
  readonly absentOwners?: { has(uid: string): boolean } | undefined;
}

export async function collect(lookup: OwnerLookup, uid: string): Promise<void> {
  const { client, graph } = lookup;
  const node = graph.get(uid);
  if (!node) return;
  try {
    const live = await readObject(client, node);
    if (!live) graph.remove(uid);
    else if (live.metadata.deletionTimestamp !== undefined) await removeFinalizer(lookup, node);
    else await judge(lookup, node, live);
  } catch (error) {
    if (!isNotServed(error)) throw error; // its resource, or that of an owner, is no longer served; it may come back
  }
}

/**
 * Removes the finalizer of an object under deletion once its dependents are orphaned or gone. Only a deletion that the
 * watches have reported counts: by then they have also reported the dependents that existed before.
 */
async function removeFinalizer({ client, graph, resources }: OwnerLookup, node: OwnerNode): Promise<void> {
  await resources.synced();
  const dependents = graph.dependentsOf(node.uid);
  if (node.orphaning) {
    await inBatches(dependents, (dependent) => dropReferences(client, dependent, new Set([node.uid])));
    await dropFinalizer(client, node, ORPHAN);
  } else if (node.foreground && !dependents.some((dependent) => isBlocking(dependent, node))) {
    await dropFinalizer(client, node, FOREGROUND);
  }
}

async function judge(lookup: OwnerLookup, node: OwnerNode, live: KubeObject): Promise<void> {
  const { client, graph, resources } = lookup;
  const { ownerReferences = [] } = live.metadata;
  const owners = ownerReferences.length > 0 && (await findOwners(lookup, node, ownerReferences));
  if (!owners) return;
  const { solid, absent, waiting } = owners;
  if (solid.length > 0) {
    // A waiting owner would otherwise wait without end for an object that another owner keeps.
    const useless = new Set([...absent, ...waiting].map(({ uid }) => uid));
    if (useless.size > 0) await dropReferences(client, node, useless);
    return;
  }
  if (waiting.length > 0) await resources.synced();
  const dependents = waiting.length > 0 ? graph.dependentsOf(node.uid) : [];
  explain(lookup, node, owners);
  if (dependents.length === 0) return remove(lookup, node);
  // Its own dependents are deleted first. If one of them waits as well, the owner references may form a cycle, which is
  // broken here.
  if (dependents.some(({ foreground }) => foreground)) await unblockOwners(client, node);
  await remove(lookup, node, "Foreground");
}

/** Logs why an object is deleted. */
function explain({ log }: OwnerLookup, { resource, namespace, name }: OwnerNode, owners: OwnerStates): void {
  const named = (references: readonly OwnerReference[]) =>
    references.map(({ kind, name: owner }) => `${kind} ${owner}`);
  log.debug?.("owners gone", {
    controller: "garbage-collector",
    object: `${resource.resource} ${namespace === "" ? name : `${namespace}/${name}`}`,
    what: "delete",
    why: { absent: named(owners.absent), beingDeleted: named(owners.waiting) },
  });
}

/**
 * Without a propagationPolicy the finalizers of the live object decide. An orphan finalizer that another client has
 * just set is thus respected.
 */
async function remove({ client, graph }: OwnerLookup, node: OwnerNode, policy?: "Foreground"): Promise<void> {
  try {
    const options = policy ? { uid: node.uid, propagationPolicy: policy } : { uid: node.uid };
    await client.delete(node.resource, node, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    graph.remove(node.uid);
  }
}

type OwnerStates = NonNullable<Awaited<ReturnType<typeof findOwners>>>;

/**
 * The live state of each owner of an object, read from the API because the watches may lag. undefined: an owner cannot
 * be looked up, and the object is left unchanged. Either its kind is not served, which may change, or it is namespaced
 * while the object is cluster-scoped.
 */
async function findOwners(
  { client, graph, resources, absentOwners }: OwnerLookup,
  { namespace }: OwnerNode,
  references: readonly OwnerReference[],
) {
  const states = {
    /** Owners that exist and do not wait for dependents: they keep the object. */
    solid: [] as OwnerReference[],
    absent: [] as OwnerReference[],
    /** Owners in foreground deletion: they wait for the object to be deleted. */
    waiting: [] as OwnerReference[],
  };
  for (const reference of references) {
    if (absentOwners?.has(reference.uid)) {
      states.solid.push(reference);
      continue;
    }
    const goneFrom = graph.goneFrom(reference.uid);
    const resource = resources.findKind(reference);
    const namespaced = goneFrom === undefined ? resource?.namespaced : goneFrom !== "";
    if (namespaced === undefined || (namespaced && namespace === "")) return undefined;
    if (goneFrom !== undefined || !resource) {
      states.absent.push(reference);
      continue;
    }
    const key = { namespace: resource.namespaced ? namespace : "", name: reference.name };
    const metadata = (await findObject(client, resource, key))?.metadata;
    const waits = metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND);
    if (metadata?.uid !== reference.uid) states.absent.push(reference);
    else (waits ? states.waiting : states.solid).push(reference);
  }
  return states;
}

/** The changed metadata fields. An empty list removes the field. */
type MetadataChange = Pick<ObjectMeta, "ownerReferences" | "finalizers">;

/** Patches the metadata of the live object. `change` returns undefined for no change. */
const changeMetadata = (
  client: Client,
  node: OwnerNode,
  change: (metadata: ObjectMeta) => MetadataChange | undefined,
): Promise<void> =>
  changeObject(client, node, ({ metadata }) => {
    const changed = change(metadata);
    if (!changed) return undefined;
    // In a merge patch null removes a field.
    const lists = Object.entries(changed).map(([member, list]) => [member, list.length > 0 ? list : null]);
    const body = { metadata: { resourceVersion: metadata.resourceVersion, ...Object.fromEntries(lists) } };
    return client.patch(node.resource, node, { type: "merge", body });
  });

const dropReferences = (client: Client, node: OwnerNode, owners: ReadonlySet<string>): Promise<void> =>
  changeMetadata(client, node, ({ ownerReferences = [] }) => {
    const next = ownerReferences.filter(({ uid }) => !owners.has(uid));
    return next.length === ownerReferences.length ? undefined : { ownerReferences: next };
  });

const unblockOwners = (client: Client, node: OwnerNode): Promise<void> =>
  changeMetadata(client, node, ({ ownerReferences = [] }) => {
    if (!ownerReferences.some(({ blockOwnerDeletion }) => blockOwnerDeletion)) return undefined;
    const next = ownerReferences.map((reference) =>
      reference.blockOwnerDeletion ? { ...reference, blockOwnerDeletion: false } : reference,
    );
    return { ownerReferences: next };
  });

const dropFinalizer = (client: Client, node: OwnerNode, finalizer: string): Promise<void> =>
  changeMetadata(client, node, ({ finalizers = [] }) =>
    finalizers.includes(finalizer)
      ? { finalizers: finalizers.filter((item) => item !== finalizer) }
      : undefined,
  );
