// The state of the EgressIP controller for a snapshot: the allocator as rebuilt after a start. Plans come from the same code
// as in the controller.

import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { type Coroutine, runSync } from "../../apimachinery/scheduling/coroutine.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { Allocator } from "./allocator.ts";
import { readCloudPrivateIpConfig } from "./cloud-request.ts";
import { type EgressIp, preloadItemsSteps, preloadRequestsSteps, readEgressIp } from "./egress-ip-spec.ts";
import { type NodeState, type NodeStateOptions, readNodeState } from "./node-state.ts";
import { type Plan, planEgressIp, rulesOf } from "./plan.ts";

const egressIpOf = memoize(readEgressIp);

/** Memoized node readers by options; a changed node is a new object. */
const readings = new Map<string, (node: KubeObject) => NodeState>();

function nodeReader(options: NodeStateOptions): (node: KubeObject) => NodeState {
  const key = JSON.stringify(options);
  let read = readings.get(key);
  if (read === undefined) {
    read = memoize((node: KubeObject) => {
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

  private constructor({ facts: { onCloud, product } }: Cluster, egressIps: readonly EgressIp[]) {
    this.rules = rulesOf(product);
    this.#sticky = onCloud;
    this.egressIps = new Map(egressIps.map((egressIp) => [egressIp.name, egressIp]));
  }

  /** In steps that yield, for large clusters. */
  static *of(cluster: Cluster): Coroutine<Assignment> {
    const { snapshot } = cluster;
    const all: EgressIp[] = [];
    for (const object of snapshot.list("egressips.k8s.ovn.org")) {
      all.push(egressIpOf(object));
      yield;
    }
    all.sort((a, b) => (a.name < b.name ? -1 : 1));
    const assignment = new Assignment(cluster, all);
    yield* assignment.#fill(cluster, all);
    return assignment;
  }

  *#fill({ snapshot, facts: { onCloud, held } }: Cluster, all: readonly EgressIp[]): Coroutine<void> {
    const { allocator, rules } = this;
    const { hostCidrs, noHostSubnet } = rules;
    const readNode = nodeReader({ onCloud, hostCidrs, noHostSubnet });
    for (const node of snapshot.list("nodes")) {
      allocator.setNode(readNode(node));
      yield;
    }
    if (held) {
      for (const { egressIp, address, node } of held) allocator.allocate(egressIp, address, node);
    } else if (onCloud) {
      const configs = [...snapshot.list("cloudprivateipconfigs.cloud.network.openshift.io")];
      yield* preloadRequestsSteps(allocator, all, configs.map(readCloudPrivateIpConfig));
    } else {
      yield* preloadItemsSteps(allocator, all);
    }
  }

  /** The plan of the next reconcile of an EgressIP; undefined if its spec is invalid. */
  plan(egressIp: EgressIp): Plan | undefined {
    return planEgressIp(this.allocator, egressIp, { ...this.rules, sticky: this.#sticky });
  }
}

const known = new WeakMap<Cluster, Assignment>();

/** Memoized by cluster. */
export function* readAssignment(cluster: Cluster): Coroutine<Assignment> {
  const assignment = known.get(cluster) ?? (yield* Assignment.of(cluster));
  known.set(cluster, assignment);
  return assignment;
}

export const assignmentOf = (cluster: Cluster): Assignment => runSync(readAssignment(cluster));

export type { Assignment };
