// EndpointSlices of a Service: labels, owner, name and endpoints. Also the keys that identify equal ports and
// endpoints.

import { type JsonObject, objectAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import type { IpFamily } from "../../../apimachinery/meta/ip.ts";
import { isDns1123Subdomain } from "../../../apimachinery/meta/names.ts";
import { NestedMap } from "../../../apimachinery/meta/nested-map.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { byName, deleteObject, ENDPOINT_SLICES, isGoing } from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import type { Change, Keys, Watch } from "../../../controller/definition.ts";
import {
  addressesIn,
  canBeEndpoint,
  findPort,
  HEADLESS,
  hostnameFor,
  type Pod,
  type Service,
} from "../endpoints/service.ts";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const CONTROLLER = "endpointslice-controller.k8s.io";
const RESERVED = [SERVICE_NAME, MANAGED_BY, HEADLESS];

export const addressTypeOf = (family: IpFamily): string => `IPv${family}`;

type Named = Required<Pick<KubeObject["metadata"], "name" | "namespace" | "uid">>;

/** A new slice of that owner, named by generateName. */
export function newSlice(
  kind: "Service" | "Endpoints",
  { name, namespace, uid }: Named,
  { labels, ...content }: JsonObject & { readonly labels: Readonly<Record<string, string>> },
): KubeObject {
  // generateName ends with a dash, unless the API rejects a name with that prefix.
  const dashed = `${name}-`;
  const generateName = isDns1123Subdomain(`${dashed}a`).length === 0 ? dashed : name;
  const owner = { apiVersion: "v1", kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { generateName, namespace, labels: { ...labels }, ownerReferences: [owner] },
    ...content,
  };
}

/** The Service's labels without the reserved labels of slices. */
export function labelsOf(service: Service): Record<string, string> {
  const own = Object.entries(service.labels).filter(([key]) => !RESERVED.includes(key));
  return {
    ...Object.fromEntries(own),
    ...(service.withoutAddress ? { [HEADLESS]: "" } : {}),
    [SERVICE_NAME]: service.name,
    [MANAGED_BY]: CONTROLLER,
  };
}

export const isOwnedBy = ({ metadata }: KubeObject, { uid }: Service): boolean =>
  (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.kind === "Service");

/** Endpoints with equal ports, which can share a slice. */
export interface EndpointGroup {
  readonly ports: readonly JsonObject[];
  /** By endpointKey. */
  readonly endpoints: Map<string, JsonObject>;
}

/** The endpoints of the pods, grouped by portsKey. */
export function groupEndpoints(
  service: Service,
  pods: readonly Pod[],
  family: IpFamily,
  zoneOf: (node: string) => string,
): Map<string, EndpointGroup> {
  const groups = new Map<string, EndpointGroup>();
  for (const pod of pods) {
    if (!canBeEndpoint(pod, true)) continue;
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, JsonObject>() };
    groups.set(key, group);
    const addresses = addressesIn(pod, family);
    if (addresses.length === 0) continue;
    const endpoint = endpointOf(service, pod, addresses, zoneOf(pod.nodeName));
    group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return groups;
}

/** A terminating pod is not ready, unless the Service sets publishNotReadyAddresses. */
function endpointOf(service: Service, pod: Pod, addresses: string[], zone: string): JsonObject {
  const { namespace, name, uid, nodeName, ready, terminating } = pod;
  const hostname = hostnameFor(pod, service);
  return {
    addresses,
    conditions: {
      ready: service.publishNotReady || (ready && !terminating),
      serving: ready,
      terminating,
    },
    ...(hostname ? { hostname } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

function portsOf(service: Service, pod: Pod): JsonObject[] {
  return service.ports.flatMap((wanted) => {
    const port = findPort(pod, wanted);
    if (port === undefined) return [];
    const { name, protocol, appProtocol } = wanted;
    return [{ name, protocol, port, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

/** Equal for equal ports in any order. */
export const portsKey = (ports: readonly JsonObject[]): string =>
  ports
    .map(({ name, protocol, port, appProtocol }) => JSON.stringify([name, protocol, port, appProtocol]))
    .sort()
    .join();

/** Identifies an endpoint; its other fields may change. */
export function endpointKey(endpoint: JsonObject): string {
  const target = objectAt(endpoint, "targetRef");
  return JSON.stringify([
    textsAt(endpoint, "addresses").sort(),
    textAt(endpoint, "hostname"),
    textAt(target, "namespace"),
    textAt(target, "name"),
  ]);
}

// The EndpointSlices of one controller, by Service. Own writes are cached at once: a lagging watch must not cause a
// second creation of the same slice.

interface Keeping {
  readonly memory: { readonly slices: SliceCache };
}

/** The watch of that controller's slices, cached in its memory. A change by another client enqueues the Service. */
export const slicesOf = (controller: string): Watch<Keeping> => ({
  resource: ENDPOINT_SLICES,
  list: { labelSelector: `${MANAGED_BY}=${controller}` },
  take: (change, { memory }) => memory.slices.observe(change),
});

export class SliceCache {
  readonly #client: Client;
  /** Service key → uid → slice. */
  readonly #slices = new NestedMap<KubeObject>();
  /** Uids of slices that this controller deleted and whose watch event is pending. */
  readonly #deleted = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Applies a watch event. Returns the affected keys if the cache changed. */
  observe({ type, object: slice, old }: Change): Keys {
    const { uid = "" } = slice.metadata;
    if (type === "delete") {
      this.#deleted.delete(uid);
      return this.#drop(slice) ? [keyOf(slice)] : [];
    }
    const left = old && keyOf(old) !== keyOf(slice) && this.#drop(old) ? [keyOf(old)] : [];
    const isNews = !this.#deleted.has(uid) && this.#set(slice);
    return isNews ? [...left, keyOf(slice)] : left;
  }

  /** The existing slices that are not under deletion, by name. */
  of(key: string): KubeObject[] {
    const slices = [...this.#slices.of(key).values()];
    return slices.filter((slice) => !isGoing(slice)).sort(byName);
  }

  async create(slice: KubeObject): Promise<void> {
    this.#set(await this.#client.create(ENDPOINT_SLICES, slice));
  }

  async update(slice: KubeObject): Promise<void> {
    this.#set(await this.#client.update(ENDPOINT_SLICES, slice));
  }

  async delete(slice: KubeObject): Promise<void> {
    await deleteObject(this.#client, ENDPOINT_SLICES, slice);
    if (this.#drop(slice)) this.#deleted.add(slice.metadata.uid ?? "");
  }

  /** Returns false if the cache holds this or a later version. */
  #set(slice: KubeObject): boolean {
    const key = keyOf(slice);
    const { uid = "" } = slice.metadata;
    const known = this.#slices.of(key).get(uid);
    if (known && versionOf(known) >= versionOf(slice)) return false;
    this.#slices.set(key, uid, slice);
    return true;
  }

  #drop(slice: KubeObject): boolean {
    return this.#slices.delete(keyOf(slice), slice.metadata.uid ?? "");
  }
}

const keyOf = ({ metadata: { namespace = "", labels } }: KubeObject): string =>
  `${namespace}/${labels?.[SERVICE_NAME] ?? ""}`;

/** resourceVersions of one object are ordered (KEP-5504). */
const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? "0");
