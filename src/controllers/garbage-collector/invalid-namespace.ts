// Owners are looked for in the namespace of the dependent, or among the cluster-scoped objects. A reference to an
// object in another namespace is a mistake that somebody should hear of, since it counts as a missing owner.

import { apiVersionOf } from "../kit/api.ts";
import type { Occurrence } from "../kit/event-correlator.ts";
import type { OwnerGraph, OwnerNode } from "./owner-graph.ts";

/** What there is to say about the first reference of the object that leads to another namespace. */
export function invalidNamespace(graph: OwnerGraph, node: OwnerNode): Occurrence | undefined {
  const { resource, namespace, name, uid, deleting } = node;
  if (deleting) return undefined;
  const owner = node.owners.find((reference) => {
    const seenIn = graph.namespaceOf(reference.uid);
    return seenIn !== undefined && seenIn !== "" && seenIn !== namespace;
  });
  if (!owner) return undefined;
  const shown = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
  return {
    subject: { apiVersion: apiVersionOf(resource), kind: resource.kind, namespace, name, uid },
    type: "Warning",
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef ${shown} does not exist in namespace ${JSON.stringify(namespace)}`,
  };
}
