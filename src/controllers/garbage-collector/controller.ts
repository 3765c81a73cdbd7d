// The garbage collector: deletes what all owners have left, and sees deletions through that wait for dependents.
// owner-graph.ts gathers whom a change concerns, collect.ts decides; here both are joined to the API.

import type { Informer } from "../../client/informer.ts";
import type { Timer } from "../../meta/clock.ts";
import { equalJson } from "../../meta/json.ts";
import type { OwnerReference } from "../../meta/object-meta.ts";
import type { Occurrence } from "../../meta/occurrence.ts";
import { apiVersionOf, type ResourceCatalog, resourcesWith, type ServedResource } from "../kit/api.ts";
import { defineController, informerFor } from "../kit/define-controller.ts";
import type { Kit } from "../kit/definition.ts";
import { collect } from "./collect.ts";
import { OwnerGraph, type OwnerNode } from "./owner-graph.ts";

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
  async reconcile(uid, { memory, client, log, say, absentOwners }) {
    const { graph, monitors } = memory;
    const node = graph.get(uid);
    const occurrence = node && invalidNamespace(graph, node);
    if (occurrence) say(occurrence, uid);
    await collect({ client, log, graph, resources: monitors, absentOwners }, uid);
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

// Watches all resources whose objects can be collected, and tells the graph. Resources come and go with the catalog.

interface Monitor {
  readonly resource: ServedResource;
  readonly informer: Informer;
  readonly abort: AbortController;
  /** Runs while the resource is not served any more. */
  ending?: Timer;
}

/** So long a resource that is not served any more is still heard of: the last of its objects may just have gone. */
const LINGER_MS = 1_000;

const VERBS = ["delete", "list", "watch"];

/** Events are many, never own anything, and end by themselves. */
const isIgnored = ({ group, resource }: ServedResource): boolean =>
  resource === "events" && (group === "" || group === "events.k8s.io");

const kindOf = (named: OwnerReference | ServedResource): string =>
  `${"apiVersion" in named ? named.apiVersion : apiVersionOf(named)}/${named.kind}`;

export class ResourceMonitors {
  readonly #kit: Kit;
  readonly #catalog: ResourceCatalog;
  readonly #graph: OwnerGraph;
  readonly #monitors = new Map<string, Monitor>();
  #kinds = new Map<string, ServedResource>();

  constructor(kit: Kit, graph: OwnerGraph) {
    if (!kit.catalog) throw new Error("the garbage collector needs to know which resources are served");
    this.#kit = kit;
    this.#catalog = kit.catalog;
    this.#graph = graph;
  }

  /** Watches until the signal aborts; returns at once. */
  start(signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#align();
    const stop = this.#catalog.onChange(() => this.#align());
    const end = (): void => {
      stop();
      for (const { abort, ending } of this.#monitors.values()) {
        ending?.cancel();
        abort.abort();
      }
    };
    signal.addEventListener("abort", end, { once: true });
  }

  /** The resource of a kind in the version that an owner reference names; undefined when it is not served. */
  findKind(reference: OwnerReference): ServedResource | undefined {
    return this.#kinds.get(kindOf(reference));
  }

  /** Resolves once the graph knows of everything that was there when it was asked. */
  async synced(): Promise<void> {
    const unsynced = this.#served().filter(({ informer }) => !informer.hasSynced);
    for (const { informer } of unsynced) await informer.synced();
  }

  /** Resolves once the graph knows of everything that the server holds. */
  async caughtUp(): Promise<void> {
    for (const monitor of this.#served()) {
      try {
        await monitor.informer.caughtUp();
      } catch (error) {
        if (!monitor.ending && !monitor.abort.signal.aborted) throw error;
      }
    }
  }

  #served(): Monitor[] {
    return [...this.#monitors.values()].filter(({ ending }) => !ending);
  }

  /** Starts and ends monitors, so that each served resource has one. */
  #align(): void {
    const { clock } = this.#kit;
    const before = this.#kinds;
    this.#kinds = new Map(this.#catalog.list().map((entry) => [kindOf(entry), entry]));
    const served = resourcesWith(this.#catalog, VERBS).filter((entry) => !isIgnored(entry));
    const wanted = new Map(served.map((entry) => [`${entry.group}/${entry.resource}`, entry]));
    for (const [name, monitor] of this.#monitors) {
      const resource = wanted.get(name);
      if (!resource) {
        monitor.ending ??= clock.after(LINGER_MS, () => this.#end(name, monitor));
        continue;
      }
      monitor.ending?.cancel();
      delete monitor.ending;
      if (equalJson(monitor.resource, resource)) wanted.delete(name);
      else this.#end(name, monitor);
    }
    for (const [name, resource] of wanted) this.#monitors.set(name, this.#begin(resource));
    const isNew = (kind: string): boolean => this.#kinds.has(kind) && !before.has(kind);
    this.#graph.lookAgain(
      ({ resource, owners }) => isNew(kindOf(resource)) || owners.some((owner) => isNew(kindOf(owner))),
    );
  }

  #begin(resource: ServedResource): Monitor {
    const graph = this.#graph;
    const abort = new AbortController();
    // What an ended monitor still hears must not bring back what the graph was told to lose.
    const whileWatching = (tell: () => void): void => {
      if (!abort.signal.aborted) tell();
    };
    const isEnding = (): boolean => monitor.ending !== undefined;
    const informer = informerFor(this.#kit, resource, { ownershipOnly: true }, isEnding);
    informer.addHandlers({
      add: ({ metadata }) => whileWatching(() => graph.observe(resource, metadata)),
      update: (_old, { metadata }) => whileWatching(() => graph.observe(resource, metadata)),
      delete: ({ metadata }) => whileWatching(() => graph.remove(metadata.uid ?? "")),
    });
    informer.start(abort.signal);
    const monitor: Monitor = { resource, informer, abort };
    return monitor;
  }

  #end(name: string, { informer, abort }: Monitor): void {
    this.#monitors.delete(name);
    abort.abort();
    for (const { metadata } of informer.list()) this.#graph.lose(metadata.uid ?? "");
  }
}
