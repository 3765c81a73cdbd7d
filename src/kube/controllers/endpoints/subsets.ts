// The subsets of a Service's Endpoints, computed from its pods. Each port lists the addresses that offer it; ports of
// equal addresses are merged. The order is stable.
//
//   a:80 b:80 | a:443 b:443 | c:80     →     { a b: 443 80 }  { c: 80 }
//
// An address that is ready in one subset and not in another is not ready.
import { createHash } from "node:crypto";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { parseIp } from "../../../apimachinery/meta/ip.ts";
import {
  addressesIn,
  canBeEndpoint,
  findPort,
  hostnameFor,
  type Pod,
  type Service,
  type ServicePort,
} from "./service.ts";

/** The limit of addresses. Ready addresses are kept first; an annotation reports the truncation. */
const ADDRESSES_MAX = 1000;

export function desiredSubsets(service: Service, pods: readonly Pod[]): Subset[] {
  const offers: Offer[] = [];
  for (const pod of pods) {
    const address = canBeEndpoint(pod, service.publishNotReady) ? addressOf(service, pod) : undefined;
    if (!address) continue;
    const ready = service.publishNotReady || pod.ready;
    if (service.ports.length === 0 && service.headless) offers.push({ port: undefined, address, ready });
    for (const port of service.ports) {
      const number = findPort(pod, port);
      if (number !== undefined) offers.push({ port: portOf(port, number), address, ready });
    }
  }
  return repack(offers);
}

/** The pod's first address of the Service's primary family. */
function addressOf(service: Service, pod: Pod): JsonObject | undefined {
  const family = service.families[0] ?? parseIp(pod.addresses[0] ?? "")?.family;
  const ip = family && addressesIn(pod, family)[0];
  if (!ip) return undefined;
  const { namespace, name, uid, nodeName } = pod;
  const hostname = hostnameFor(pod, service);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

const portOf = ({ name, protocol, appProtocol }: ServicePort, port: number): JsonObject => ({
  ...(name ? { name } : {}),
  port,
  protocol,
  ...(appProtocol ? { appProtocol } : {}),
});

/**
 * The subsets with at most ADDRESSES_MAX addresses, distributed proportionally. undefined: there are no more than that.
 */
export function truncated(subsets: readonly Subset[]): Subset[] | undefined {
  const ready = sumOf(subsets, "addresses");
  const notReady = sumOf(subsets, "notReadyAddresses");
  if (ready + notReady <= ADDRESSES_MAX) return undefined;
  const cut = ready > ADDRESSES_MAX ? "addresses" : "notReadyAddresses";
  const [total, room] = cut === "addresses" ? [ready, ADDRESSES_MAX] : [notReady, ADDRESSES_MAX - ready];
  let left = room;
  return subsets.map((subset) => {
    const offered = subset[cut] ?? [];
    const kept = offered.slice(0, Math.min(Math.ceil((offered.length / total) * room), left));
    left -= kept.length;
    const { addresses = [], ports = [] } = subset;
    const all = cut === "addresses" ? { addresses: kept } : { addresses, notReadyAddresses: kept };
    return withoutEmpty({ ...all, ports });
  });
}

const sumOf = (subsets: readonly Subset[], member: "addresses" | "notReadyAddresses"): number =>
  subsets.reduce((sum, subset) => sum + (subset[member]?.length ?? 0), 0);

/** A port that an address offers. Without a port the offer is the address alone. */
export interface Offer {
  readonly port: JsonObject | undefined;
  readonly address: JsonObject;
  readonly ready: boolean;
}

/** The offers of one port, by address. */
type Offered = Map<string, Offer>;

interface Subset {
  addresses?: JsonObject[];
  notReadyAddresses?: JsonObject[];
  ports?: JsonObject[];
}

export function repack(offers: Iterable<Offer>): Subset[] {
  const byPort = new Map<string, Offered>();
  for (const offer of offers) {
    const key = describePort(offer.port);
    const offered = byPort.get(key) ?? new Map<string, Offer>();
    byPort.set(key, offered);
    const address = addressKey(offer.address);
    if (offered.get(address)?.ready !== false) offered.set(address, offer);
  }
  const byAddresses = new Map<string, Offered[]>();
  for (const [, offered] of [...byPort].sort(([a], [b]) => (digest(a) < digest(b) ? -1 : 1))) {
    const together = [...offered]
      .map(([address, { ready }]) => `${address} ${ready}`)
      .sort()
      .join();
    byAddresses.set(together, [...(byAddresses.get(together) ?? []), offered]);
  }
  return [...byAddresses.values()].map(toSubset);
}

/** The offers in the subsets of a stored Endpoints object. */
export function* offersOf(subsets: readonly JsonObject[]): Generator<Offer> {
  for (const subset of subsets) {
    const ports = objectsAt(subset, "ports");
    for (const port of ports.length > 0 ? ports : [undefined]) {
      for (const address of objectsAt(subset, "addresses")) yield { port, address, ready: true };
      for (const address of objectsAt(subset, "notReadyAddresses")) yield { port, address, ready: false };
    }
  }
}

function toSubset(group: readonly Offered[]): Subset {
  const offers = [...(group[0]?.values() ?? [])];
  const addressesWhere = (ready: boolean): JsonObject[] =>
    offers
      .filter((offer) => offer.ready === ready)
      .map(({ address }) => address)
      .sort((a, b) => (addressKey(a) < addressKey(b) ? -1 : 1));
  return withoutEmpty({
    addresses: addressesWhere(true),
    notReadyAddresses: addressesWhere(false),
    ports: group.map(portIn).filter((port) => port !== undefined),
  });
}

const portIn = (offered: Offered): JsonObject | undefined => [...offered.values()][0]?.port;

const withoutEmpty = (subset: Subset): Subset =>
  Object.fromEntries(Object.entries(subset).filter(([, list]) => list.length > 0));

const addressKey = (address: JsonObject): string =>
  `${textAt(address, "ip")} ${textAt(objectAt(address, "targetRef"), "uid")}`;

/** How Go prints a port: kube-controller-manager orders ports by the MD5 digests of these texts. */
function describePort(port: JsonObject | undefined): string {
  const appProtocol = textAt(port, "appProtocol") || "<nil>";
  const number = port === undefined ? -1 : (numberAt(port, "port") ?? 0);
  const fields = [
    `Name:(string)${textAt(port, "name")}`,
    `Port:(int32)${number}`,
    `Protocol:(v1.Protocol)${textAt(port, "protocol")}`,
    `AppProtocol:(*string)${appProtocol}`,
  ];
  return `(v1.EndpointPort){${fields.join(" ")}}`;
}

const digest = (text: string): string => createHash("md5").update(text).digest("hex");
