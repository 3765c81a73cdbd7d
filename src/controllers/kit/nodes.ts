// Nodes as those see them who play what runs there: whose a node is, whether its machine is up, and where its Lease is kept.
import { numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { hasFailed } from "../../verdict/assignment/node-state.ts";
import { resourceIn } from "./api.ts";

export const LEASES = resourceIn("coordination.k8s.io", "v1", "leases");
/** Where kubelets keep their Leases, by the names of the nodes. */
export const LEASE_NAMESPACE = "kube-node-lease";
/** What a kubelet asks for unless told otherwise. */
export const LEASE_SECONDS = 40;
/** An annotation of a Node: who plays its kubelet. "" and "false" are nobody. */
const AGENT_ANNOTATION = "egret.dev/agent";

/** Somebody outside runs the pods of this node. */
export const hasAgent = ({ metadata }: KubeObject): boolean => {
  const agent = metadata.annotations?.[AGENT_ANNOTATION] ?? "";
  return agent !== "" && agent !== "false";
};

/** The node's kubelet is played here, and its machine is up. */
export const isPlayed = (node: KubeObject | undefined): node is KubeObject =>
  node !== undefined && !hasAgent(node) && !hasFailed(node);

/** When the Lease was renewed last, in milliseconds; NaN: it does not say. */
export const renewedMs = (lease: KubeObject | undefined): number =>
  Date.parse(textAt(specOf(lease), "renewTime"));

/** How long the holder of the Lease asks to be trusted. */
export const leaseMs = (lease: KubeObject | undefined): number =>
  (numberAt(specOf(lease), "leaseDurationSeconds") ?? LEASE_SECONDS) * 1000;

/** Its addresses of that type, as its status says them. */
export const nodeAddresses = (node: KubeObject, type: string): string[] =>
  objectsAt(objectAt(node, "status"), "addresses")
    .filter((address) => address["type"] === type)
    .map((address) => textAt(address, "address"));
