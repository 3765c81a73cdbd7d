// What becomes of one object, given its owners and dependents: nothing, a reference less, a finalizer less, or its
// deletion. Everything is decided on the object as the API has it now; the graph only says whom it concerns.
import type { Client } from "../../client/client.ts";
import { inBatches } from "../../meta/lists.ts";
import type { KubeObject, OwnerReference } from "../../meta/object-meta.ts";
import { isNotFound, isNotServed, readObject } from "./live-object.ts";
import { patchMetadata } from "./metadata-patch.ts";
import { FOREGROUND, isBlocking, ORPHAN, type OwnerNode } from "./owner-graph.ts";
import { findOwners, type OwnerLookup, type OwnerStates } from "./owner-states.ts";

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
    if (!isNotServed(error)) throw error; // its resource, or that of an owner, has just gone; it may come back
  }
}

/**
 * An object under deletion goes when its dependents are orphaned, or gone. Only what the watches told of its deletion
 * counts: by then they have also told of the dependents that it had before.
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
    // A waiting owner would wait for ever for an object that another one keeps.
    const useless = new Set([...absent, ...waiting].map(({ uid }) => uid));
    if (useless.size > 0) await dropReferences(client, node, useless);
    return;
  }
  if (waiting.length > 0) await resources.synced();
  const dependents = waiting.length > 0 ? graph.dependentsOf(node.uid) : [];
  if (dependents.length === 0) {
    explain(lookup, node, owners);
    await remove(lookup, node);
    return;
  }
  // Its own dependents go first. Where one of them waits as well, there may be a circle of objects that wait for each
  // other: it is cut here.
  explain(lookup, node, owners);
  if (dependents.some(({ foreground }) => foreground)) await unblockOwners(client, node);
  await remove(lookup, node, "Foreground");
}

/** Says in the log why an object goes. */
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
 * Without a policy the finalizers that are there say how it is to be deleted: a wish to orphan its dependents, made by
 * somebody else just now, is not lost.
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

const dropReferences = (client: Client, node: OwnerNode, owners: ReadonlySet<string>): Promise<void> =>
  changeReferences(client, node, (references) => references.filter(({ uid }) => !owners.has(uid)));

const unblockOwners = (client: Client, node: OwnerNode): Promise<void> =>
  changeReferences(client, node, (references) =>
    references.map((reference) =>
      reference.blockOwnerDeletion ? { ...reference, blockOwnerDeletion: false } : reference,
    ),
  );

const changeReferences = (
  client: Client,
  node: OwnerNode,
  change: (references: readonly OwnerReference[]) => OwnerReference[],
): Promise<void> =>
  patchMetadata(client, node, ({ ownerReferences = [] }) => {
    const next = change(ownerReferences);
    const same =
      next.length === ownerReferences.length && next.every((item, at) => item === ownerReferences[at]);
    return same ? undefined : { ownerReferences: next };
  });

const dropFinalizer = (client: Client, node: OwnerNode, finalizer: string): Promise<void> =>
  patchMetadata(client, node, ({ finalizers = [] }) =>
    finalizers.includes(finalizer)
      ? { finalizers: finalizers.filter((item) => item !== finalizer) }
      : undefined,
  );
