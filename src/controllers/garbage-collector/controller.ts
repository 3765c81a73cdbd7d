// The garbage collector: deletes what all owners have left, and sees deletions through that wait for dependents.
// owner-graph.ts gathers whom a change concerns, collect.ts decides; here both are joined to the API.
import { defineController } from "../kit/define-controller.ts";
import type { Kit } from "../kit/definition.ts";
import { collect } from "./collect.ts";
import { invalidNamespace } from "./invalid-namespace.ts";
import { OwnerGraph } from "./owner-graph.ts";
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
