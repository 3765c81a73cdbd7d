// The fields of Services and pods that determine endpoints.

import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { conditionOf } from "../../../apimachinery/meta/conditions.ts";
import { type IpFamily, parseIp } from "../../../apimachinery/meta/ip.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { NODES, PODS, SERVICES } from "../../../controller/api.ts";
import type { Keys, KitWith, Watch } from "../../../controller/definition.ts";
import { indexBy, namespaceOf } from "../../../controller/nested-map.ts";

/** The label on endpoints of a Service without a cluster IP. */
export const HEADLESS = "service.kubernetes.io/headless";

type Labels = Readonly<Record<string, string>>;

export type Service = Readonly<ReturnType<typeof readService>>;
export type ServicePort = Readonly<Service["ports"][number]>;

export const readService = memoize((service: KubeObject) => {
  const { namespace = "", name = "", uid = "", labels = {}, ...metadata } = service.metadata;
  const spec = objectAt(service, "spec");
  const clusterIp = textAt(spec, "clusterIP");
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    uid,
    labels,
    createdAt: metadata.creationTimestamp ?? "",
    deleting: metadata.deletionTimestamp !== undefined,
    /** undefined: another client manages its endpoints. */
    selector: textAt(spec, "type") === "ExternalName" ? undefined : selectorOf(service),
    /** It has no cluster IP, or has not been assigned one yet. */
    withoutAddress: clusterIp === "" || clusterIp === "None",
    headless: clusterIp === "None",
    /** The first is the primary family. Empty if the Service specifies none. */
    families: familiesOf(textsAt(spec, "ipFamilies"), clusterIp),
    ports: objectsAt(spec, "ports").map((port) => ({
      name: textAt(port, "name"),
      protocol: textAt(port, "protocol") || "TCP",
      /** The port number, or the name of a container port. */
      target: numberAt(port, "targetPort") ?? (textAt(port, "targetPort") || (numberAt(port, "port") ?? 0)),
      appProtocol: textAt(port, "appProtocol") || undefined,
    })),
    publishNotReady: spec?.["publishNotReadyAddresses"] === true,
  };
});

