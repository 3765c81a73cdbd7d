// The EgressIP controller: places the addresses of EgressIPs on nodes and says so in their status. The decisions are
// made in plan.ts and node-events.ts, and how they reach the API is the placement's; here they are joined.

import { type LabelSelector, parseLabelSelector } from "../../meta/label-selector.ts";
import { CLOUD_PRIVATE_IP_CONFIGS } from "../cloud/cloud-private-ip-config.ts";
import { NODES } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Change, Keys } from "../kit/definition.ts";
import { ReachabilityCheck } from "../kit/reachability.ts";
import type { ControllerSettings } from "../kit/settings.ts";
import type { Allocator } from "./allocator.ts";
import { CloudPlacement } from "./cloud-placement.ts";
import { EGRESS_IPS, readEgressIp } from "./egress-ip.ts";
import { checkReachability, dropNode, isMisjudged, takeNode } from "./node-events.ts";
import { type NodeState, type NodeStateOptions, readNodeState } from "./node-state.ts";
import { createDirectPlacement, type EgressIpKit, type Placement, productOf, Standing } from "./placement.ts";

const isOnCloud = ({ platform }: ControllerSettings): boolean => platform !== "none";

export interface EgressIpOptions {
  /** Only nodes that have k8s.ovn.org/node-subnets are used. */
  readonly requireNodeSubnets?: boolean;
  /** Label selector of nodes that are not looked at in any way, their own addresses included. */
  readonly ignoredNodes?: string;
}

export const egressIp = (options: EgressIpOptions = {}) =>
  defineController({
    name: "egressip",
    summary: "places the addresses of EgressIPs on nodes; status, mark, events",
    fieldManager: "ovnkube-cluster-manager",
    events: (settings) => productOf(settings).eventComponent,
    memory: (kit: EgressIpKit) => new EgressIps(kit, options),
    watches: {
      nodes: { resource: NODES, take: (change, { memory }) => memory.takeNode(change) },
      egressIps: {
        resource: EGRESS_IPS,
        take: (change, { memory }) => memory.takeEgressIp(change),
        toKeys: (change, { memory }) => memory.followUp(change),
      },
      configs: {
        resource: CLOUD_PRIVATE_IP_CONFIGS,
        isWanted: isOnCloud,
        take: (change, { memory }) => memory.placement.hear?.(change),
      },
    },
    prepare: ({ memory }) => memory.prepare(),
    reconcile: (name, { memory }) => memory.placement.reconcile(name),
  });

/** What the controller of EgressIPs remembers. */
export class EgressIps {
  readonly placement: Placement;
  readonly #standing: Standing;
  readonly #nodeOptions: NodeStateOptions;
  readonly #ignoredNodes: LabelSelector | undefined;
  readonly #reachability: ReachabilityCheck;

  constructor(kit: EgressIpKit, { requireNodeSubnets = false, ignoredNodes }: EgressIpOptions) {
    this.#standing = new Standing(kit);
    const { hostCidrs } = this.#standing.product;
    const onCloud = isOnCloud(kit.settings);
    this.#nodeOptions = { requireNodeSubnets, onCloud, hostCidrs };
    this.#ignoredNodes = ignoredNodes ? parseLabelSelector(ignoredNodes) : undefined;
    this.placement = onCloud ? new CloudPlacement(this.#standing) : createDirectPlacement(this.#standing);
    this.#reachability = new ReachabilityCheck(kit, () => {
      const { allocator, index } = this.#standing;
      kit.look(checkReachability(allocator, index));
    });
  }

  describe(): ReturnType<Allocator["describe"]> {
    return this.#standing.allocator.describe();
  }

  /** What the statuses say was allocated before is so still: a restart moves nothing. */
  prepare(): Keys {
    const { index, marks, allocator } = this.#standing;
    const all = index.all();
    for (const { name, mark } of all) if (mark !== undefined) marks.reserve(name, mark);
    const orphaned = this.placement.prepare(all);
    this.#expectCheck(allocator.nodes());
    return [...orphaned, ...all.map(({ name }) => name)];
  }

  takeEgressIp({ type, object }: Change): void {
    const { index, allocator, marks, kit } = this.#standing;
    if (type !== "delete") {
      index.set(readEgressIp(object));
      return;
    }
    // Everything is freed at once, so that whatever comes after it in the line finds it free.
    const { name = "" } = object.metadata;
    const egressIp = index.get(name);
    index.delete(name);
    kit.queue.forget(name);
    if (egressIp) this.placement.gone?.(egressIp);
    allocator.releaseAll(name);
    marks.release(name);
  }

  /** What else follows from a change, once the start is over. */
  followUp({ type, object, old }: Change): Keys {
    const now = readEgressIp(object);
    const { name, mark } = now;
    if (type === "delete") return this.placement.gone ? [name] : [];
    if (mark !== undefined) this.#standing.marks.reserve(name, mark);
    this.placement.changed?.(old && readEgressIp(old), now);
    return [name];
  }

  takeNode({ type, object }: Change): Keys {
    const { allocator, index } = this.#standing;
    const { name = "", labels } = object.metadata;
    if (type === "delete" || this.#ignoredNodes?.matches(labels)) {
      return dropNode(allocator, index, name);
    }
    const before = allocator.node(name);
    const state = readNodeState(object, before, this.#nodeOptions);
    const affected = takeNode(allocator, index, before, state);
    const settled = allocator.node(name);
    if (settled) this.#expectCheck([settled]);
    return affected;
  }

  /** Nodes are asked only when some would answer otherwise than they are held to. */
  #expectCheck(nodes: readonly NodeState[]): void {
    if (nodes.some(isMisjudged)) this.#reachability.expect();
  }
}
