// --cluster-subnets: pod networks with the prefix length of node subnets, and the allocation of node subnets.
//
//   10.128.0.0/14/23,fd01::/48/64    →    10.128.0.0/14 with a /23 per node, fd01::/48 with a /64 per node

import { parsedJson, parsedObject } from "../apimachinery/json/json.ts";
import { type Cidr, cidrContains, cidrsOverlap, ipFromValue, parseCidr } from "../apimachinery/meta/ip.ts";
import { memoize } from "../apimachinery/meta/memoize.ts";
import { NestedMap } from "../apimachinery/meta/nested-map.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";

export interface ClusterSubnet {
  readonly cidr: Cidr;
  /** Prefix length of a node subnet. */
  readonly hostPrefix: number;
}

/** An invalid value of --cluster-subnets; the message is for the user. */
export class ClusterSubnetsError extends Error {}

export const HOST_PREFIX = { 4: 24, 6: 64 } as const;

/** Parses the list; throws ClusterSubnetsError. */
export function parseClusterSubnets(text: string): ClusterSubnet[] {
  const subnets = text.split(",").map((entry) => parseEntry(entry.trim()));
  subnets.forEach((subnet, index) => {
    const other = subnets.slice(0, index).find(({ cidr }) => cidrsOverlap(cidr, subnet.cidr));
    if (other) throw new ClusterSubnetsError(`${other.cidr.text} and ${subnet.cidr.text} overlap`);
  });
  return subnets;
}

function parseEntry(entry: string): ClusterSubnet {
  const [address, prefix, hostPrefixText, ...rest] = entry.split("/");
  const cidr = parseCidr(`${address}/${prefix}`);
  if (!cidr || rest.length > 0)
    throw new ClusterSubnetsError(`CIDR ${JSON.stringify(entry)} not properly formatted`);
  const hostPrefix = hostPrefixText === undefined ? HOST_PREFIX[cidr.family] : Number(hostPrefixText);
  if (hostPrefixText !== undefined && !/^\d{1,3}$/.test(hostPrefixText)) {
    throw new ClusterSubnetsError(`${JSON.stringify(hostPrefixText)} in ${entry} is no prefix length`);
  }
  if (cidr.family === 6 && hostPrefix !== 64) {
    throw new ClusterSubnetsError(`${entry}: a node's part of an IPv6 network is a /64`);
  }
  if (hostPrefix <= cidr.prefix || (cidr.family === 4 && hostPrefix >= 32)) {
    throw new ClusterSubnetsError(
      `${entry}: a node's part has to be smaller than the network, and hold addresses`,
    );
  }
  return { cidr, hostPrefix };
}

const BITS = { 4: 32, 6: 128 } as const;
/** Upper limit for the node subnets of one range, as a power of two. */
const PART_BITS_MAX = 24;

/**
 * Allocates node subnets of one pod network, round-robin: a released subnet is not reused next. If the host part is not a
 * whole number of octets, the bits of the subnet number that share its octet are used last, as in upstream's allocator:
 *
 *   10.128.0.0/14 with a /23 per node:   10.128.0.0   10.129.0.0   10.130.0.0   10.131.0.0   10.128.2.0   10.129.2.0 …
 */
export class SubnetRange {
  readonly #subnet: ClusterSubnet;
  /** Canonical subnet → node. */
  readonly #owners = new Map<string, string>();
  /** By node and subnet. */
  readonly #parts = new NestedMap<true>();
  #next = 0;

  constructor(subnet: ClusterSubnet) {
    this.#subnet = subnet;
  }

  get family(): 4 | 6 {
    return this.#subnet.cidr.family;
  }

