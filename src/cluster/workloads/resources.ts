// The resources of workloads, and their common fields: replicas, selector and template.
import { equalJson, isObject, type JsonObject, numberAt, objectAt } from "../../apimachinery/json/json.ts";
import { type LabelSelector, readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import {
  type KubeObject,
  type OwnerReference,
  partsOfApiVersion,
  specOf,
} from "../../apimachinery/meta/object-meta.ts";
import { controllerOf, core, resourceIn } from "../../controller/api.ts";

export const DEPLOYMENTS = resourceIn("apps", "v1", "deployments");
export const REPLICA_SETS = resourceIn("apps", "v1", "replicasets");
export const STATEFUL_SETS = resourceIn("apps", "v1", "statefulsets");
export const DAEMON_SETS = resourceIn("apps", "v1", "daemonsets");
export const CONTROLLER_REVISIONS = resourceIn("apps", "v1", "controllerrevisions");
export const REPLICATION_CONTROLLERS = core("replicationcontrollers");
export const CLAIMS = core("persistentvolumeclaims");
export const JOBS = resourceIn("batch", "v1", "jobs");
export const CRON_JOBS = resourceIn("batch", "v1", "cronjobs");

/** A kind that controls other objects. */
export interface OwnerKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export const uidOf = ({ metadata }: Pick<KubeObject, "metadata">): string => metadata.uid ?? "";

export const nameOf = ({ metadata }: Pick<KubeObject, "metadata">): string => metadata.name ?? "";

export const statusOf = (object: Readonly<KubeObject> | undefined): JsonObject =>
  objectAt(object, "status") ?? {};

/** The number at the key; 0 if absent, as in a Go struct. */
export const countAt = (source: JsonObject | undefined, key: string): number => numberAt(source, key) ?? 0;

export const replicasOf = (object: KubeObject): number => numberAt(specOf(object), "replicas") ?? 1;

export const templateOf = (object: KubeObject): JsonObject => objectAt(specOf(object), "template") ?? {};

export const labelsOf = (template: JsonObject): Record<string, string> =>
  (objectAt(objectAt(template, "metadata"), "labels") ?? {}) as Record<string, string>; // validated

export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  controllerOf(object)?.uid === uidOf(owner);

/** The controller owner reference for the objects that it creates. */
export const ownerReference = (owner: KubeObject, { apiVersion, kind }: OwnerKind): OwnerReference => ({
  apiVersion,
  kind,
  name: nameOf(owner),
  uid: uidOf(owner),
  controller: true,
  blockOwnerDeletion: true,
});

export const isOfKind = (reference: OwnerReference, { apiVersion, kind }: OwnerKind): boolean =>
  reference.kind === kind && groupOf(reference.apiVersion) === groupOf(apiVersion);

const groupOf = (apiVersion: string): string => partsOfApiVersion(apiVersion)[0];

/** The selector of a workload; undefined if it is invalid. A plain map is that of a ReplicationController. */
export const selectorOf = memoize((owner: KubeObject): LabelSelector | undefined => {
  const given = objectAt(specOf(owner), "selector");
  const isPlain = owner.kind === "ReplicationController";
  const read = readLabelSelector(isPlain && given ? { matchLabels: given } : given);
  return read instanceof Error ? undefined : read;
});

const selectorText = memoize((owner: KubeObject): string =>
  JSON.stringify(specOf(owner)["selector"] ?? null),
);
const selections = new WeakMap<KubeObject, { readonly text: string; readonly isSelected: boolean }>();

/**
 * Whether the owner selects the child. Memoized per child, since an owner may have thousands and each change checks all
 * of them.
 */
export function selects(owner: KubeObject, child: KubeObject): boolean {
  const text = selectorText(owner);
  const known = selections.get(child);
  if (known?.text === text) return known.isSelected;
  const isSelected = selectorOf(owner)?.matches(child.metadata.labels ?? {}) === true;
  selections.set(child, { text, isSelected });
  return isSelected;
}

/** Drops zero counts, which Go omits from a status. */
export const withoutZeros = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

/** Resolves a number or a percentage of the whole, such as "25%". */
export function scaledValue(value: unknown, whole: number, round: (value: number) => number): number {
  if (typeof value === "string") return round((Number.parseInt(value, 10) * whole) / 100);
  return Number(value ?? 0);
}

export const labelsEqual = (
  a: Readonly<Record<string, string>> | undefined,
  b: Readonly<Record<string, string>> | undefined,
): boolean => equalJson(a ?? {}, b ?? {});

/**
 * Compares two templates, ignoring null and empty values as a Go server does. Servers of different versions may write
 * or omit such values.
 */
export const equalTemplates = (a: unknown, b: unknown): boolean =>
  equalJson(withoutEmpties(a), withoutEmpties(b));

function withoutEmpties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpties);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, item]) => [key, withoutEmpties(item)] as const);
  return Object.fromEntries(members.filter(([, item]) => !isEmpty(item)));
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
