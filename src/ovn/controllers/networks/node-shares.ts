// Node subnets of Layer3 networks: each node gets one for each family, in annotation k8s.ovn.org/node-subnets. Nodes are
// served in order of their names.

import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  type ClusterSubnet,
  ExhaustedError,
  NodeParts,
  nodeSubnetsText,
  readNodeSubnets,
} from "../../../cluster/cluster-subnets.ts";
import { NODE_SUBNETS_ANNOTATION } from "../../../cluster/node-annotations.ts";
import { byName, ignoring, keyOfObject, NODES } from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import type { Informer } from "../../../controller/informer.ts";

export interface FailedNode {
  readonly node: string;
  readonly error: string;
}

export class NodeShares {
  readonly #client: Client;
  readonly #nodes: Informer;
  /** By network; `of` is the text of its subnets, to detect changes. */
  readonly #shares = new Map<string, { readonly of: string; readonly parts: NodeParts }>();

  constructor(client: Client, nodes: Informer) {
    this.#client = client;
    this.#nodes = nodes;
  }

  /** Allocates a subnet for every node; returns the first node without a free subnet, if any. */
  async serve(network: string, subnets: readonly ClusterSubnet[]): Promise<FailedNode | undefined> {
    const { parts } = this.#sharesOf(network, subnets);
    const nodes = [...this.#nodes.list()].sort(byName);
    for (const node of nodes) parts.keep(keyOfObject(node), textOf(node));
    let failed: FailedNode | undefined;
    for (const node of nodes) {
      const name = keyOfObject(node);
      try {
        await this.#write(node, (text) => parts.wanted(name, text));
      } catch (error) {
        if (!(error instanceof ExhaustedError)) throw error;
        failed ??= { node: name, error: `error allocating network for node ${name}: no subnets available.` };
      }
    }
    return failed;
  }

  /** Releases the subnets of a deleted node. */
  release(node: string): void {
    for (const { parts } of this.#shares.values()) parts.release(node);
  }

  /** Removes the network from the annotations of all nodes. */
  async withdraw(network: string): Promise<void> {
    this.#shares.delete(network);
    for (const node of this.#nodes.list()) {
      await this.#write(node, (text) => {
        const { [network]: parts, ...others } = readNodeSubnets(text) ?? {};
        return parts && nodeSubnetsText(others);
      });
    }
  }

  #sharesOf(network: string, subnets: readonly ClusterSubnet[]) {
    const of = subnets.map(({ cidr, hostPrefix }) => `${cidr.text}/${hostPrefix}`).join();
    const known = this.#shares.get(network);
    if (known?.of === of) return known;
    const shares = { of, parts: new NodeParts(network, subnets) };
    this.#shares.set(network, shares);
    return shares;
  }

  /** Patches the annotation with the result of `change`, if any. On a conflict the node is read again. */
  async #write(node: KubeObject, change: (text: string | undefined) => string | undefined): Promise<void> {
    const key = { namespace: "", name: keyOfObject(node) };
    let at: KubeObject | undefined = node;
    while (at) {
      const text = change(textOf(at));
      if (text === undefined) return;
      const { resourceVersion } = at.metadata;
      const body = { metadata: { resourceVersion, annotations: { [NODE_SUBNETS_ANNOTATION]: text } } };
      const done = await ignoring([404, 409], this.#client.patch(NODES, key, { type: "merge", body }));
      if (done) return;
      at = await ignoring([404], this.#client.get(NODES, key));
    }
  }
}

/** Reports whether the node's annotation was invalid before, so that no network was served there. */
export const isReadableAgain = (old: KubeObject, node: KubeObject): boolean =>
  readNodeSubnets(textOf(old)) === undefined && readNodeSubnets(textOf(node)) !== undefined;

/** The networks whose subnets differ between two states of a node. */
export function networksWithNews(old: KubeObject, node: KubeObject): string[] {
  if (textOf(old) === textOf(node)) return [];
  const [before, after] = [subnetsOn(old), subnetsOn(node)];
  const networks = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...networks].filter((network) => before[network]?.join() !== after[network]?.join());
}

/** User-defined networks in a node's annotation: only their names contain an underscore. */
export const userNetworksOn = (node: KubeObject): string[] =>
  Object.keys(subnetsOn(node)).filter((network) => network.includes("_"));

const subnetsOn = (node: KubeObject): Record<string, string[]> => readNodeSubnets(textOf(node)) ?? {};

const textOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[NODE_SUBNETS_ANNOTATION];
