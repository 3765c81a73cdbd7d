// The pods of a StatefulSet and their PersistentVolumeClaims. Each pod has an ordinal, which determines its name,
// labels and volumes; its replacement gets the same. Pure.
import {
  cloneJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import { type KubeObject, type OwnerReference, specOf } from "../../apimachinery/meta/object-meta.ts";
import { podFrom } from "../workloads/pod-control.ts";
import { nameOf, ownerReference, replicasOf, templateOf, uidOf } from "../workloads/resources.ts";

export const KIND = { apiVersion: "apps/v1", kind: "StatefulSet" };
export const REVISION_LABEL = "controller-revision-hash";
const NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const INDEX_LABEL = "apps.kubernetes.io/pod-index";
const POD_KIND = { apiVersion: "v1", kind: "Pod" };

/** The ordinal in the pod's name; -1 if the name does not belong to the set. */
export function ordinalOf(pod: KubeObject, set: KubeObject): number {
  const found = /^(.*)-(\d+)$/.exec(nameOf(pod));
  return found?.[1] === nameOf(set) ? Number(found[2]) : -1;
}

export const startOf = (set: KubeObject): number => numberAt(objectAt(specOf(set), "ordinals"), "start") ?? 0;

export const isInRange = (ordinal: number, set: KubeObject): boolean =>
  ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);

export const revisionLabelOf = (pod: KubeObject): string => pod.metadata.labels?.[REVISION_LABEL] ?? "";

const claimTemplates = (set: KubeObject): JsonObject[] => objectsAt(specOf(set), "volumeClaimTemplates");
const claimBase = (template: JsonObject): string => textAt(objectAt(template, "metadata"), "name");
const claimName = (template: JsonObject, set: KubeObject, ordinal: number): string =>
  `${claimBase(template)}-${nameOf(set)}-${ordinal}`;

/** The pod of that ordinal, from the template of a revision. */
export function podOf(set: KubeObject, ordinal: number, revision: string): KubeObject {
  const pod = podFrom(templateOf(set), set, ownerReference(set, KIND));
  return withIdentity(pod, set, ordinal, revision);
}

/** Sets the name, labels and volumes of the ordinal on the pod. */
export function withIdentity(
  pod: KubeObject,
  set: KubeObject,
  ordinal: number,
  revision: string,
): KubeObject {
  const name = `${nameOf(set)}-${ordinal}`;
  const labels = {
    ...pod.metadata.labels,
    [NAME_LABEL]: name,
    [INDEX_LABEL]: String(ordinal),
    [REVISION_LABEL]: revision,
  };
  const spec = {
    ...specOf(pod),
    hostname: name,
    subdomain: textAt(specOf(set), "serviceName"),
    volumes: volumesOf(pod, set, ordinal),
  };
  return { ...pod, metadata: { ...pod.metadata, name, labels }, spec };
}

function volumesOf(pod: KubeObject, set: KubeObject, ordinal: number): JsonObject[] {
  const templates = claimTemplates(set);
  const names = new Set(templates.map(claimBase));
  const claimed = templates.map((template) => ({
    name: claimBase(template),
    persistentVolumeClaim: { claimName: claimName(template, set, ordinal) },
  }));
  return [...claimed, ...objectsAt(specOf(pod), "volumes").filter(({ name }) => !names.has(String(name)))];
}

/** Reports whether the pod has the name, labels and volumes of its ordinal. */
export function hasIdentity(pod: KubeObject, set: KubeObject, ordinal: number): boolean {
  const { labels = {} } = pod.metadata;
  const name = `${nameOf(set)}-${ordinal}`;
  if (nameOf(pod) !== name || labels[NAME_LABEL] !== name || labels[INDEX_LABEL] !== String(ordinal))
    return false;
  const claims = new Map(
    objectsAt(specOf(pod), "volumes").map((volume) => [
      textAt(volume, "name"),
      textAt(objectAt(volume, "persistentVolumeClaim"), "claimName"),
    ]),
  );
  return claimTemplates(set).every(
    (template) => claims.get(claimBase(template)) === claimName(template, set, ordinal),
  );
}

/** The new PersistentVolumeClaims of the pod. */
export function claimsOf(set: KubeObject, ordinal: number): KubeObject[] {
  const selected = objectAt(objectAt(specOf(set), "selector"), "matchLabels") ?? {};
  return claimTemplates(set).map((template) => {
    const { status: _status, ...claim } = cloneJson(template);
    const { labels, annotations } = objectAt(template, "metadata") ?? {};
    return {
      ...claim,
      metadata: {
        name: claimName(template, set, ordinal),
        namespace: set.metadata.namespace ?? "",
        labels: {
          ...(labels as Record<string, string> | undefined),
          ...(selected as Record<string, string>),
        },
        ...(annotations ? { annotations: annotations as Record<string, string> } : {}),
      },
    };
  });
}

/**
 * The owners of a claim by the retention policy. With `whenScaled: Delete` the pod owns the claim once it is scaled
 * down. Otherwise, with `whenDeleted: Delete`, the set owns it. Without an owner the claim is kept.
 */
export function claimOwners(claim: KubeObject, set: KubeObject, pod: KubeObject): OwnerReference[] {
  const policy = objectAt(specOf(set), "persistentVolumeClaimRetentionPolicy") ?? {};
  const isGone = !isInRange(ordinalOf(pod, set), set);
  const isOfPod = policy["whenScaled"] === "Delete" && isGone;
  const isOfSet = policy["whenDeleted"] === "Delete" && !isOfPod;
  const others = (claim.metadata.ownerReferences ?? []).filter(
    ({ uid, kind }) => uid !== uidOf(set) && !(kind === POD_KIND.kind && uid === uidOf(pod)),
  );
  return [
    ...others,
    ...(isOfSet ? [ownerReference(set, KIND)] : []),
    ...(isOfPod ? [ownerReference(pod, POD_KIND)] : []),
  ];
}