/** undefined if the Service has no selector: its owner then manages the endpoints. */
export function selectorOf(service: KubeObject): Labels | undefined {
  const selector = objectAt(service, "spec")?.["selector"];
  const pairs = Object.entries(isObject(selector) ? selector : {}).flatMap(([key, text]) =>
    typeof text === "string" ? [[key, text] as const] : [],
  );
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function familiesOf(families: readonly string[], clusterIp: string): IpFamily[] {
  if (families.length > 0) return families.map((family) => (family === "IPv6" ? 6 : 4));
  const family = parseIp(clusterIp)?.family;
  return family ? [family] : [];
}

export type Pod = Readonly<ReturnType<typeof readPod>>;

export const readPod = memoize((pod: KubeObject) => {
  const { namespace = "", name = "", uid = "", labels = {}, deletionTimestamp } = pod.metadata;
  const [spec, status] = [objectAt(pod, "spec"), objectAt(pod, "status")];
  const ready = conditionOf(status, "Ready");
  const phase = textAt(status, "phase");
  return {
    namespace,
    name,
    uid,
    labels,
    nodeName: textAt(spec, "nodeName"),
    hostname: textAt(spec, "hostname"),
    subdomain: textAt(spec, "subdomain"),
    addresses: addressesOf(status),
    ready: ready?.["status"] === "True",
    /** The last transition of its readiness; "" if unknown. */
    readySince: textAt(ready, "lastTransitionTime"),
    terminating: deletionTimestamp !== undefined,
    /** The pod is in a terminal phase. */
    ended: phase === "Failed" || phase === "Succeeded",
    ports: containersOf(spec).flatMap((container) => objectsAt(container, "ports").map(toPort)),
  };
});

/** Port names are resolved in the containers, then in restartable init containers (sidecars). */
function containersOf(spec: JsonObject | undefined): JsonObject[] {
  const beside = objectsAt(spec, "initContainers").filter((item) => item["restartPolicy"] === "Always");
  return [...objectsAt(spec, "containers"), ...beside];
}

const toPort = (port: JsonObject) => ({
  name: textAt(port, "name"),
  protocol: textAt(port, "protocol") || "TCP",
  number: numberAt(port, "containerPort") ?? 0,
});

function addressesOf(status: JsonObject | undefined): string[] {
  const listed = objectsAt(status, "podIPs").map((item) => textAt(item, "ip"));
  return (listed.length > 0 ? listed : [textAt(status, "podIP")]).filter((text) => text !== "");
}

/** Terminating pods can still serve existing connections. EndpointSlices can express this, Endpoints cannot. */
export const canBeEndpoint = (pod: Pod, withTerminating: boolean): boolean =>
  !pod.ended && pod.addresses.length > 0 && (withTerminating || !pod.terminating);

export const addressesIn = ({ addresses }: Pod, family: IpFamily): string[] =>
  addresses.filter((text) => parseIp(text)?.family === family);

/** The hostname of the pod within the Service's domain, if its subdomain is the Service's name. */
export const hostnameFor = ({ hostname, subdomain, namespace }: Pod, service: Service): string =>
  subdomain === service.name && namespace === service.namespace ? hostname : "";

/** The pod's port number for the Service port; undefined if no container port has that name. */
export function findPort({ ports }: Pod, { target, protocol }: ServicePort): number | undefined {
  if (typeof target === "number") return target;
  return ports.find((port) => port.name === target && port.protocol === protocol)?.number;
}

// The Services with the pods that they select. The informers of pods and nodes start lazily, with the first Service
// that has a selector. A server without such Services caches neither.

const ZONE = "topology.kubernetes.io/zone";
export const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/** The memory of a controller with a ServiceWorld. */
interface Serving {
  readonly memory: { readonly world: ServiceWorld };
}

/** The watches behind a ServiceWorld. A controller that needs no nodes omits theirs. */
export const SERVICE_WATCHES = {
  services: { resource: SERVICES },
  pods: {
    resource: PODS,
    lazy: true,
    facts: readPod,
    toKeys: ({ object, old }, { memory }) => memory.world.selectingOneOf([object, old]),
  },
  nodes: {
    resource: NODES,
    lazy: true,
    facts: zoneOf,
    toKeys: ({ object }, { memory }) => memory.world.withPodsOn(object.metadata.name ?? ""),
  },
} satisfies Record<string, Watch<Serving>>;

export class ServiceWorld {
  readonly #kit: KitWith<"services" | "pods">;
  readonly #placed: KitWith<"nodes"> | undefined;
  readonly #services: ReturnType<typeof indexBy>;
  readonly #pods: ReturnType<typeof indexBy>;

  /** `placed` is passed by controllers that need the nodes of the pods as well. */
  constructor(kit: KitWith<"services" | "pods">, placed?: KitWith<"nodes">) {
    this.#kit = kit;
    this.#placed = placed;
    this.#services = indexBy(kit.services, namespaceOf);
    this.#pods = indexBy(kit.pods, namespaceOf);
  }

  /** The Service, if it exists and has a selector. */
  selecting(key: string): Service | undefined {
    const object = this.#kit.services.get(key);
    const service = object && readService(object);
    return service?.selector && service;
  }

  /** The pods of the Service, by name. Waits until the informers of pods and, if used, nodes have synced. */
  async podsOf(service: Service): Promise<Pod[]> {
    await Promise.all([this.#kit.follow("pods"), this.#placed?.follow("nodes")]);
    const pods = [...this.#pods.of(service.namespace).values()].map(readPod);
    return pods.filter((pod) => selects(service, pod)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  hasNode(name: string): boolean {
    return this.#placed?.nodes.get(name) !== undefined;
  }

  zoneOf(node: string): string {
    const found = this.#placed?.nodes.get(node);
    return (found && zoneOf(found)) ?? "";
  }

  /**
   * The keys of Services that select any of these states of a pod. Before the first list of pods nothing is enqueued:
   * each waiting reconcile reads the whole list.
   */
  selectingOneOf(states: readonly (KubeObject | undefined)[]): Keys {
    if (!this.#kit.pods.hasSynced) return [];
    return states.flatMap((pod) => (pod ? this.#keysSelecting(readPod(pod)) : []));
  }

  withPodsOn(node: string): Keys {
    if (!this.#placed?.nodes.hasSynced) return [];
    const pods = [...this.#kit.pods.list()].map(readPod);
    return pods.filter(({ nodeName }) => nodeName === node).flatMap((pod) => this.#keysSelecting(pod));
  }

  #keysSelecting(pod: Pod): string[] {
    const services = [...this.#services.of(pod.namespace).values()].map(readService);
    return services.filter((service) => selects(service, pod)).map(({ key }) => key);
  }
}

function zoneOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[ZONE];
}

const selects = ({ selector }: Service, { labels }: Pod): boolean =>
  selector !== undefined && Object.entries(selector).every(([key, value]) => labels[key] === value);

/**
 * The trigger time of a Service's endpoints: when the change that they reflect occurred. It is written as an
 * annotation, so that clients can measure the propagation delay. It is the earliest new time among the Service's
 * creation and the readiness changes of its pods. For a Service not seen before it is the creation time.
 */
export class TriggerTimes {
  readonly #known = new Map<string, { service: string; pods: ReadonlyMap<string, string> }>();

  /**
   * Records the times (RFC 3339) and returns the trigger time; undefined if no time is new. `undo` discards the record
   * when the write failed.
   */
  note({ key, createdAt }: Service, pods: readonly Pod[]) {
    const before = this.#known.get(key);
    const since = new Map(
      pods.flatMap(({ name, readySince }) => (readySince ? [[name, readySince] as const] : [])),
    );
    this.#known.set(key, { service: createdAt, pods: since });
    const undo = (): void => {
      if (before) this.#known.set(key, before);
      else this.#known.delete(key);
    };
    if (!before) return { time: createdAt || undefined, undo };
    const news = [...since].filter(([name, time]) => time > (before.pods.get(name) ?? ""));
    const times = news.map(([, time]) => time);
    if (createdAt > before.service) times.push(createdAt);
    // RFC 3339 texts in one zone sort chronologically.
    return { time: times.sort()[0], undo };
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
