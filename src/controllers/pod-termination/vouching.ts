// Who answers for a node: a kubelet that renews the node's Lease, or an agent that says so on the Node. Somebody who does
// ends the pods of his node himself.
import { numberAt, objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

/** Where kubelets keep their Leases, by the names of the nodes. */
export const LEASE_NAMESPACE = "kube-node-lease";
/** An annotation of a Node: who plays its kubelet. "" and "false" are nobody. */
export const AGENT_ANNOTATION = "egret.dev/agent";
/** What a kubelet asks for unless told otherwise. */
const LEASE_SECONDS = 40;

/** Until when somebody answers for the node, in milliseconds; Infinity: as long as the objects are as they are. */
export function vouchedUntil(node: KubeObject | undefined, lease: KubeObject | undefined): number {
  const agent = node?.metadata.annotations?.[AGENT_ANNOTATION] ?? "";
  if (agent !== "" && agent !== "false") return Number.POSITIVE_INFINITY;
  const spec = lease && objectAt(lease, "spec");
  const renewed = Date.parse(textAt(spec, "renewTime"));
  if (Number.isNaN(renewed)) return 0;
  return renewed + (numberAt(spec, "leaseDurationSeconds") ?? LEASE_SECONDS) * 1000;
}
