// Each node gets a part of a Layer3 network's subnets, in each family. Nodes are served in the order of their names, so
// it is the last ones that go without when there are too few parts.
import type { SubnetEntry } from "./subnet-entries.ts";

export interface FailedNode {
  readonly node: string;
  readonly error: string;
}

/** The first node for which nothing is left; undefined when all are served. */
export function firstUnserved(
  nodes: readonly string[],
  subnets: readonly SubnetEntry[],
): FailedNode | undefined {
  const parts = ([4, 6] as const)
    .map((family) => subnets.filter(({ cidr }) => cidr.family === family))
    .filter((entries) => entries.length > 0)
    .map((entries) =>
      entries.reduce((sum, { cidr, hostSubnet }) => sum + 2 ** (hostSubnet - cidr.prefix), 0),
    );
  const served = Math.min(...parts);
  const node = [...nodes].sort()[served];
  if (node === undefined) return undefined;
  return { node, error: `error allocating network for node ${node}: no subnets available.` };
}
