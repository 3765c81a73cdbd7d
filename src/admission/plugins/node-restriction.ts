// NodeRestriction, where it is asked for: a kubelet writes what belongs to its own node, and no more: its Node, its Lease, the
// status of its Pods, and pictures of what it runs on its own account.
import { equalJson, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import type { AdmissionAttributes } from "../../registry/admission.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import type { Store } from "../../storage/store.ts";
import { refuse } from "../request.ts";
import { type AdmittingPlugin, MIRROR_ANNOTATION, type PluginDeps } from "./about.ts";

const NODES_GROUP = "system:nodes";
const NODE_PREFIX = "system:node:";

export const createNodeRestriction = ({ store }: PluginDeps): AdmittingPlugin => ({
  name: "NodeRestriction",
  admit(attributes) {
    const { user } = attributes.context;
    if (!user.groups.includes(NODES_GROUP) || !user.name.startsWith(NODE_PREFIX)) return;
    const node = user.name.slice(NODE_PREFIX.length);
    const complaint = complaintOf(attributes, node, store);
    if (complaint !== undefined) throw refuse(attributes, complaint);
  },
});

/** undefined: it may. */
function complaintOf(attributes: AdmissionAttributes, node: string, store: Store): string | undefined {
  const { group, resource } = attributes.view.definition;
  switch (`${group}/${resource}`) {
    case "/pods":
      return complaintOfPod(attributes, node, store);
    case "/nodes":
      return complaintOfNode(attributes, node);
    case "coordination.k8s.io/leases":
      return complaintOfLease(attributes, node);
    default:
      return undefined;
  }
}

function complaintOfPod(attributes: AdmissionAttributes, node: string, store: Store): string | undefined {
  const { operation, subresource, namespace, name, object, oldObject } = attributes;
  const shown = JSON.stringify(node);
  const isOwn = (pod: Readonly<KubeObject> | undefined) => textAt(pod && specOf(pod), "nodeName") === node;
  switch (subresource) {
    case "":
      if (operation === "CREATE") return object && complaintOfMirror(object, shown, node);
      if (operation === "DELETE")
        return isOwn(oldObject)
          ? undefined
          : `node ${shown} can only delete pods with spec.nodeName set to itself`;
      return `unexpected operation ${JSON.stringify(operation)}, node ${shown} can only create and delete mirror pods`;
    case "status":
      if (!isOwn(oldObject))
        return `node ${shown} can only update pod status for pods with spec.nodeName set to itself`;
      return equalJson(object?.metadata.labels ?? {}, oldObject?.metadata.labels ?? {})
        ? undefined
        : `node ${shown} cannot update labels through pod status`;
    case "eviction": {
      const kv = store.get(`/registry/pods/${namespace}/${name}`);
      return kv === undefined || isOwn(decodeStored(kv))
        ? undefined
        : `node ${node} can only evict pods with spec.nodeName set to itself`;
    }
    default:
      return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  }
}

function complaintOfMirror(pod: KubeObject, shown: string, node: string): string | undefined {
  const spec = specOf(pod);
  if (pod.metadata.annotations?.[MIRROR_ANNOTATION] === undefined)
    return `pod does not have ${JSON.stringify(MIRROR_ANNOTATION)} annotation, node ${shown} can only create mirror pods`;
  if (textAt(spec, "nodeName") !== node)
    return `node ${shown} can only create pods with spec.nodeName set to itself`;
  const owned = complaintOfOwners(pod, shown, node);
  if (owned !== undefined) return owned;
  if (textAt(spec, "serviceAccountName") !== "")
    return `node ${shown} can not create pods that reference a service account`;
  const volumes = objectsAt(spec, "volumes");
  const refers = (member: string) => volumes.some((volume) => objectAt(volume, member));
  if (refers("secret") || objectsAt(spec, "imagePullSecrets").length > 0)
    return `node ${shown} can not create pods that reference secrets`;
  if (refers("configMap")) return `node ${shown} can not create pods that reference configmaps`;
  if (refers("persistentVolumeClaim"))
    return `node ${shown} can not create pods that reference a persistentvolumeclaim`;
  return undefined;
}

function complaintOfOwners({ metadata }: KubeObject, shown: string, node: string): string | undefined {
  const [owner, ...others] = metadata.ownerReferences ?? [];
  if (others.length > 0)
    return `node ${shown} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `node ${shown} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `node ${shown} can only create pods with a controller owner reference set to itself`;
  return owner.blockOwnerDeletion === true
    ? `node ${shown} must not set blockOwnerDeletion on an owner reference`
    : undefined;
}

/** Below Kubernetes' own domains only these are a kubelet's to set. */
const OWN_LABELS = [
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "kubernetes.io/os",
  "kubernetes.io/arch",
];
const OWN_DOMAINS = /^(?:[^/]+\.)?(?:kubelet|node)\.kubernetes\.io\//;
const RESERVED_DOMAINS = /^(?:[^/]+\.)?(?:kubernetes|k8s)\.io\//;
const FORBIDDEN_DOMAINS = /^(?:[^/]+\.)?node-restriction\.kubernetes\.io\//;

const isForbidden = (label: string): boolean =>
  FORBIDDEN_DOMAINS.test(label) ||
  (RESERVED_DOMAINS.test(label) && !OWN_DOMAINS.test(label) && !OWN_LABELS.includes(label));

function complaintOfNode(attributes: AdmissionAttributes, node: string): string | undefined {
  const { operation, name, object, oldObject } = attributes;
  const shown = JSON.stringify(node);
  const requested = name || object?.metadata.name || "";
  if (requested !== node) return `node ${shown} is not allowed to modify node ${JSON.stringify(requested)}`;
  if (operation === "DELETE" || object === undefined) return undefined;
  const changed = changedLabels(object, oldObject);
  if (oldObject === undefined) {
    const labels = changed.filter(isForbidden);
    return labels.length > 0
      ? `node ${shown} is not allowed to set the following node labels: ${labels.join(", ")}`
      : undefined;
  }
  const taintsOf = (of: Readonly<KubeObject>): JsonObject[] => objectsAt(specOf(of), "taints");
  if (!equalJson(taintsOf(object), taintsOf(oldObject)))
    return `node ${shown} is not allowed to modify taints`;
  const labels = changed.filter(isForbidden);
  return labels.length > 0
    ? `node ${shown} is not allowed to modify labels: ${labels.join(", ")}`
    : undefined;
}

function changedLabels(object: KubeObject, old: Readonly<KubeObject> | undefined): string[] {
  const [now, before] = [object.metadata.labels ?? {}, old?.metadata.labels ?? {}];
  return [...new Set([...Object.keys(now), ...Object.keys(before)])]
    .filter((label) => now[label] !== before[label])
    .sort();
}

const LEASES = "kube-node-lease";

function complaintOfLease(
  { operation, namespace, name, object }: AdmissionAttributes,
  node: string,
): string | undefined {
  if (namespace !== LEASES) return `can only access leases in the "${LEASES}" system namespace`;
  const asked = operation === "CREATE" ? (object?.metadata.name ?? "") : name;
  return asked === node ? undefined : "can only access node lease with the same name as the requesting node";
}
