// What becomes of one object, given its owners and dependents: nothing, a reference less, a finalizer less, or its
// deletion. Everything is decided on the object as the API has it now; the graph only says whom it concerns.
import type { Client } from "../../client/client.ts";
import { inBatches } from "../../meta/lists.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../meta/object-meta.ts";
import {
  changeObject,
  findObject,
  isNotFound,
  isNotServed,
  readObject,
  type ServedResource,
} from "../kit/api.ts";
import type { Logger } from "../kit/logging.ts";
import { FOREGROUND, isBlocking, ORPHAN, type OwnerGraph, type OwnerNode } from "./owner-graph.ts";

interface OwnerLookup {
  readonly client: Client;
  readonly graph: OwnerGraph;
  readonly log: Logger;
  readonly resources: {
    findKind(reference: OwnerReference): ServedResource | undefined;
    /** Resolves once the graph knows of everything there was: who depends on an object is known only then. */
    synced(): Promise<void>;
  };
  /** Nobody has seen them go: they count as if they were there. */
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
  explain(lookup, node, owners);
  if (dependents.length === 0) return remove(lookup, node);
  // Its own dependents go first. Where one of them waits as well, there may be a circle of objects that wait for each
  // other: it is cut here.
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

type OwnerStates = NonNullable<Awaited<ReturnType<typeof findOwners>>>;

/**
 * How the owners that an object names stand, asked from the API itself, because the watches may lag behind. Undefined when
 * an owner cannot be looked for: its kind is not served (it may be some day), or it is of a namespaced
 * kind while the object has no namespace. Nothing is to be done with the object then.
 */
async function findOwners(
  { client, graph, resources, absentOwners }: OwnerLookup,
  { namespace }: OwnerNode,
  references: readonly OwnerReference[],
) {
  const states = {
    /** There, and not waiting for dependents: they keep the object. */
    solid: [] as OwnerReference[],
    absent: [] as OwnerReference[],
    /** Being deleted in the foreground: they wait for the object to go. */
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

/** What of the metadata is to become otherwise; an empty list takes the member away. */
type MetadataChange = Pick<ObjectMeta, "ownerReferences" | "finalizers">;

/** No change: change answers undefined. */
const changeMetadata = (
  client: Client,
  node: OwnerNode,
  change: (metadata: ObjectMeta) => MetadataChange | undefined,
): Promise<void> =>
  changeObject(client, node, ({ metadata }) => {
    const changed = change(metadata);
    if (!changed) return undefined;
    // In a merge patch null takes a member away.
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
