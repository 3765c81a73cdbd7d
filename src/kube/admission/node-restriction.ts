// NodeRestriction, off by default without TLS: a kubelet may write only objects of its own node.
import { decodeCertificateRequest } from "../../apimachinery/go/x509/certificate-request.ts";
import {
  equalJson,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { notFound } from "../../apimachinery/meta/status.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { Store } from "../../storage/store.ts";
import { type AdmittingPlugin, type AskingDeps, objectsBelow } from "./about.ts";
import { complaintOfMirror, referencesOf } from "./mirror-pods.ts";

const NODES_GROUP = "system:nodes";
const NODE_PREFIX = "system:node:";

export const createNodeRestriction = (deps: AskingDeps): AdmittingPlugin => ({
  name: "NodeRestriction",
  admit(attributes) {
    const { user } = attributes.context;
    if (!user.groups.includes(NODES_GROUP) || !user.name.startsWith(NODE_PREFIX)) return;
    const complaint = complaintOf({ attributes, node: user.name.slice(NODE_PREFIX.length), deps });
    if (complaint !== undefined) throw refuse(attributes, complaint);
  },
});

/** A write of a kubelet. */
interface Attempt {
  readonly attributes: AdmissionAttributes;
  readonly node: string;
  readonly deps: AskingDeps;
}

/** undefined: the write is allowed. */
function complaintOf(attempt: Attempt): string | undefined {
  const { group, resource } = attempt.attributes.view.definition;
  if (attempt.node === "")
    return `could not determine node from user ${JSON.stringify(attempt.attributes.context.user.name)}`;
  switch (`${group}/${resource}`) {
    case "/pods":
      return complaintOfPod(attempt);
    case "/nodes":
      return complaintOfNode(attempt);
    case "/persistentvolumeclaims":
      return complaintOfClaim(attempt);
    case "/serviceaccounts":
      return complaintOfToken(attempt);
    case "coordination.k8s.io/leases":
      return complaintOfLease(attempt);
    case "storage.k8s.io/csinodes":
      return isNamedByNode(attempt)
        ? undefined
        : "can only access CSINode with the same name as the requesting node";
    case "resource.k8s.io/resourceslices":
      return complaintOfSlice(attempt);
    case "certificates.k8s.io/certificatesigningrequests":
      return complaintOfRequest(attempt);
    default:
      return undefined;
  }
}

const isNamedByNode = ({ attributes: { operation, name, object }, node }: Attempt): boolean =>
  (operation === "CREATE" ? (object?.metadata.name ?? "") : name) === node;

const isOn = (pod: Readonly<KubeObject> | undefined, node: string): boolean =>
  textAt(pod && specOf(pod), "nodeName") === node;

/** Throws 404. */
function read(store: Store, resource: string, key: string): Readonly<KubeObject> {
  const kv = store.get(`/registry/${key}`);
  if (kv === undefined) throw notFound({ group: "", resource }, key.slice(key.lastIndexOf("/") + 1));
  return decodeStored(kv);
}

function complaintOfPod(attempt: Attempt): string | undefined {
  const { attributes, node, deps } = attempt;
  const { operation, subresource, namespace, name, object, oldObject } = attributes;
  const shown = JSON.stringify(node);
  switch (subresource) {
    case "":
      if (operation === "CREATE") return object && complaintOfNewPod(object, attempt);
      if (operation === "DELETE")
        return isOn(oldObject, node)
          ? undefined
          : `node ${shown} can only delete pods with spec.nodeName set to itself`;
      return `unexpected operation ${JSON.stringify(operation)}, node ${shown} can only create and delete mirror pods`;
    case "status":
      return complaintOfPodStatus(attempt);
    case "eviction":
      return isOn(read(deps.store, "pod", `pods/${namespace}/${name}`), node)
        ? undefined
        : `node ${node} can only evict pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  }
}

function complaintOfNewPod(pod: KubeObject, { node, deps }: Attempt): string | undefined {
  const complaint = complaintOfMirror(pod, node);
  if (complaint !== undefined) return complaint;
  const said = pod.metadata.ownerReferences?.[0]?.uid ?? "";
  const uid = read(deps.store, "node", `minions/${node}`).metadata.uid ?? "";
  if (said !== uid) return `node ${node} UID mismatch: expected ${said} got ${uid}`;
  const resource = referencesOf(pod);
  return resource && `node ${JSON.stringify(node)} can not create pods that reference ${resource}`;
}

function complaintOfPodStatus({ attributes, node }: Attempt): string | undefined {
  const { object, oldObject } = attributes;
  const shown = JSON.stringify(node);
  if (!isOn(oldObject, node))
    return `node ${shown} can only update pod status for pods with spec.nodeName set to itself`;
  if (!equalJson(object?.metadata.labels ?? {}, oldObject?.metadata.labels ?? {}))
    return `node ${shown} cannot update labels through pod status`;
  const [now, before] = [object, oldObject].map((pod) => objectAt(pod, "status"));
  if (!equalJson(objectsAt(now, "resourceClaimStatuses"), objectsAt(before, "resourceClaimStatuses")))
    return `node ${shown} cannot update resource claim statues`;
  return equalJson(now?.["extendedResourceClaimStatus"], before?.["extendedResourceClaimStatus"])
    ? undefined
    : `node ${shown} cannot update extended resource claim status`;
}

/** The labels in Kubernetes' own domains that a kubelet may set. */
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

function complaintOfNode({ attributes, node }: Attempt): string | undefined {
  const { operation, name, object, oldObject } = attributes;
  const shown = JSON.stringify(node);
  const requested = name || object?.metadata.name || "";
  if (requested !== node) return `node ${shown} is not allowed to modify node ${JSON.stringify(requested)}`;
  if (operation === "DELETE" || object === undefined) return undefined;
  const source = objectAt(specOf(object), "configSource");
  const labels = changedLabels(object, oldObject).filter(isForbidden).join(", ");
  if (oldObject === undefined) {
    if (source) return `node ${shown} is not allowed to create pods with a non-nil configSource`;
    return labels ? `node ${shown} is not allowed to set the following labels: ${labels}` : undefined;
  }
  if (source && !equalJson(source, objectAt(specOf(oldObject), "configSource")))
    return `node ${shown} is not allowed to update configSource to a new non-nil configSource`;
  if (!equalJson(objectsAt(specOf(object), "taints"), objectsAt(specOf(oldObject), "taints")))
    return `node ${shown} is not allowed to modify taints`;
  const owners = [object, oldObject].map(({ metadata }) => metadata.ownerReferences ?? []);
  if (!equalJson(owners[0], owners[1])) return `node ${shown} is not allowed to modify ownerReferences`;
  return labels ? `is not allowed to modify labels: ${labels}` : undefined;
}

function changedLabels(object: KubeObject, old: Readonly<KubeObject> | undefined): string[] {
  const [now, before] = [object.metadata.labels ?? {}, old?.metadata.labels ?? {}];
  return [...new Set([...Object.keys(now), ...Object.keys(before)])]
    .filter((label) => now[label] !== before[label])
    .sort();
}

/** Status fields of a claim that a kubelet may update during a volume expansion; no others. */
const OF_RESIZE = ["capacity", "conditions", "allocatedResourceStatuses", "allocatedResources"];

function complaintOfClaim({ attributes, node }: Attempt): string | undefined {
  if (attributes.subresource !== "status") return "may only update PVC status";
  if (equalJson(withoutResize(attributes.object), withoutResize(attributes.oldObject))) return undefined;
  return `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutResize(claim: Readonly<KubeObject> | undefined): JsonObject {
  const { resourceVersion: _revision, managedFields: _managers, ...metadata } = claim?.metadata ?? {};
  const status = Object.entries(objectAt(claim, "status") ?? {}).filter(([key]) => !OF_RESIZE.includes(key));
  return { ...claim, metadata, status: Object.fromEntries(status) };
}

function complaintOfToken(attempt: Attempt): string | undefined {
  const { operation, subresource, namespace, object } = attempt.attributes;
  if (operation !== "CREATE" || subresource !== "token" || !object) return undefined;
  const bound = objectAt(specOf(object), "boundObjectRef");
  const [version, kind, name, uid] = ["apiVersion", "kind", "name", "uid"].map((key) => textAt(bound, key));
  if (version !== "v1" || kind !== "Pod" || name === "") return "node requested token not bound to a pod";
  if (uid === "") return "node requested token with a pod binding without a uid";
  const pod = read(attempt.deps.store, "pod", `pods/${namespace}/${name}`);
  if (uid !== pod.metadata.uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (!isOn(pod, attempt.node)) return "node requested token bound to a pod scheduled on a different node";
  return complaintOfAudience(attempt, pod, textsAt(specOf(object), "audiences"));
}

/** A token audience must be the server's, or that of a volume of the Pod. Other audiences require authorization. */
function complaintOfAudience(
  { attributes, deps }: Attempt,
  pod: Readonly<KubeObject>,
  audiences: readonly string[],
): string | undefined {
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  const [audience = ""] = audiences;
  const volumes = objectsAt(specOf(pod), "volumes");
  if (volumes.some((volume) => audiencesOf(deps.store, pod, volume).includes(audience))) return undefined;
  const { namespace, name, context } = attributes;
  const { user } = context;
  const { allowed } = deps.authorizer.authorize({
    ...{ type: "resource", user, verb: "request-serviceaccounts-token-audience", group: "", version: "v1" },
    ...{ resource: audience, subresource: "", namespace, name },
  });
  if (allowed) return undefined;
  return `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

/** Audiences of a volume: those of its projected tokens, or of the tokens that its CSI driver requests. */
function audiencesOf(store: Store, pod: Readonly<KubeObject>, volume: JsonObject): string[] {
  const projected = objectsAt(objectAt(volume, "projected"), "sources").map((source) =>
    objectAt(source, "serviceAccountToken"),
  );
  const driver = driverOf(store, pod, volume);
  const drivers = objectsBelow(store, "/registry/csidrivers/").filter(
    ({ metadata }) => metadata.name === driver,
  );
  const wanted = drivers.flatMap((found) => objectsAt(specOf(found), "tokenRequests"));
  return [...projected.filter(Boolean), ...wanted].map((token) => textAt(token, "audience"));
}

function driverOf(store: Store, { metadata }: Readonly<KubeObject>, volume: JsonObject): string {
  const claim = objectAt(volume, "ephemeral")
    ? `${metadata.name}-${textAt(volume, "name")}`
    : textAt(objectAt(volume, "persistentVolumeClaim"), "claimName");
  if (claim === "") return textAt(objectAt(volume, "csi"), "driver");
  const claimed = store.get(`/registry/persistentvolumeclaims/${metadata.namespace}/${claim}`);
  const name = claimed === undefined ? "" : textAt(specOf(decodeStored(claimed)), "volumeName");
  const found = name === "" ? undefined : store.get(`/registry/persistentvolumes/${name}`);
  return found === undefined ? "" : textAt(objectAt(specOf(decodeStored(found)), "csi"), "driver");
}

const LEASES = "kube-node-lease";

function complaintOfLease(attempt: Attempt): string | undefined {
  if (attempt.attributes.namespace !== LEASES)
    return `can only access leases in the "${LEASES}" system namespace`;
  return isNamedByNode(attempt)
    ? undefined
    : "can only access node lease with the same name as the requesting node";
}

/** Updates are not checked: the node name of a slice is immutable. */
function complaintOfSlice({ attributes, node }: Attempt): string | undefined {
  const { operation, object, oldObject } = attributes;
  if (operation === "UPDATE" || isOn(object ?? oldObject, node)) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

/** Signers of kubelet certificates. */
const KUBELET_SIGNERS = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];

function complaintOfRequest({ attributes, node }: Attempt): string | undefined {
  const { operation, subresource, object } = attributes;
  if (operation !== "CREATE" || subresource !== "" || !object) return undefined;
  if (!KUBELET_SIGNERS.includes(textAt(specOf(object), "signerName"))) return undefined;
  const request = decodeCertificateRequest(textAt(specOf(object), "request"));
  if (typeof request === "string") return `unable to parse csr: ${request}`;
  if (request.subject.commonName === NODE_PREFIX + node) return undefined;
  return `can only create a node CSR with CN=${NODE_PREFIX}${node}`;
}
