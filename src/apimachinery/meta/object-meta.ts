// The members that every Kubernetes object shares (API conventions, "Metadata").

import { type JsonObject, objectAt } from "../json/json.ts";
import { isConditionTrue } from "./conditions.ts";

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string; // "Apply" or "Update"
  apiVersion?: string;
  time?: string;
  fieldsType?: string; // "FieldsV1"
  fieldsV1?: JsonObject;
  subresource?: string;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Group ("" for the core group) and version of an apiVersion. */
export const partsOfApiVersion = (apiVersion = ""): readonly [group: string, version: string] => {
  const slash = apiVersion.indexOf("/");
  return [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
};

/** "k8s.ovn.org/v1", or "v1" in the core group. */
export const joinApiVersion = (group: string, version: string): string =>
  group === "" ? version : `${group}/${version}`;

/** The spec; {} if there is none. */
export const specOf = (object: Readonly<KubeObject> | undefined): JsonObject =>
  objectAt(object, "spec") ?? {};

/** Sort order: by creation time, then by namespace and name. */
export function byAge(a: KubeObject, b: KubeObject): number {
  const [first = "", second = ""] = [a, b].map(
    ({ metadata: { creationTimestamp, namespace, name } }) =>
      `${creationTimestamp ?? ""} ${namespace ?? ""}/${name}`,
  );
  return first < second ? -1 : 1;
}

/** True if its condition Ready is True. */
export const isReady = (object: KubeObject): boolean => isConditionTrue(objectAt(object, "status"), "Ready");

/**
 * The next int64. Kinds without generation keep the value of a client, of any size: beyond 2^53 it is a bigint,
 * whatever its type says.
 */
export function nextGeneration(generation: number): number {
  if (typeof generation === "number" && generation < Number.MAX_SAFE_INTEGER) return generation + 1;
  return BigInt.asIntN(64, BigInt(generation) + 1n) as unknown as number;
}
