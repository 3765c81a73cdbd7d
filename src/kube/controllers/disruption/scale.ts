// The expected number of the pods that a budget selects: the sum of replicas over their controllers.

import { numberAt, objectAt } from "../../../apimachinery/json/json.ts";
import {
  type KubeObject,
  type OwnerReference,
  partsOfApiVersion,
} from "../../../apimachinery/meta/object-meta.ts";
import { describeResource } from "../../../apimachinery/meta/status.ts";
import { controllerOf, type ResourceCatalog } from "../../../controller/api.ts";
import { Complaint } from "../../../controller/conditions.ts";
import type { Informer } from "../../../controller/informer.ts";

interface Controllers {
  readonly replicaSets: Informer;
  readonly deployments: Informer;
  readonly statefulSets: Informer;
  readonly replicationControllers: Informer;
  readonly catalog?: ResourceCatalog;
}

/** Throws a Complaint if the scale of a pod's controller is unknown. */
export function expectedScale(
  pods: readonly KubeObject[],
  controllers: Controllers,
): { readonly expected: number; readonly unmanaged: readonly string[] } {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { name = "", namespace = "" } = pod.metadata;
    const reference = controllerOf(pod);
    if (reference === undefined) unmanaged.push(name);
    else if (!scales.has(reference.uid)) {
      const found = scaledBy(reference, namespace, controllers);
      if (found === undefined) throw new Complaint(missing(reference, name, controllers));
      const { uid = "" } = found.metadata;
      scales.set(uid, numberAt(objectAt(found, "spec"), "replicas") ?? 1);
    }
  }
  return { expected: [...scales.values()].reduce((sum, scale) => sum + scale, 0), unmanaged };
}

/** The object whose replicas apply: for a ReplicaSet of a Deployment it is the Deployment. */
function scaledBy(reference: OwnerReference, namespace: string, all: Controllers): KubeObject | undefined {
  const found = informerOf(reference, all)?.get(`${namespace}/${reference.name}`);
  if (found?.metadata.uid !== reference.uid) return undefined;
  const above = controllerOf(found);
  return above?.kind === "Deployment" && reference.kind === "ReplicaSet"
    ? scaledBy(above, namespace, all)
    : found;
}

function informerOf({ apiVersion, kind }: OwnerReference, all: Controllers): Informer | undefined {
  switch (`${apiVersion.split("/")[0]} ${kind}`) {
    case "apps ReplicaSet":
      return all.replicaSets;
    case "apps Deployment":
      return all.deployments;
    case "apps StatefulSet":
      return all.statefulSets;
    case "v1 ReplicationController":
      return all.replicationControllers;
    default:
      return undefined;
  }
}

function missing(reference: OwnerReference, pod: string, all: Controllers): string {
  const [group] = partsOfApiVersion(reference.apiVersion);
  const served = all.catalog?.list().find((item) => item.group === group && item.kind === reference.kind);
  if (served === undefined || informerOf(reference, all) !== undefined) {
    return `found no controllers for pod ${JSON.stringify(pod)}`;
  }
  const resource = describeResource(served);
  return `${resource} does not implement the scale subresource`;
}
