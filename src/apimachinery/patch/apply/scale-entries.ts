// managedFields of /scale: a Scale shows the managers of its object's replicas. A write to the Scale is mapped back to
// the entries of the object.
import type { ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { contains, difference, type FieldSet, isEmpty, setOfFields } from "./fields/field-set.ts";
import { decodeStoredEntries, encodeEntries, type ManagedEntries } from "./managed-entries.ts";

/** Paths of the replicas by apiVersion of the object; undefined: the version has no scale subresource. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>;

const SCALE_VERSION = "autoscaling/v1";
const REPLICAS_OF_SCALE = setOfFields([["spec", "replicas"]]);

/** The managedFields of the Scale of an object. */
export function toScaleEntries(
  ofObject: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const entries: ManagedEntries = new Map();
  for (const [identity, entry] of decodeStoredEntries(ofObject)) {
    const replicas = replicasAt(paths, entry.apiVersion);
    if (replicas === undefined || !contains(entry.fields, replicas)) continue;
    entries.set(identity, {
      ...entry,
      apiVersion: SCALE_VERSION,
      fields: REPLICAS_OF_SCALE,
      encoded: undefined,
    });
  }
  return encodeEntries(entries);
}

/** The managedFields of the object after a write to its Scale, through the endpoint of `apiVersion`. */
export function toObjectEntries(
  ofObject: readonly ManagedFieldsEntry[] | undefined,
  ofScale: readonly ManagedFieldsEntry[] | undefined,
  { apiVersion, paths }: { apiVersion: string; paths: ReplicasPaths },
): ManagedFieldsEntry[] | undefined {
  const before = decodeStoredEntries(ofObject);
  const written = decodeStoredEntries(ofScale);
  const after: ManagedEntries = new Map();
  for (const [identity, entry] of before) {
    if (!paths.has(entry.apiVersion)) continue;
    const replicas = replicasAt(paths, entry.apiVersion);
    if (replicas === undefined || !contains(entry.fields, replicas) || written.delete(identity)) {
      after.set(identity, entry);
      continue;
    }
    const fields = difference(entry.fields, replicas);
    if (!isEmpty(fields)) after.set(identity, { ...entry, fields, encoded: undefined });
  }
  const replicas = replicasAt(paths, apiVersion);
  for (const [identity, entry] of written) {
    // No other field of a Scale is kept: its status is that of the object.
    if (replicas === undefined || !contains(entry.fields, REPLICAS_OF_SCALE)) continue;
    // The time comes from the object's entry, if the manager had one; otherwise the entry has no time.
    const time = before.get(identity)?.time;
    after.set(identity, { ...entry, apiVersion, fields: replicas, time, encoded: undefined });
  }
  return encodeEntries(after);
}

function replicasAt(paths: ReplicasPaths, apiVersion: string): FieldSet | undefined {
  const path = paths.get(apiVersion);
  return path && setOfFields([path]);
}
