// What the network of a node is: its parts of the cluster networks, its number, and its addresses on the network that
// joins all nodes. What a node's annotations say stays so if it can; the rest is given to it.
import { type Cidr, ipFromValue, parseCidr } from "../../meta/ip.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ClusterSubnet } from "./cluster-subnets.ts";
import { NodeIds } from "./node-ids.ts";
import { SubnetRange } from "./subnet-range.ts";

const SUBNETS = "k8s.ovn.org/node-subnets";
const ID = "k8s.ovn.org/node-id";
const TRANSIT_ADDRESSES = "k8s.ovn.org/node-transit-switch-port-ifaddr";
const DEFAULT_NETWORK = "default";
const TRANSIT = { 4: "100.88.0.0/16", 6: "fd97::/64" } as const;

const NOTHING: ReadonlySet<string> = new Set();

/** The cluster network or the numbers are used up. */
export class ExhaustedError extends Error {}

export class NodeNetworks {
  readonly #ranges: readonly SubnetRange[];
  readonly #families: readonly (4 | 6)[];
  readonly #ids = new NodeIds();

  constructor(subnets: readonly ClusterSubnet[]) {
    this.#ranges = subnets.map((subnet) => new SubnetRange(subnet));
    this.#families = ([4, 6] as const).filter((family) =>
      this.#ranges.some((range) => range.family === family),
    );
  }

  /** Takes over what the node's annotations say, as far as no other node has it. */
  keep({ metadata }: KubeObject): void {
    const { name = "", annotations = {} } = metadata;
    this.#ids.reserve(name, annotations[ID]);
    this.#validSubnets(name, annotations[SUBNETS]);
  }

  release(node: string): void {
    this.#ids.release(node);
    for (const range of this.#ranges) range.keepOnly(node, NOTHING);
  }

  /** The annotations that the node lacks or has wrong; undefined if there are none. Throws ExhaustedError. */
  missing({ metadata }: KubeObject): Record<string, string> | undefined {
    const { name = "", annotations = {} } = metadata;
    const subnets = this.#subnets(name, annotations[SUBNETS]);
    this.#ids.reserve(name, annotations[ID]);
    const id = this.#ids.idOf(name);
    if (id === undefined) throw new ExhaustedError(`no number is left for node ${name}`);
    const wanted: Record<string, string> = {
      ...(subnets === undefined ? {} : { [SUBNETS]: subnets }),
      [ID]: String(id),
      [TRANSIT_ADDRESSES]: this.#transitAddresses(id),
    };
    const changes = Object.entries(wanted).filter(([key, value]) => annotations[key] !== value);
    return changes.length === 0 ? undefined : Object.fromEntries(changes);
  }

  /** The annotation to write; undefined if the one there will do. */
  #subnets(node: string, text: string | undefined): string | undefined {
    const networks = readNetworks(text);
    const written = networks[DEFAULT_NETWORK] ?? [];
    const valid = this.#validSubnets(node, text);
    const has = new Set(valid.map(({ family }) => family));
    const added = this.#families
      .filter((family) => !has.has(family))
      .map((family) => this.#add(node, family));
    const subnets = [...valid.map(({ subnet }) => subnet), ...added];
    const kept = new Set(subnets.map((subnet) => parseCidr(subnet)?.text ?? subnet));
    for (const range of this.#ranges) range.keepOnly(node, kept);
    if (added.length === 0 && valid.length === written.length) return undefined;
    networks[DEFAULT_NETWORK] = subnets;
    return JSON.stringify(Object.fromEntries(Object.entries(networks).sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  /** Those that are the node's to keep: one of each family in use. */
  #validSubnets(node: string, text: string | undefined): { subnet: string; family: 4 | 6 }[] {
    const valid: { subnet: string; family: 4 | 6 }[] = [];
    for (const subnet of readNetworks(text)[DEFAULT_NETWORK] ?? []) {
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

  #transitAddresses(id: number): string {
    const addresses = this.#families.map((family) => [
      `ipv${family}`,
      addressIn(parseCidr(TRANSIT[family]), id),
    ]);
    return JSON.stringify(Object.fromEntries(addresses));
  }
}

const addressIn = (network: Cidr | undefined, offset: number): string =>
  network ? `${ipFromValue(network.family, network.first + BigInt(offset)).text}/${network.prefix}` : "";

/** Network → subnets; an annotation that cannot be read is as good as none. One subnet may stand without a list. */
function readNetworks(text: string | undefined): Record<string, string[]> {
  const networks: Record<string, string[]> = {};
  let value: unknown;
  try {
    value = JSON.parse(text ?? "{}");
  } catch {
    return networks;
  }
  for (const [name, subnets] of Object.entries(isObject(value) ? value : {})) {
    networks[name] = (Array.isArray(subnets) ? subnets : [subnets]).map(String);
  }
  return networks;
}
