// Allocator of cluster IPs and node ports for a Service. An address is allocated while an IPAddress of its name exists;
// the ranges are those of the server's flag and of ServiceCIDRs. A port is allocated by a key of its own in the store,
// whose value only names the Service. Both are created and removed with the Service.

import { type JsonObject, objectAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { conditionOf } from "../../../apimachinery/meta/conditions.ts";
import { type Cidr, cidrContains, ipFromValue, parseCidr, parseIp } from "../../../apimachinery/meta/ip.ts";
import { greatest } from "../../../apimachinery/meta/lists.ts";
import type { KubeObject, ObjectMeta } from "../../../apimachinery/meta/object-meta.ts";
import { isPortIn, portRangeText } from "../../../apimachinery/meta/port-range.ts";
import type { Allocations } from "../../../apiserver/registry/definition/resource-definition.ts";
import { ipAddresses, serviceCidrs } from "../../networking.k8s.io/servicecidrs.ts";
import { type FamilyName, familyName, type ServiceNetwork } from "./network.ts";

/**
 * The lower band of each range is preferred for static allocation (KEP-3070, KEP-3668): a fraction of the range, within
 * bounds. Dynamic allocation uses it only when the upper band is full.
 */
const CHOSEN_ADDRESSES = { part: 16n, max: 256n };
const CHOSEN_PORTS = { part: 32n, max: 128n };
const CHOSEN_MIN = 16n;
/** A dry run allocates nothing, and returns ports after this one, as upstream. */
const DRY_RUN_PORT = 32_768;

/** Reason why an address or port cannot be allocated, with upstream's text. */
export class Refusal extends Error {}

export class ServiceAllocator {
  readonly #network: ServiceNetwork;
  readonly #claims: Allocations;
  readonly #owner: Readonly<ObjectMeta>;
  /** Ports that this write has allocated. */
  readonly #taken = new Set<number>();

  constructor(network: ServiceNetwork, claims: Allocations, { metadata }: Readonly<KubeObject>) {
    this.#network = network;
    this.#claims = claims;
    this.#owner = metadata;
  }

  /** Name of the Service. */
  get name(): string {
    return this.#owner.name ?? "";
  }

  /** Allocates the requested address, or any of the family for "". Throws Refusal. */
  takeAddress(family: FamilyName, asked: string): string {
    if (asked === "") return this.#anyAddress(family);
    this.#takeThis(asked);
    return asked;
  }

  #takeThis(text: string): void {
    const ip = parseIp(text);
    const ranges = this.#ranges(ip?.family === 6 ? "IPv6" : "IPv4");
    const [range] = ranges;
    if (ip === undefined || range === undefined) throw new Refusal("the allocator is not ready");
    if (!ranges.some((cidr) => cidrContains(usablePart(cidr), ip))) {
      const rule = this.#claims.dryRun
        ? `the provided IP (${ip.text}) is not in the valid range. The range of valid IPs is ${range.text}`
        : "the provided network does not match the current range";
      throw new Refusal(rule);
    }
    if (this.#claims.dryRun) return;
    if (this.#claims.hasObject(ipAddresses, "", ip.text))
      throw new Refusal("provided IP is already allocated");
    this.#claims.makeObject(ipAddresses, addressObject(ip.text, familyName(ip), this.#owner));
  }

  /** A dry run returns the network address of the range. */
  #anyAddress(family: FamilyName): string {
    for (const range of this.#ranges(family)) {
      if (this.#claims.dryRun) return ipFromValue(range.family, range.first).text;
      const text = this.#freeAddress(range);
      if (text === undefined) continue;
      this.#claims.makeObject(ipAddresses, addressObject(text, family, this.#owner));
      return text;
    }
    throw new Refusal("range is full");
  }

  /** Reserves the address, in any range, unless it is allocated. */
  holdAddress(text: string): void {
    const ip = parseIp(text);
    if (ip === undefined || this.#claims.hasObject(ipAddresses, "", ip.text)) return;
    this.#claims.makeObject(ipAddresses, addressObject(ip.text, familyName(ip), this.#owner));
  }

  giveBackAddress(text: string): void {
    const ip = parseIp(text);
    if (ip !== undefined) this.#claims.removeObject(ipAddresses, "", ip.text);
  }

  /** Allocates the requested port, or any for 0. Throws Refusal. */
  takePort(asked: number): number {
    const port = asked || this.#anyPort();
    const { nodePorts } = this.#network;
    if (!this.#claims.dryRun && !isPortIn(nodePorts, port)) {
      const range = portRangeText(nodePorts);
      throw new Refusal(`provided port is not in the valid range. The range of valid ports is ${range}`);
    }
    if (this.#isTaken(port)) throw new Refusal("provided port is already allocated");
    this.#take(port);
    return port;
  }

  /** Reserves the port, in any range, unless it is allocated. */
  holdPort(port: number): void {
    if (!this.#isTaken(port)) this.#take(port);
  }

  #take(port: number): void {
    this.#taken.add(port);
    const { namespace, name } = this.#owner;
    if (!this.#claims.dryRun) this.#claims.take(keyOfPort(port), Buffer.from(`${namespace}/${name}`));
  }

  #anyPort(): number {
    if (this.#claims.dryRun) return (greatest(this.#taken, 0) || DRY_RUN_PORT) + 1;
    const port = this.#freePort();
    if (port === undefined) throw new Refusal("range is full");
    return port;
  }

  giveBackPort(port: number): void {
    this.#claims.giveBack(keyOfPort(port));
  }

  #isTaken(port: number): boolean {
    return this.#taken.has(port) || this.#claims.isTaken(keyOfPort(port));
  }

  #ranges(family: FamilyName): Cidr[] {
    const ranges = new Map<string, Cidr>();
    const add = (cidr: Cidr | undefined): void => {
      if (cidr !== undefined && familyName(cidr) === family) ranges.set(cidr.text, cidr);
    };
    this.#network.ranges.forEach(add);
    for (const object of this.#claims.list(serviceCidrs)) {
      if (object.metadata.deletionTimestamp !== undefined || !isReady(object)) continue;
      for (const text of textsAt(objectAt(object, "spec"), "cidrs")) add(parseCidr(text));
    }
    return [...ranges.values()];
  }

  #freeAddress(range: Cidr): string | undefined {
    const { first, last } = usablePart(range);
    const chosen = last - first + 1n <= CHOSEN_MIN ? 0n : chosenPart(range, CHOSEN_ADDRESSES);
    const textOf = (value: bigint): string => ipFromValue(range.family, value).text;
    const free = this.#free(first, last, chosen, (value) => {
      return !this.#claims.hasObject(ipAddresses, "", textOf(value));
    });
    return free === undefined ? undefined : textOf(free);
  }

  #freePort(): number | undefined {
    const [first, last] = [BigInt(this.#network.nodePorts.first), BigInt(this.#network.nodePorts.last)];
    const chosen = last - first + 1n < CHOSEN_MIN ? 0n : chosenPart({ first, last }, CHOSEN_PORTS);
    const port = this.#free(first, last, chosen, (value) => !this.#isTaken(Number(value)));
    return port === undefined ? undefined : Number(port);
  }

  #free(first: bigint, last: bigint, chosen: bigint, isFree: (value: bigint) => boolean): bigint | undefined {
    const middle = first + chosen;
    return this.#search(middle, last, isFree) ?? this.#search(first, middle - 1n, isFree);
  }

  /** Searches from a random offset to the end, then from the start. */
  #search(from: bigint, to: bigint, isFree: (value: bigint) => boolean): bigint | undefined {
    const size = to - from + 1n;
    if (size <= 0n) return undefined;
    const start = this.#claims.random(size);
    for (let step = 0n; step < size; step++) {
      const value = from + ((start + step) % size);
      if (isFree(value)) return value;
    }
    return undefined;
  }
}

