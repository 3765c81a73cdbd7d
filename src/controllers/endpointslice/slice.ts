// EndpointSlices of a Service: labels, owner, name, and the endpoints in them: what a pod offers, and by what two of them
// are the same.

import type { Client } from "../../client/client.ts";
import type { IpFamily } from "../../meta/ip.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../meta/json.ts";
import { isDns1123Subdomain } from "../../meta/names.ts";
import { NestedMap } from "../../meta/nested-map.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import {
  addressesIn,
  canBeEndpoint,
  findPort,
  HEADLESS,
  hostnameFor,
  type Pod,
  type Service,
} from "../endpoints/service.ts";
import { byName, deleteObject, ENDPOINT_SLICES, isGoing } from "../kit/api.ts";
import type { Change, Keys, Watch } from "../kit/definition.ts";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const CONTROLLER = "endpointslice-controller.k8s.io";
const RESERVED = [SERVICE_NAME, MANAGED_BY, HEADLESS];

export const addressTypeOf = (family: IpFamily): string => `IPv${family}`;

type Named = Required<Pick<KubeObject["metadata"], "name" | "namespace" | "uid">>;

/** A slice of that owner, without a name of its own. */
export function newSlice(
  kind: "Service" | "Endpoints",
  { name, namespace, uid }: Named,
  { labels, ...content }: JsonObject & { readonly labels: Readonly<Record<string, string>> },
): KubeObject {
  // A generated name starts with a dash behind it, where the API allows a name that ends so before it is completed.
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

/** The Service's labels, but for those that say what a slice is. */
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

/** Endpoints that offer the same ports, which is what one slice can hold. */
export interface EndpointGroup {
  readonly ports: readonly JsonObject[];
  /** By endpointKey. */
  readonly endpoints: Map<string, JsonObject>;
}

/** The groups of the pods' endpoints, by portsKey. */
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

/** A pod that terminates is ready for nobody, unless the Service wants all its pods to be called ready. */
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

/** The same for the same ports, in whatever order. */
export const portsKey = (ports: readonly JsonObject[]): string =>
  ports
    .map(({ name, protocol, port, appProtocol }) => JSON.stringify([name, protocol, port, appProtocol]))
    .sort()
    .join();

/** Tells endpoints apart; what else there is to say of one may change. */
export function endpointKey(endpoint: JsonObject): string {
  const target = objectAt(endpoint, "targetRef");
  return JSON.stringify([
    textsAt(endpoint, "addresses").sort(),
    textAt(endpoint, "hostname"),
    textAt(target, "namespace"),
    textAt(target, "name"),
  ]);
}

// The EndpointSlices of one controller, by the name that they say they are of. What the controller writes is known
// here at once: it must not make a slice a second time only because the watch has not told of the first.

interface Keeping {
  readonly memory: { readonly slices: SliceCache };
}

/** The slices of that controller, which has them in its memory: what others do to them leads to the keys of their Services. */
export const slicesOf = (controller: string): Watch<Keeping> => ({
  resource: ENDPOINT_SLICES,
  list: { labelSelector: `${MANAGED_BY}=${controller}` },
  take: (change, { memory }) => memory.slices.observe(change),
});

export class SliceCache {
  readonly #client: Client;
  /** By key of the Service and uid. */
  readonly #slices = new NestedMap<KubeObject>();
  /** The uids of slices that were deleted here while the watch has not told of it. */
  readonly #deleted = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Takes in what the watch tells; answers with whom it concerns, if it is news. */
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

  /** The slices that are there and stay, by name. */
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

  /** False: it is known already in this version or a later one. */
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

/** Versions of one object can be compared (KEP-5504). */
const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? "0");
