// The garbage collector: deletes what all owners have left, and sees deletions through that wait for dependents.
// owner-graph.ts gathers whom a change concerns, collect.ts decides; here both are joined to the API.
import { apiVersionOf } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Kit } from "../kit/definition.ts";
import type { Occurrence } from "../kit/event-correlator.ts";
import { collect } from "./collect.ts";
import { OwnerGraph, type OwnerNode } from "./owner-graph.ts";
import { ResourceMonitors } from "./resource-monitors.ts";

export const garbageCollector = defineController({
  name: "garbage-collector",
  summary: "deletes what all owners have left",
  fieldManager: "kube-controller-manager",
  events: "garbage-collector-controller",
  retry: { firstMs: 20, attemptsMax: Number.POSITIVE_INFINITY },
  memory(kit: Kit) {
    const graph = new OwnerGraph((uid) => kit.queue.add(uid));
    return { graph, monitors: new ResourceMonitors(kit, graph) };
  },
  watches: {}, // which resources there are, the catalog says while it runs
  start: ({ memory, signal }) => memory.monitors.start(signal),
  started: ({ memory }) => memory.monitors.synced(),
  async reconcile(uid, { memory, client, log, say }) {
    const { graph, monitors } = memory;
    const node = graph.get(uid);
    const occurrence = node && invalidNamespace(graph, node);
    if (occurrence) say(occurrence, uid);
    await collect({ client, log, graph, resources: monitors }, uid);
  },
  settle: ({ memory }) => memory.monitors.caughtUp(),
});

/**
 * What there is to say about the first reference of the object that leads to another namespace: owners are looked for in that
 * of the dependent, or among the cluster-scoped objects. Somebody should hear of it, since it counts as a missing owner.
 */
function invalidNamespace(graph: OwnerGraph, node: OwnerNode): Occurrence | undefined {
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