/** A ServiceCIDR without a Ready condition counts as ready. */
function isReady(object: Readonly<JsonObject>): boolean {
  const ready = conditionOf(objectAt(object, "status"), "Ready");
  return ready === undefined || textAt(ready, "status") === "True";
}

/** The range without the network address and, for IPv4, the broadcast address. */
const usablePart = (range: Cidr): Cidr => ({
  ...range,
  first: range.first + 1n,
  last: range.family === 4 ? range.last - 1n : range.last,
});

function chosenPart(
  { first, last }: Pick<Cidr, "first" | "last">,
  { part, max }: typeof CHOSEN_PORTS,
): bigint {
  const size = (last - first + 1n) / part;
  return size < CHOSEN_MIN ? CHOSEN_MIN : size > max ? max : size;
}

const addressObject = (text: string, family: FamilyName, owner: Readonly<ObjectMeta>): KubeObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: {
    name: text,
    labels: {
      "ipaddress.kubernetes.io/ip-family": family,
      "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    },
  },
  spec: { parentRef: { resource: "services", namespace: owner.namespace ?? "", name: owner.name ?? "" } },
});

/** Key prefix of allocated ports. */
export const ALLOCATED_PORTS = "/registry/ranges/servicenodeports/";
export const keyOfPort = (port: number): string => `${ALLOCATED_PORTS}${port}`;
