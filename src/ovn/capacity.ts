// Free capacity of nodes for egress addresses; 0 for nodes that are not eligible.
import type { IpFamily } from "../apimachinery/meta/ip.ts";
import { smallest } from "../apimachinery/meta/lists.ts";
import { assignmentOf } from "./assignment/assignment.ts";
import { isEligible, type NodeState } from "./assignment/node-state.ts";
import type { Cluster } from "./cluster/cluster.ts";

/** Free addresses by family; absent: unlimited. */
export interface Room {
  readonly ipv4?: number;
  readonly ipv6?: number;
}

const NONE: Room = { ipv4: 0, ipv6: 0 };

/** Free capacity by node name. */
export function roomsOf(cluster: Cluster): ReadonlyMap<string, Room> {
  const { allocator } = assignmentOf(cluster);
  return new Map(
    allocator.describe().map(({ node, allocations }) => {
      const state = allocator.node(node);
      return [node, state && isEligible(state) ? roomOn(state, Object.keys(allocations)) : NONE];
    }),
  );
}

function roomOn(state: NodeState, held: readonly string[]): Room {
  const { capacity, primary, secondary } = state;
  const left = (family: IpFamily): number | undefined => {
    if (![...primary, ...secondary].some((network) => network.family === family)) return 0;
    const ofFamily = held.filter((address) => address.includes(":") === (family === 6)).length;
    const own = family === 4 ? capacity.ipv4 : capacity.ipv6;
    const limits = [
      ...(own === undefined ? [] : [own - ofFamily]),
      ...(capacity.total === undefined ? [] : [capacity.total - held.length]),
    ];
    return limits.length === 0 ? undefined : Math.max(0, smallest(limits, Number.POSITIVE_INFINITY));
  };
  const [ipv4, ipv6] = [left(4), left(6)];
  return { ...(ipv4 === undefined ? {} : { ipv4 }), ...(ipv6 === undefined ? {} : { ipv6 }) };
}

export const roomText = ({ ipv4, ipv6 }: Room): string => `${ipv4 ?? "any"} IPv4, ${ipv6 ?? "any"} IPv6`;
