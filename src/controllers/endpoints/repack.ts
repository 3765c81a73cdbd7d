// The form in which the subsets of Endpoints are kept: each port with all who offer it, ports with the same addresses
// together, everything in one order.
//
//   a:80 b:80 | a:443 b:443 | c:80     →     { a b: 443 80 }  { c: 80 }
//
// An address that one subset calls ready and another not is not ready.
import { createHash } from "node:crypto";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";

/** A port that an address offers; without a port the address counts for itself. */
export interface Offer {
  readonly port: JsonObject | undefined;
  readonly address: JsonObject;
  readonly ready: boolean;
}

interface Offered {
  readonly port: JsonObject | undefined;
  readonly addresses: Map<string, Offer>;
}

export interface Subset extends JsonObject {
  addresses?: JsonObject[];
  notReadyAddresses?: JsonObject[];
  ports?: JsonObject[];
}

export function repack(offers: Iterable<Offer>): Subset[] {
  const byPort = new Map<string, Offered>();
  for (const offer of offers) {
    const key = describePort(offer.port);
    const offered = byPort.get(key) ?? { port: offer.port, addresses: new Map<string, Offer>() };
    byPort.set(key, offered);
    const address = addressKey(offer.address);
    if (offered.addresses.get(address)?.ready !== false) offered.addresses.set(address, offer);
  }
  const byAddresses = new Map<string, Offered[]>();
  for (const key of [...byPort.keys()].sort(byDigest)) {
    const offered = byPort.get(key);
    if (!offered) continue;
    const together = [...offered.addresses].map(([address, { ready }]) => `${address} ${ready}`).sort();
    const group = byAddresses.get(together.join());
    if (group) group.push(offered);
    else byAddresses.set(together.join(), [offered]);
  }
  return [...byAddresses.values()].map(toSubset);
}

/** What subsets that were read from an object say. */
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
  const offers = [...(group[0]?.addresses.values() ?? [])];
  const addressesWhere = (ready: boolean): JsonObject[] =>
    offers
      .filter((offer) => offer.ready === ready)
      .map(({ address }) => address)
      .sort((a, b) => (addressKey(a) < addressKey(b) ? -1 : 1));
  const ports = group.map(({ port }) => port).filter((port) => port !== undefined);
  const addresses = addressesWhere(true);
  const notReadyAddresses = addressesWhere(false);
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}

function addressKey(address: JsonObject): string {
  return `${textAt(address, "ip")} ${textAt(objectAt(address, "targetRef"), "uid")}`;
}

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

const byDigest = (a: string, b: string): number => (digest(a) < digest(b) ? -1 : 1);
