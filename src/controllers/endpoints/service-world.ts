// The Services of a cluster with the pods that they select. Pods and nodes are not followed before there is a Service
// that selects any: a server that is used for other things does not keep copies of them here.
import type { ClientListOptions, ResourceName } from "../../client/client.ts";
import { type Informer, keyOf } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import type { ControllerDeps } from "../runtime/controller.ts";
import { type Pod, readPod } from "./pod.ts";
import { readService, type Service } from "./service.ts";

export interface ServiceWorldOptions {
  readonly controller: string;
  readonly deps: ControllerDeps;
  readonly signal: AbortSignal;
  /** True: the nodes of the pods count as well. */
  readonly withNodes?: boolean;
  /** Told of the key of each Service that has to be looked at. */
  readonly changed: (key: string) => void;
}

const ZONE = "topology.kubernetes.io/zone";
const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });

type Labels = Readonly<Record<string, string>>;

interface SeenPod {
  readonly labels: Labels | undefined;
  readonly pod: Pod;
}

export class ServiceWorld {
  readonly services: Informer;
  readonly #options: ServiceWorldOptions;
  readonly #pods: Informer;
  readonly #nodes: Informer;
  /** Namespace → key → Service; only those that select pods. */
  readonly #selecting = new Map<string, Map<string, Service>>();
  /** Namespace → name → pod. */
  readonly #podsIn = new Map<string, Map<string, SeenPod>>();
  #following = false;

  constructor(options: ServiceWorldOptions) {
    this.#options = options;
    this.services = this.informer(core("services"));
    this.#pods = this.informer(core("pods"));
    this.#nodes = this.informer(core("nodes"));
    this.services.addHandlers({
      add: (service) => this.#takeService(service),
      update: (_old, service) => this.#takeService(service),
      delete: (service) => this.#dropService(service),
    });
    this.#pods.addHandlers({
      add: (pod) => this.#takePod(pod),
      update: (_old, pod) => this.#takePod(pod),
      delete: (pod) => this.#dropPod(pod),
    });
    this.#nodes.addHandlers({
      add: (node) => this.#nodeChanged(node),
      update: (old, node) => {
        if (old.metadata.labels?.[ZONE] !== node.metadata.labels?.[ZONE]) this.#nodeChanged(node);
      },
      delete: (node) => this.#nodeChanged(node),
    });
  }

  /** An informer of something else that the controller follows; its failures are logged. */
  informer(resource: ResourceName, list?: ClientListOptions): Informer {
    const { controller, deps } = this.#options;
    return informerFor(deps, controller, resource, list);
  }

  /** The Service, if there is one and it selects pods. */
  selecting(key: string): Service | undefined {
    const service = this.services.get(key);
    return service && this.#selecting.get(service.metadata.namespace ?? "")?.get(key);
  }

  /** The pods of the Service, by name. Waits until they are known. */
  async podsOf({ namespace, selector = {} }: Service): Promise<Pod[]> {
    await this.#follow();
    const seen = [...(this.#podsIn.get(namespace)?.values() ?? [])];
    const selected = seen.filter(({ labels }) => isSelected(selector, labels)).map(({ pod }) => pod);
    return selected.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  hasNode(name: string): boolean {
    return this.#nodes.get(name) !== undefined;
  }

  zoneOf(node: string): string {
    return this.#nodes.get(node)?.metadata.labels?.[ZONE] ?? "";
  }

  async caughtUp(): Promise<void> {
    if (!this.#following) return;
    await this.#pods.caughtUp();
    if (this.#options.withNodes) await this.#nodes.caughtUp();
  }

  async #follow(): Promise<void> {
    const { signal, withNodes } = this.#options;
    if (!this.#following) {
      this.#following = true;
      this.#pods.start(signal);
      if (withNodes) this.#nodes.start(signal);
    }
    await this.#pods.synced();
    if (withNodes) await this.#nodes.synced();
  }

  #takeService(object: KubeObject): void {
    const service = readService(object);
    const { key, namespace, selector } = service;
    if (selector) entryOf(this.#selecting, namespace).set(key, service);
    else dropEntry(this.#selecting, namespace, key);
    this.#options.changed(key);
  }

  #dropService({ metadata: { namespace = "", name = "" } }: KubeObject): void {
    const key = keyOf({ namespace, name });
    dropEntry(this.#selecting, namespace, key);
    this.#options.changed(key);
  }

  #takePod(object: KubeObject): void {
    const { namespace = "", name = "", labels } = object.metadata;
    const pods = entryOf(this.#podsIn, namespace);
    const old = pods.get(name);
    const pod = readPod(object);
    pods.set(name, { labels, pod });
    if (!this.#pods.hasSynced) return; // whoever waits for the pods looks at all of them
    const relabelled = old && !equalJson(old.labels, labels);
    if (old && !relabelled && equalJson(old.pod, pod)) return;
    this.#tell(namespace, labels);
    if (relabelled) this.#tell(namespace, old.labels);
  }

  #dropPod({ metadata: { namespace = "", name = "", labels } }: KubeObject): void {
    dropEntry(this.#podsIn, namespace, name);
    this.#tell(namespace, labels);
  }

  #tell(namespace: string, labels: Labels | undefined): void {
    for (const { key, selector = {} } of this.#selecting.get(namespace)?.values() ?? []) {
      if (isSelected(selector, labels)) this.#options.changed(key);
    }
  }

  #nodeChanged({ metadata }: KubeObject): void {
    if (!this.#nodes.hasSynced) return;
    for (const pods of this.#podsIn.values()) {
      for (const { labels, pod } of pods.values()) {
        if (pod.nodeName === metadata.name) this.#tell(pod.namespace, labels);
      }
    }
  }
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
