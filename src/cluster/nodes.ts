// Nodes as the simulated kubelets see them: whether a node is simulated, whether its machine is up, and where its Lease
// is stored.
import { numberAt, objectAt, objectsAt, textAt } from "../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../apimachinery/meta/object-meta.ts";
import { resourceIn } from "../controller/api.ts";
import { hasFailed } from "./node-annotations.ts";

export const LEASES = resourceIn("coordination.k8s.io", "v1", "leases");
/** The namespace of kubelet Leases, which have the names of their nodes. */
export const LEASE_NAMESPACE = "kube-node-lease";
/** The default leaseDurationSeconds of a kubelet. */
export const LEASE_SECONDS = 40;
/** A Node annotation: the external agent that acts as its kubelet. "" and "false" mean none. */
const AGENT_ANNOTATION = "egret.dev/agent";

/** An external agent runs the pods of this node. */
export const hasAgent = ({ metadata }: KubeObject): boolean => {
  const agent = metadata.annotations?.[AGENT_ANNOTATION] ?? "";
  return agent !== "" && agent !== "false";
};

/** The node's kubelet is simulated here, and its machine is up. */
export const isPlayed = (node: KubeObject | undefined): node is KubeObject =>
  node !== undefined && !hasAgent(node) && !hasFailed(node);

/** When the Lease was last renewed, in milliseconds. NaN: it has no renewTime. */
export const renewedMs = (lease: KubeObject | undefined): number =>
  Date.parse(textAt(specOf(lease), "renewTime"));

/** The lease duration in milliseconds, 40 s by default. */
export const leaseMs = (lease: KubeObject | undefined): number =>
  (numberAt(specOf(lease), "leaseDurationSeconds") ?? LEASE_SECONDS) * 1000;

/** The node's addresses of that type in its status. */
export const nodeAddresses = (node: KubeObject, type: string): string[] =>
  objectsAt(objectAt(node, "status"), "addresses")
    .filter((address) => address["type"] === type)
    .map((address) => textAt(address, "address"));
