// Takes cluster IPs. An address is somebody's as long as there is an IPAddress of its name, which is made and removed
// together with the Service. The ranges are those of the server's flag and of ServiceCIDRs.
import { type Cidr, cidrContains, ipFromValue, parseCidr, parseIp } from "../../../meta/ip.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import type { Claims } from "../../../registry/definition/strategy.ts";
import { ipAddresses } from "../../networking.k8s.io/ipaddresses.ts";
import { serviceCidrs } from "../../networking.k8s.io/servicecidrs.ts";
import { type FamilyName, familyName, type ServiceNetwork } from "./network.ts";

const MANAGER = "ipallocator.k8s.io";
/**
 * The beginning of each range is left to those who choose their address themselves: a sixteenth of it, within bounds
 * (KEP-3070). Addresses that are not chosen come from there only when the rest is full.
 */
const CHOSEN_PART = 16n;
const CHOSEN_MIN = 16n;
const CHOSEN_MAX = 256n;

/** What keeps an address from being taken, in the words of a real server. */
export class AddressRefusal extends Error {}

export interface AddressHolder {
  readonly network: ServiceNetwork;
  readonly claims: Claims;
  readonly service: Readonly<KubeObject>;
}

/** Takes this address. Throws AddressRefusal. */
export function takeAddress(holder: AddressHolder, text: string): void {
  const { claims, service } = holder;
  const ip = parseIp(text);
  const ranges = rangesOf(holder, ip?.family === 6 ? "IPv6" : "IPv4");
  const [range] = ranges;
  if (ip === undefined || range === undefined) throw new AddressRefusal("the allocator is not ready");
  if (!ranges.some((cidr) => cidrContains(usablePart(cidr), ip))) {
    const rule = claims.dryRun
      ? `the provided IP (${ip.text}) is not in the valid range. The range of valid IPs is ${range.text}`
      : "the provided network does not match the current range";
    throw new AddressRefusal(rule);
  }
  if (claims.dryRun) return;
  if (claims.hasObject(ipAddresses, "", ip.text)) {
    throw new AddressRefusal("provided IP is already allocated");
  }
  claims.makeObject(ipAddresses, addressObject(ip.text, familyName(ip), service));
}

/** Takes any address of the family. A dry run is answered with the address of the network. Throws AddressRefusal. */
export function takeAnyAddress(holder: AddressHolder, family: FamilyName): string {
  const { claims, service } = holder;
  for (const range of rangesOf(holder, family)) {
    if (claims.dryRun) return ipFromValue(range.family, range.first).text;
    const text = freeAddress(range, claims);
    if (text === undefined) continue;
    claims.makeObject(ipAddresses, addressObject(text, family, service));
    return text;
  }
  throw new AddressRefusal("range is full");
}

export function giveBackAddress(claims: Claims, text: string): void {
  const ip = parseIp(text);
  if (ip !== undefined) claims.removeObject(ipAddresses, "", ip.text);
}

function rangesOf({ network, claims }: AddressHolder, family: FamilyName): Cidr[] {
  const ranges = new Map<string, Cidr>();
  const add = (cidr: Cidr | undefined): void => {
    if (cidr !== undefined && familyName(cidr) === family) ranges.set(cidr.text, cidr);
  };
  network.ranges.forEach(add);
  for (const object of claims.list(serviceCidrs)) {
    if (object.metadata.deletionTimestamp !== undefined || !isReady(object)) continue;
    for (const text of textsAt(objectAt(object, "spec"), "cidrs")) add(parseCidr(text));
  }
  return [...ranges.values()];
}

/** A ServiceCIDR of which nobody says anything counts as ready. */
function isReady(object: Readonly<JsonObject>): boolean {
  const conditions = objectsAt(objectAt(object, "status"), "conditions");
  const ready = conditions.find((condition) => condition["type"] === "Ready");
  return ready === undefined || textAt(ready, "status") === "True";
}

/** A range without the address of the network and, for IPv4, that of everybody in it. */
function usablePart(range: Cidr): Cidr {
  return { ...range, first: range.first + 1n, last: range.family === 4 ? range.last - 1n : range.last };
}

function freeAddress(range: Cidr, claims: Claims): string | undefined {
  const { first, last } = usablePart(range);
  const middle = first + chosenPart(range);
  return search(middle, last) ?? search(first, middle - 1n);

  /** From a place by chance to the end, and round to the start. */
  function search(from: bigint, to: bigint): string | undefined {
    const size = to - from + 1n;
    if (size <= 0n) return undefined;
    const start = claims.random(size);
    for (let step = 0n; step < size; step++) {
      const { text } = ipFromValue(range.family, from + ((start + step) % size));
      if (!claims.hasObject(ipAddresses, "", text)) return text;
    }
    return undefined;
  }
}

function chosenPart({ first, last }: Cidr): bigint {
  const size = last - first + 1n;
  if (size <= CHOSEN_MIN) return 0n;
  const part = size / CHOSEN_PART;
  return part < CHOSEN_MIN ? CHOSEN_MIN : part > CHOSEN_MAX ? CHOSEN_MAX : part;
}

function addressObject(text: string, family: FamilyName, { metadata }: Readonly<KubeObject>): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: {
      name: text,
      labels: {
        "ipaddress.kubernetes.io/ip-family": family,
        "ipaddress.kubernetes.io/managed-by": MANAGER,
      },
    },
    spec: {
      parentRef: { resource: "services", namespace: metadata.namespace ?? "", name: metadata.name ?? "" },
    },
  };
}
