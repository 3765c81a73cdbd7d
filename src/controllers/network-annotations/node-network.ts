// What the network of a node is: its parts of the cluster networks, its number, and its addresses on the network that
// joins all nodes.
import { type Cidr, ipFromValue, parseCidr } from "../../meta/ip.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ClusterSubnet } from "./cluster-subnets.ts";
import { NodeIds } from "./node-ids.ts";
import { ExhaustedError, NODE_SUBNETS_ANNOTATION, NodeParts } from "./node-parts.ts";

const ID = "k8s.ovn.org/node-id";
const TRANSIT_ADDRESSES = "k8s.ovn.org/node-transit-switch-port-ifaddr";
const DEFAULT_NETWORK = "default";
const TRANSIT = { 4: "100.88.0.0/16", 6: "fd97::/64" } as const;

export class NodeNetworks {
  readonly #parts: NodeParts;
  readonly #ids = new NodeIds();

  constructor(subnets: readonly ClusterSubnet[]) {
    this.#parts = new NodeParts(DEFAULT_NETWORK, subnets);
  }

  /** Takes over what the node's annotations say, as far as no other node has it. */
  keep({ metadata }: KubeObject): void {
    const { name = "", annotations = {} } = metadata;
    this.#ids.reserve(name, annotations[ID]);
    this.#parts.keep(name, annotations[NODE_SUBNETS_ANNOTATION]);
  }

  release(node: string): void {
    this.#ids.release(node);
    this.#parts.release(node);
  }

  /** The annotations that the node lacks or has wrong; undefined if there are none. Throws ExhaustedError. */
  missing({ metadata }: KubeObject): Record<string, string> | undefined {
    const { name = "", annotations = {} } = metadata;
    const subnets = this.#parts.wanted(name, annotations[NODE_SUBNETS_ANNOTATION]);
    this.#ids.reserve(name, annotations[ID]);
    const id = this.#ids.idOf(name);
    if (id === undefined) throw new ExhaustedError(`no number is left for node ${name}`);
    const wanted: Record<string, string> = {
      ...(subnets === undefined ? {} : { [NODE_SUBNETS_ANNOTATION]: subnets }),
      [ID]: String(id),
      [TRANSIT_ADDRESSES]: this.#transitAddresses(id),
    };
    const changes = Object.entries(wanted).filter(([key, value]) => annotations[key] !== value);
    return changes.length === 0 ? undefined : Object.fromEntries(changes);
  }

  #transitAddresses(id: number): string {
    const addresses = this.#parts.families.map((family) => [
      `ipv${family}`,
      addressIn(parseCidr(TRANSIT[family]), id),
    ]);
    return JSON.stringify(Object.fromEntries(addresses));
  }
}

const addressIn = (network: Cidr | undefined, offset: number): string =>
  network ? `${ipFromValue(network.family, network.first + BigInt(offset)).text}/${network.prefix}` : "";
