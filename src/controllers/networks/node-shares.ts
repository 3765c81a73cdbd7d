// Each node gets a part of a Layer3 network's subnets, in each family, and has it noted in its annotations. Nodes are
// served in the order of their names.

import type { Client } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { NODE_SUBNETS_ANNOTATION } from "../../verdict/assignment/node-state.ts";
import { byName, ignoring, keyOfObject, NODES } from "../kit/api.ts";
import {
  type ClusterSubnet,
  ExhaustedError,
  NodeParts,
  nodeSubnetsText,
  readNodeSubnets,
} from "../network-annotations/cluster-subnets.ts";

export interface FailedNode {
  readonly node: string;
  readonly error: string;
}

export class NodeShares {
  readonly #client: Client;
  readonly #nodes: Informer;
  /** By network; and of which subnets, to notice when they change. */
  readonly #shares = new Map<string, { readonly of: string; readonly parts: NodeParts }>();

  constructor(client: Client, nodes: Informer) {
    this.#client = client;
    this.#nodes = nodes;
  }

  /** Gives every node its part; the first node for which nothing is left, if any. */
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

  /** A node is gone, and its parts are free. */
  release(node: string): void {
    for (const { parts } of this.#shares.values()) parts.release(node);
  }

  /** Takes the network out of all nodes' annotations. */
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

  /** Writes what change makes of the annotation, if anything. A node that has changed meanwhile is read anew. */
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

/** Whether the node's annotation could not be read before, so that no network could be served there. */
export const isReadableAgain = (old: KubeObject, node: KubeObject): boolean =>
  readNodeSubnets(textOf(old)) === undefined && readNodeSubnets(textOf(node)) !== undefined;

/** The networks of which the two states of a node say different things. */
export function networksWithNews(old: KubeObject, node: KubeObject): string[] {
  if (textOf(old) === textOf(node)) return [];
  const [before, after] = [subnetsOn(old), subnetsOn(node)];
  const networks = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...networks].filter((network) => before[network]?.join() !== after[network]?.join());
}

/** The networks in a node's annotation that can only be of user-defined networks: no other name has such a letter. */
export const userNetworksOn = (node: KubeObject): string[] =>
  Object.keys(subnetsOn(node)).filter((network) => network.includes("_"));

const subnetsOn = (node: KubeObject): Record<string, string[]> => readNodeSubnets(textOf(node)) ?? {};

const textOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[NODE_SUBNETS_ANNOTATION];
