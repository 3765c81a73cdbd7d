// How the controller of EgressIPs sees a cluster: the allocator as it would be after a start on these objects. The
// decisions are the controller's own.

import { oncePer } from "../../meta/once-per.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { Allocator } from "./allocator.ts";
import { readCloudPrivateIpConfig } from "./cloud-request.ts";
import { type EgressIp, preloadItems, preloadRequests, readEgressIp } from "./egress-ip.ts";
import { isUsable, type NodeState, readNodeState } from "./node-state.ts";
import { type Plan, planEgressIp } from "./plan.ts";

class Assignment {
  readonly allocator = new Allocator();
  readonly egressIps: ReadonlyMap<string, EgressIp>;
  readonly #options: { readonly sticky: boolean; readonly conflictEndsSearch: boolean };

  constructor({ snapshot, facts }: Cluster) {
    const { onCloud, product } = facts;
    const isOlder = product === "openshift-4.13";
    this.#options = { sticky: onCloud, conflictEndsSearch: isOlder };
    const states: NodeState[] = [];
    for (const node of snapshot.list("nodes")) {
      const state = readNodeState(node, undefined, { onCloud, hostCidrs: !isOlder });
      states.push({ ...state, reachable: state.answers });
    }
    for (const state of states) this.allocator.setNode(state);
    const all = [...snapshot.list("egressips.k8s.ovn.org")].map(readEgressIp);
    all.sort((a, b) => (a.name < b.name ? -1 : 1));
    this.egressIps = new Map(all.map((egressIp) => [egressIp.name, egressIp]));
    if (facts.held)
      for (const { egressIp, address, node } of facts.held) this.allocator.allocate(egressIp, address, node);
    else {
      preloadItems(this.allocator, all);
    }
    if (!facts.held && onCloud) {
      const configs = [...snapshot.list("cloudprivateipconfigs.cloud.network.openshift.io")];
      preloadRequests(this.allocator, all, configs.map(readCloudPrivateIpConfig));
    }
    // A node that must not be used has lost what it held, whatever the statuses say.
    for (const state of states) if (!isUsable(state)) this.allocator.setNode(state);
  }

  /** What the controller would do about an EgressIP if it looked at it now; undefined: nothing, since the spec is invalid. */
  plan(egressIp: EgressIp): Plan | undefined {
    return planEgressIp(this.allocator, egressIp, this.#options);
  }
}

export const assignmentOf = oncePer((cluster: Cluster) => new Assignment(cluster));

export type { Assignment };
