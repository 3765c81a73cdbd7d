// A write that changes nothing leaves managedFields as they are, times included.
import { equalJson } from "../../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import { withManagedFields } from "./managed-entries.ts";

/**
 * The next object with the times of the live one, if times in managedFields are all that tells them apart. For the check
 * whether a write changes anything; resourceVersion is passed over.
 */
export function keepTimesOfNoop(live: Readonly<KubeObject>, next: KubeObject): KubeObject {
  const stored = live.metadata.managedFields;
  const written = next.metadata.managedFields;
  if (stored === undefined || written === undefined || stored === written) return next;
  // Nearly all writes change something, and then who owns what need not be looked at.
  if (!equalJson(comparable(live), comparable(next))) return next;
  const owned = equalJson(stored.map(withoutTime), written.map(withoutTime));
  return owned ? withManagedFields(next, stored) : next;
}

function withoutTime({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry {
  return entry;
}

function comparable(object: Readonly<KubeObject>): KubeObject {
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}