  /** Reserves the subnet for the node; returns false if it is out of range or another node has it. */
  reserve(node: string, text: string): boolean {
    const part = parseCidr(text);
    if (!part || !cidrContains(this.#subnet.cidr, part.address)) return false;
    const owner = this.#owners.get(part.text);
    if (owner === undefined) this.#take(node, part.text);
    return owner === undefined || owner === node;
  }

  /** Returns the node's subnet, or allocates a free one; undefined if the range is exhausted. */
  allocate(node: string): string | undefined {
    const [known] = this.#parts.of(node).keys();
    if (known !== undefined) return known;
    const partBits = this.#subnet.hostPrefix - this.#subnet.cidr.prefix;
    const parts = 2 ** Math.min(partBits, PART_BITS_MAX);
    for (let step = 0; step < parts; step++) {
      const number = (this.#next + step) % parts;
      const text = this.#part(number, partBits);
      if (text === undefined || this.#owners.has(text)) continue;
      this.#take(node, text);
      this.#next = (number + 1) % parts;
      return text;
    }
    return undefined;
  }

  /** Releases the node's other subnets. */
  keepOnly(node: string, kept: ReadonlySet<string>): void {
    for (const text of [...this.#parts.of(node).keys()]) {
      if (kept.has(text)) continue;
      this.#parts.delete(node, text);
      this.#owners.delete(text);
    }
  }

  #take(node: string, text: string): void {
    this.#owners.set(text, node);
    this.#parts.set(node, text, true);
  }

  /** The subnet with this number; undefined if it is not used. */
  #part(number: number, partBits: number): string | undefined {
    const { cidr, hostPrefix } = this.#subnet;
    // As in upstream, numbers whose last IPv6 group is zero are skipped.
    if (cidr.family === 6 && partBits >= 16 && (number & 0xffff) === 0) return undefined;
    const hostBits = BITS[cidr.family] - hostPrefix;
    const shift = cidr.family === 4 ? rotation(hostBits, partBits) : 0;
    const turned = shift === 0 ? number : rotateLeft(number, shift, partBits);
    const { text } = ipFromValue(cidr.family, cidr.first + (BigInt(turned) << BigInt(hostBits)));
    return `${text}/${hostPrefix}`;
  }
}

/** Number of subnet bits that share an octet with the host part; 0 if all subnet bits are in that octet. */
function rotation(hostBits: number, partBits: number): number {
  const overhang = hostBits % 8;
  const octet = (bit: number): number => Math.floor((bit - 1) / 8);
  return overhang === 0 || octet(hostBits) === octet(hostBits + partBits) ? 0 : 8 - overhang;
}

function rotateLeft(number: number, by: number, width: number): number {
  const all = 2 ** width;
  const shifted = number * 2 ** by;
  return (shifted % all) + Math.floor(shifted / all);
}

// Node subnets of one network, and the node annotation that lists them with those of other networks. Valid subnets of the
// annotation are kept, and missing ones are allocated. An invalid annotation is never overwritten; the user must repair it.
//
//   k8s.ovn.org/node-subnets: {"default":["10.128.0.0/23","fd01:0:0:1::/64"],"ns_net":["10.200.0.0/24"]}

/** Node subnets or node ids are exhausted. */
export class ExhaustedError extends Error {}

const NOTHING: ReadonlySet<string> = new Set();

export class NodeParts {
  readonly #network: string;
  readonly #ranges: readonly SubnetRange[];
  readonly families: readonly (4 | 6)[];

  constructor(network: string, subnets: readonly ClusterSubnet[]) {
    this.#network = network;
    this.#ranges = subnets.map((subnet) => new SubnetRange(subnet));
    this.families = ([4, 6] as const).filter((family) => subnets.some(({ cidr }) => cidr.family === family));
  }

  /** Reserves the subnets of the node's annotation that no other node has. */
  keep(node: string, text: string | undefined): void {
    this.#valid(node, readNodeSubnets(text)?.[this.#network] ?? []);
  }

  release(node: string): void {
    for (const range of this.#ranges) range.keepOnly(node, NOTHING);
  }

  /** The annotation to write; undefined if it is unchanged or invalid. Throws ExhaustedError. */
  wanted(node: string, text: string | undefined): string | undefined {
    const networks = readNodeSubnets(text);
    if (networks === undefined) return undefined;
    const written = networks[this.#network] ?? [];
    const valid = this.#valid(node, written);
    const has = new Set(valid.map(({ family }) => family));
    const missing = this.families.filter((family) => !has.has(family));
    const subnets = valid.map(({ subnet }) => subnet);
    try {
      for (const family of missing) subnets.push(this.#add(node, family));
    } finally {
      const kept = new Set(subnets.map((subnet) => parseCidr(subnet)?.text ?? subnet));
      for (const range of this.#ranges) range.keepOnly(node, kept);
    }
    if (missing.length === 0 && valid.length === written.length) return undefined;
    return nodeSubnetsText({ ...networks, [this.#network]: subnets });
  }

  /** The valid subnets of the annotation: at most one of each family. */
  #valid(node: string, written: readonly string[]): { subnet: string; family: 4 | 6 }[] {
    const valid: { subnet: string; family: 4 | 6 }[] = [];
    for (const subnet of written) {
      const family = parseCidr(subnet)?.family;
      if (family === undefined || valid.some((other) => other.family === family)) continue;
      if (this.#ranges.some((range) => range.reserve(node, subnet))) valid.push({ subnet, family });
    }
    return valid;
  }

  #add(node: string, family: 4 | 6): string {
    for (const range of this.#ranges) {
      const subnet = range.family === family ? range.allocate(node) : undefined;
      if (subnet !== undefined) return subnet;
    }
    throw new ExhaustedError(`no IPv${family} subnet is left for node ${node}`);
  }
}

/**
 * Parses network → subnets; empty without an annotation, undefined if it is invalid. Values are lists, or all are single
 * subnets.
 */
export function readNodeSubnets(text: string | undefined): Record<string, string[]> | undefined {
  if (text === undefined) return {};
  const value = parsedObject(text);
  if (!value) return undefined;
  const entries = Object.entries(value);
  const areSingle = entries.every(([, subnet]) => typeof subnet === "string");
  const networks: Record<string, string[]> = {};
  for (const [name, given] of entries) {
    const subnets: unknown = areSingle ? [given] : (given ?? []);
    if (!isListOfSubnets(subnets)) return undefined;
    networks[name] = subnets;
  }
  return networks;
}

const isListOfSubnets = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string" && parseCidr(item) !== undefined);

/** The annotation's text, with sorted networks. */
export const nodeSubnetsText = (networks: Readonly<Record<string, readonly string[]>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(networks).sort(([a], [b]) => (a < b ? -1 : 1))));

const readOf = memoize((_object: KubeObject) => new Map<string, unknown>());

/** Parses the JSON of an annotation, memoized by object. Callers must not modify the result. */
export function readAnnotation(object: KubeObject, key: string): unknown {
  const read = readOf(object);
  if (!read.has(key)) read.set(key, parsedJson(object.metadata.annotations?.[key]));
  return read.get(key);
}
