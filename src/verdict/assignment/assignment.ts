// How the controller of EgressIPs sees a cluster: the allocator as it would be after a start on these objects. The
// decisions are the controller's own.

import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { Allocator } from "./allocator.ts";
import { readCloudPrivateIpConfig } from "./cloud-request.ts";
import { type EgressIp, preloadItems, preloadRequests, readEgressIp } from "./egress-ip.ts";
import { type NodeState, type NodeStateOptions, readNodeState } from "./node-state.ts";
import { type Plan, planEgressIp, rulesOf } from "./plan.ts";

const egressIpOf = oncePer(readEgressIp);

/** By the options, what is read of a node; it is another object with every change. */
const readings = new Map<string, (node: KubeObject) => NodeState>();

function nodeReader(options: NodeStateOptions): (node: KubeObject) => NodeState {
  const key = JSON.stringify(options);
  let read = readings.get(key);
  if (read === undefined) {
    read = oncePer((node: KubeObject) => {
      const state = readNodeState(node, undefined, options);
      return { ...state, reachable: state.answers };
    });
    readings.set(key, read);
  }
  return read;
}

class Assignment {
  readonly allocator = new Allocator();
  readonly egressIps: ReadonlyMap<string, EgressIp>;
  readonly rules: ReturnType<typeof rulesOf>;
  readonly #sticky: boolean;

  constructor({ snapshot, facts }: Cluster) {
    const { onCloud, product } = facts;
    this.rules = rulesOf(product);
    this.#sticky = onCloud;
    const readNode = nodeReader({
      onCloud,
      hostCidrs: this.rules.hostCidrs,
      noHostSubnet: this.rules.noHostSubnet,
    });
    for (const node of snapshot.list("nodes")) this.allocator.setNode(readNode(node));
    const all = snapshot.list("egressips.k8s.ovn.org").map(egressIpOf);
    all.sort((a, b) => (a.name < b.name ? -1 : 1));
    this.egressIps = new Map(all.map((egressIp) => [egressIp.name, egressIp]));
    if (facts.held) {
      for (const { egressIp, address, node } of facts.held) this.allocator.allocate(egressIp, address, node);
    } else if (onCloud) {
      const configs = [...snapshot.list("cloudprivateipconfigs.cloud.network.openshift.io")];
      preloadRequests(this.allocator, all, configs.map(readCloudPrivateIpConfig));
    } else {
      preloadItems(this.allocator, all);
    }
  }

  /** What the controller would do about an EgressIP if it looked at it now; undefined: nothing, since the spec is invalid. */
  plan(egressIp: EgressIp): Plan | undefined {
    return planEgressIp(this.allocator, egressIp, { ...this.rules, sticky: this.#sticky });
  }
}

export const assignmentOf = oncePer((cluster: Cluster) => new Assignment(cluster));

export type { Assignment };
