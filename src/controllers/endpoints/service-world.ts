// The Services of a cluster with the pods that they select. Pods and nodes are not followed before there is a Service
// that selects any: a server that is used for other things does not keep copies of them here.
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Change, Keys, KitWith, Watch } from "../kit/definition.ts";
import { type Pod, readPod } from "./pod.ts";
import { readService, type Service } from "./service.ts";

const ZONE = "topology.kubernetes.io/zone";

type Labels = Readonly<Record<string, string>>;

interface SeenPod {
  readonly labels: Labels | undefined;
  readonly pod: Pod;
}

/** What a controller that has a world of Services remembers. */
interface Serving {
  readonly memory: { readonly world: ServiceWorld };
}

const core = (resource: string) => ({ resource: { group: "", version: "v1", resource } });

/** The watches that fill the world; who needs no nodes leaves them out. */
export const SERVICE_WATCHES = {
  services: {
    ...core("services"),
    take: (change, { memory }) => memory.world.takeService(change),
  },
  pods: {
    ...core("pods"),
    lazy: true,
    take: (change, { memory }) => memory.world.takePod(change),
    facts: (pod) => [pod.metadata.labels ?? {}, readPod(pod)],
    toKeys: ({ object, old }, { memory }) => memory.world.selectingOneOf([object, old]),
  },
  nodes: {
    ...core("nodes"),
    lazy: true,
    facts: zoneOf,
    toKeys: ({ object }, { memory }) => memory.world.withPodsOn(object.metadata.name ?? ""),
  },
} satisfies Record<string, Watch<Serving>>;

export class ServiceWorld {
  readonly #kit: KitWith<"services" | "pods">;
  readonly #placed: KitWith<"nodes"> | undefined;
  /** Namespace → key → Service; only those that select pods. */
  readonly #selecting = new Map<string, Map<string, Service>>();
  /** Namespace → name → pod. */
  readonly #podsIn = new Map<string, Map<string, SeenPod>>();

  /** `placed` is given by those for whom the nodes of the pods count as well. */
  constructor(kit: KitWith<"services" | "pods">, placed?: KitWith<"nodes">) {
    this.#kit = kit;
    this.#placed = placed;
  }

  /** The Service, if there is one and it selects pods. */
  selecting(key: string): Service | undefined {
    const service = this.#kit.services.get(key);
    return service && this.#selecting.get(service.metadata.namespace ?? "")?.get(key);
  }

  /** The pods of the Service, by name. Waits until they are known, and their nodes if those count. */
  async podsOf({ namespace, selector = {} }: Service): Promise<Pod[]> {
    await Promise.all([this.#kit.follow("pods"), this.#placed?.follow("nodes")]);
    const seen = [...(this.#podsIn.get(namespace)?.values() ?? [])];
    const selected = seen.filter(({ labels }) => isSelected(selector, labels)).map(({ pod }) => pod);
    return selected.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  hasNode(name: string): boolean {
    return this.#placed?.nodes.get(name) !== undefined;
  }

  zoneOf(node: string): string {
    const found = this.#placed?.nodes.get(node);
    return (found && zoneOf(found)) ?? "";
  }

  takeService({ type, object }: Change): void {
    const service = readService(object);
    const { key, namespace, selector } = service;
    if (selector && type !== "delete") entryOf(this.#selecting, namespace).set(key, service);
    else dropEntry(this.#selecting, namespace, key);
  }

  takePod({ type, object }: Change): void {
    const { namespace = "", name = "", labels } = object.metadata;
    if (type === "delete") dropEntry(this.#podsIn, namespace, name);
    else entryOf(this.#podsIn, namespace).set(name, { labels, pod: readPod(object) });
  }

  /** The keys of Services that select a pod as it is or as it was. Whoever waits for the first list looks at all of it. */
  selectingOneOf(states: readonly (KubeObject | undefined)[]): Keys {
    if (!this.#kit.pods.hasSynced) return [];
    return states.flatMap((pod) =>
      pod ? this.#keysSelecting(pod.metadata.namespace, pod.metadata.labels) : [],
    );
  }

  withPodsOn(node: string): Keys {
    if (!this.#placed?.nodes.hasSynced) return [];
    const keys: string[] = [];
    for (const pods of this.#podsIn.values()) {
      for (const { labels, pod } of pods.values()) {
        if (pod.nodeName === node) append(keys, this.#keysSelecting(pod.namespace, labels));
      }
    }
    return keys;
  }

  #keysSelecting(namespace = "", labels: Labels | undefined): string[] {
    const services = [...(this.#selecting.get(namespace)?.values() ?? [])];
    return services.filter(({ selector = {} }) => isSelected(selector, labels)).map(({ key }) => key);
  }
}

function zoneOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[ZONE];
}

const isSelected = (selector: Labels, labels: Labels = {}): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

function entryOf<T>(maps: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const found = maps.get(name) ?? new Map<string, T>();
  maps.set(name, found);
  return found;
}

function dropEntry<T>(maps: Map<string, Map<string, T>>, name: string, key: string): void {
  const found = maps.get(name);
  found?.delete(key);
  if (found?.size === 0) maps.delete(name);
}
