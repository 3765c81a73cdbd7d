// What becomes of one object, given its owners and dependents: nothing, a reference less, a finalizer less, or its
// deletion. Everything is decided on the object as the API has it now; the graph only says whom it concerns.
import type { OwnerReference } from "../../meta/object-meta.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isNotFound, patchMetadata, readObject } from "./metadata-patch.ts";
import { FOREGROUND, isBlocking, ORPHAN, type OwnerNode } from "./owner-graph.ts";
import { findOwners, type OwnerLookup, type OwnerStates } from "./owner-states.ts";

/** "unknown": it hangs on an owner whose kind is not served, and is to be looked at again when that changes. */
export type Verdict = "settled" | "unknown";

type PropagationPolicy = "Background" | "Foreground" | "Orphan";

export async function collect(lookup: OwnerLookup, uid: string): Promise<Verdict> {
  const { client, graph } = lookup;
  const node = graph.get(uid);
  if (!node) return "settled";
  const live = await readObject(client, node);
  if (!live) graph.remove(uid);
  else if (live.metadata.deletionTimestamp !== undefined) await letGo(lookup, node);
  else return judge(lookup, node, live);
  return "settled";
}

/**
 * An object under deletion goes when its dependents are orphaned, or gone. Only what the watches told of its deletion
 * counts: they have then also told of the dependents that it had before.
 */
async function letGo({ client, graph }: OwnerLookup, node: OwnerNode): Promise<void> {
  const dependents = graph.dependentsOf(node.uid);
  if (node.orphaning) {
    await Promise.all(dependents.map((dependent) => dropOwners(lookupOf(client), dependent, [node.uid])));
    await dropFinalizer(lookupOf(client), node, ORPHAN);
  } else if (node.foreground && !dependents.some((dependent) => isBlocking(dependent, node.uid))) {
    await dropFinalizer(lookupOf(client), node, FOREGROUND);
  }
}

async function judge(lookup: OwnerLookup, node: OwnerNode, live: KubeObject): Promise<Verdict> {
  const { ownerReferences = [] } = live.metadata;
  if (ownerReferences.length === 0) return "settled";
  const owners = await findOwners(lookup, node, ownerReferences);
  if (owners.type === "unknown") return "unknown";
  if (owners.type === "known") await settle(lookup, node, live, owners);
  return "settled";
}
