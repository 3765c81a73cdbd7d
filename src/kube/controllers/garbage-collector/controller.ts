// The garbage collector: deletes objects whose owners are all gone, and completes foreground and orphan deletions.
// owner-graph.ts enqueues the objects that a change affects; collect.ts decides. This file connects both to the API.

import { equalJson } from "../../../apimachinery/json/json.ts";
import type { Timer } from "../../../apimachinery/meta/clock.ts";
import type { OwnerReference } from "../../../apimachinery/meta/object-meta.ts";
import type { Occurrence } from "../../../apimachinery/meta/occurrence.ts";
import {
  apiVersionOf,
  type ResourceCatalog,
  resourcesWith,
  type ServedResource,
} from "../../../controller/api.ts";
import { defineController, informerFor } from "../../../controller/define-controller.ts";
import type { Kit } from "../../../controller/definition.ts";
import type { Informer } from "../../../controller/informer.ts";
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
  watches: {}, // the catalog reports the served resources at run time
  start: ({ memory, signal }) => memory.monitors.start(signal),
  started: ({ memory }) => memory.monitors.synced(),
  async reconcile(uid, { memory, client, log, recordEvent, absentOwners }) {
    const { graph, monitors } = memory;
    const node = graph.get(uid);
    const occurrence = node && invalidNamespace(graph, node);
    if (occurrence) recordEvent(occurrence, uid);
    await collect({ client, log, graph, resources: monitors, absentOwners }, uid);
  },
  settle: ({ memory }) => memory.monitors.caughtUp(),
});

/**
 * The Event about the first owner reference that points to another namespace. Owners are looked up in the dependent's
 * namespace, or among the cluster-scoped objects. The owner counts as missing, so the user is informed.
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

// Watches all resources whose objects can be garbage-collected and feeds the graph. The catalog adds and removes
// resources.

interface Monitor {
  readonly resource: ServedResource;
  readonly informer: Informer;
  readonly abort: AbortController;
  /** Set while the resource is no longer served. */
  ending?: Timer;
}

/** How long a resource that is no longer served stays watched: the last of its objects may just have been deleted. */
const LINGER_MS = 1_000;

const VERBS = ["delete", "list", "watch"];

/** Events are numerous, never own objects, and expire by themselves. */
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

  /** Starts the watches, which run until the signal aborts. Returns at once. */
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

  /** The resource of the kind and version in an owner reference; undefined if it is not served. */
  findKind(reference: OwnerReference): ServedResource | undefined {
    return this.#kinds.get(kindOf(reference));
  }

  /** Resolves once the informers that are unsynced at the time of the call have synced. */
  async synced(): Promise<void> {
    const unsynced = this.#served().filter(({ informer }) => !informer.hasSynced);
    for (const { informer } of unsynced) await informer.synced();
  }

  /** Resolves once the graph reflects all objects in the API. */
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

  /** Starts and stops monitors, so that each served resource has exactly one. */
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
    // A late event of a stopped monitor must not restore objects that the graph has dropped.
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
