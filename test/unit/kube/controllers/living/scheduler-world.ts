// Nodes and pods for tests of scheduling decisions, without an API.

import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { ClusterState } from "../../../../../src/cluster/scheduler/cluster-state.ts";
import { type Decision, Placing } from "../../../../../src/cluster/scheduler/place.ts";
import type { Circumstances } from "../../../../../src/cluster/scheduler/preemption.ts";

export const ZONE = "topology.kubernetes.io/zone";
export const HOST = "kubernetes.io/hostname";

export function node(
  name: string,
  more: { labels?: Record<string, string>; spec?: JsonObject; allocatable?: JsonObject } = {},
): KubeObject {
  const allocatable = { cpu: "2", memory: "4Gi", pods: "10", ...more.allocatable };
  return {
    kind: "Node",
    metadata: { name, labels: { [HOST]: name, ...more.labels } },
    spec: more.spec ?? {},
    status: { allocatable },
  };
}

let uids = 0;
export function pod(
  name: string,
  spec: JsonObject = {},
  labels: Record<string, string> = {},
  metadata: KubeObject["metadata"] = {},
): KubeObject {
  const containers = [{ name: "c", image: "i", resources: { requests: spec["requests"] ?? {} } }];
  return {
    kind: "Pod",
    metadata: { namespace: "a", name, uid: `uid-${uids++}`, generation: 1, labels, ...metadata },
    spec: { containers, ...spec },
  };
}

export class Cluster {
  readonly state = new ClusterState();
  readonly placing = new Placing(this.state);

  constructor(...nodes: KubeObject[]) {
    for (const item of nodes) this.state.setNode(item, false);
    this.state.setNamespace({ metadata: { name: "a", labels: { team: "x" } } }, false);
  }

  decide(object: KubeObject, circumstances?: Circumstances): Decision {
    this.state.setPod(object, false);
    const info = this.state.pending.get(`a/${object.metadata.name}`);
    if (!info) throw new Error("the pod wants no node");
    return this.placing.decide(info, circumstances);
  }

  /** Decides, and counts the pod there. */
  place(object: KubeObject): string {
    const decision = this.decide(object);
    const info = this.state.pending.get(`a/${object.metadata.name}`);
    if (!("node" in decision) || !info) throw new Error(JSON.stringify(decision));
    this.state.assume(info, decision.node);
    return decision.node;
  }
}

export const LAST = "no new claims to deallocate, preemption:";
export const HELPLESS = "No preemption victims found for incoming pod";
export const USELESS = "Preemption is not helpful for scheduling";
