// The parts of one network that nodes have, and the annotation of a node in which they stand beside those of other
// networks. What the annotation says stays so if it can; the rest is given to the node. One that cannot be read is
// somebody's mistake, and stays for him to mend.
//
//   k8s.ovn.org/node-subnets: {"default":["10.128.0.0/23","fd01:0:0:1::/64"],"ns_net":["10.200.0.0/24"]}
import { oncePerObject } from "../../client/once-per-object.ts";
import { parseCidr } from "../../meta/ip.ts";
import { parsedJson, parsedObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type ClusterSubnet, SubnetRange } from "./cluster-subnets.ts";

export const NODE_SUBNETS_ANNOTATION = "k8s.ovn.org/node-subnets";

/** A network, or the numbers of nodes, are used up. */
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

  /** Takes over what the node's annotation says, as far as no other node has it. */
  keep(node: string, text: string | undefined): void {
    this.#valid(node, readNodeSubnets(text)?.[this.#network] ?? []);
  }

  release(node: string): void {
    for (const range of this.#ranges) range.keepOnly(node, NOTHING);
  }

  /** The annotation to write; undefined if the one there will do, or cannot be read. Throws ExhaustedError. */
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

  /** Those that are the node's to keep: one of each family in use. */
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
 * Network → subnets; empty without an annotation, undefined when it cannot be read. Each network has a list, or each has a
 * single subnet.
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

/** The text of the annotation, its networks sorted. */
export const nodeSubnetsText = (networks: Readonly<Record<string, readonly string[]>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(networks).sort(([a], [b]) => (a < b ? -1 : 1))));

const readOf = oncePerObject(() => new Map<string, unknown>());

/** The JSON in an annotation of an object that many ask: each is read once. Nobody may change what he gets. */
export function readAnnotation(object: KubeObject, key: string): unknown {
  const read = readOf(object);
  if (!read.has(key)) read.set(key, parsedJson(object.metadata.annotations?.[key]));
  return read.get(key);
}
