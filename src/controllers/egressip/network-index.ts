// Which nodes have a network for an address, without asking every node: networks are found by cutting the address to
// each prefix length in use.
//
//   4/24 → { 192.168.126.0 → { primary: n1 n2, secondary: n3 } }
import { type Cidr, type IpAddress, maskIp } from "../../meta/ip.ts";

export interface NetworkNodes<N> {
  readonly primary: Set<N>;
  readonly secondary: Set<N>;
}

export interface NodeNetworks {
  readonly primary: readonly Cidr[];
  readonly secondary: readonly Cidr[];
}

interface PrefixTable<N> {
  readonly prefix: number;
  readonly networks: Map<bigint, NetworkNodes<N>>;
}

export class NetworkIndex<N> {
  readonly #tables: Record<4 | 6, PrefixTable<N>[]> = { 4: [], 6: [] };

  add(node: N, networks: NodeNetworks): void {
    for (const cidr of networks.primary) this.#network(cidr).primary.add(node);
    for (const cidr of networks.secondary) this.#network(cidr).secondary.add(node);
  }

  remove(node: N, networks: NodeNetworks): void {
    for (const cidr of networks.primary) this.#take(cidr, "primary", node);
    for (const cidr of networks.secondary) this.#take(cidr, "secondary", node);
  }

  /** The networks that contain the address. */
  find(ip: IpAddress): NetworkNodes<N>[] {
    const found: NetworkNodes<N>[] = [];
    for (const { prefix, networks } of this.#tables[ip.family]) {
      const network = networks.get(maskIp(ip, prefix));
      if (network) found.push(network);
    }
    return found;
  }

  #network({ family, prefix, first }: Cidr): NetworkNodes<N> {
    let table = this.#tables[family].find((candidate) => candidate.prefix === prefix);
    if (!table) {
      table = { prefix, networks: new Map() };
      this.#tables[family].push(table);
    }
    let network = table.networks.get(first);
    if (!network) {
      network = { primary: new Set(), secondary: new Set() };
      table.networks.set(first, network);
    }
    return network;
  }

  #take({ family, prefix, first }: Cidr, role: keyof NodeNetworks, node: N): void {
    const at = this.#tables[family].findIndex((candidate) => candidate.prefix === prefix);
    const table = this.#tables[family][at];
    const network = table?.networks.get(first);
    if (!table || !network) return;
    network[role].delete(node);
    if (network.primary.size + network.secondary.size > 0) return;
    table.networks.delete(first);
    if (table.networks.size === 0) this.#tables[family].splice(at, 1);
  }
}
