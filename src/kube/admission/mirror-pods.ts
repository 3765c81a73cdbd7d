// Mirror Pods, which represent static Pods: a node may create only its own, without references to cluster objects.
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { MIRROR_ANNOTATION } from "./about.ts";

/** Why the node may not create the Pod; undefined: the Pod is valid. */
export function complaintOfMirror(pod: KubeObject, node: string): string | undefined {
  const shown = JSON.stringify(node);
  if (pod.metadata.annotations?.[MIRROR_ANNOTATION] === undefined)
    return `pod does not have ${JSON.stringify(MIRROR_ANNOTATION)} annotation, node ${shown} can only create mirror pods`;
  if (textAt(specOf(pod), "nodeName") !== node)
    return `node ${shown} can only create pods with spec.nodeName set to itself`;
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
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

/** The resource of the first references of the Pod, in the order of a kube-apiserver. */
export function referencesOf(pod: KubeObject): string | undefined {
  const spec = specOf(pod);
  const parts = [...placesOfSpec(spec), ...containersOf(spec).flatMap(placesOfContainer)];
  if (textAt(spec, "serviceAccountName") !== "") return "serviceaccounts";
  if (objectsAt(spec, "imagePullSecrets").length > 0 || parts.some(namesSecret)) return "secrets";
  if (parts.some((part) => CONFIG_MAPS.some((member) => objectAt(part, member)))) return "configmaps";
  if (objectsAt(spec, "resourceClaims").length > 0) return "resourceclaims";
  return objectsAt(spec, "volumes").flatMap(sourcesOf).map(resourceOf).find(Boolean);
}

const CONFIG_MAPS = ["configMap", "configMapRef", "configMapKeyRef"];
const SECRETS = ["secret", "secretRef", "secretKeyRef", "nodePublishSecretRef", "azureFile"];

const namesSecret = (part: JsonObject): boolean => SECRETS.some((member) => objectAt(part, member));

const containersOf = (spec: JsonObject): JsonObject[] =>
  ["initContainers", "containers", "ephemeralContainers"].flatMap((list) => objectsAt(spec, list));

const placesOfContainer = (container: JsonObject): JsonObject[] => [
  ...objectsAt(container, "envFrom"),
  ...objectsAt(container, "env").map((variable) => objectAt(variable, "valueFrom") ?? {}),
];

/** Volumes, their sources, and the sources of projected volumes. */
const placesOfSpec = (spec: JsonObject): JsonObject[] =>
  objectsAt(spec, "volumes").flatMap((volume) => [
    ...sourcesOf(volume),
    ...Object.values(volume).filter(isObject),
  ]);

const sourcesOf = (volume: JsonObject): JsonObject[] => [
  volume,
  ...objectsAt(objectAt(volume, "projected"), "sources"),
];

const RESOURCES = Object.entries({
  csi: "csidrivers (via CSI volumes)",
  glusterfs: "endpoints (via glusterFS volumes)",
  persistentVolumeClaim: "persistentvolumeclaims",
  ephemeral: "persistentvolumeclaims (via ephemeral volumes)",
  serviceAccountToken: "serviceaccounts (via projected volumes)",
  clusterTrustBundle: "clustertrustbundles",
  podCertificate: "podcertificates",
});

const resourceOf = (source: JsonObject): string | undefined =>
  RESOURCES.find(([member]) => objectAt(source, member))?.[1];
