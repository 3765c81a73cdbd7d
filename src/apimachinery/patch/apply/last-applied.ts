// The last-applied annotation of client-side kubectl apply. The field manager "kubectl" takes over the fields of that
// annotation. Server-side apply keeps the annotation up to date, so that a user can return to client-side apply.

import { cloneJson, isObject, type JsonObject, setOwn } from "../../json/json.ts";
import { decodeJson, JsonSyntaxError } from "../../json/json-decode.ts";
import { encodeGoJson } from "../../json/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Conflict } from "./conflicts.ts";
import { difference, type FieldSet, intersection, isEmpty, setOfPaths } from "./fields/field-set.ts";
import { describeTypeFaults } from "./typed/check.ts";
import { compareValues, writtenFields } from "./typed/compare.ts";
import { appliedFields } from "./typed/owned-fields.ts";
import type { TypeNode } from "./typed/type-node.ts";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
/** Field manager of kubectl. */
export const KUBECTL = "kubectl";
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** Conflicts that remain after the takeover of fields that were applied client-side and have not changed since. */
export function conflictsBeyondLastApplied(
  conflicts: readonly Conflict[],
  live: Readonly<KubeObject>,
  { type, apiVersion }: { type: TypeNode; apiVersion: string },
): readonly Conflict[] {
  const owned = lastAppliedFields(live, type, apiVersion);
  if (owned === undefined) return conflicts;
  return conflicts.filter(({ path }) => isEmpty(intersection(setOfPaths([path]), owned)));
}

function lastAppliedFields(
  live: Readonly<KubeObject>,
  type: TypeNode,
  apiVersion: string,
): FieldSet | undefined {
  const text = lastAppliedText(live);
  const applied = text === undefined ? undefined : parseObject(text);
  if (applied?.["apiVersion"] !== apiVersion || describeTypeFaults(type, applied) !== undefined)
    return undefined;
  const change = compareValues(type, applied, live);
  return difference(difference(appliedFields(type, applied), writtenFields(change)), change.removed);
}

function lastAppliedText({ metadata }: Readonly<KubeObject>): string | undefined {
  return metadata.annotations?.[ANNOTATION] || undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const { value } = decodeJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Updates the annotation, if the object has one, to the applied configuration. */
export function updateLastApplied(object: KubeObject, applied: Readonly<Partial<KubeObject>>): KubeObject {
  if (lastAppliedText(object) === undefined) return object;
  const annotations: Record<string, string> = { ...object.metadata.annotations };
  setOwn(annotations, ANNOTATION, describeApplied(applied));
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes > ANNOTATIONS_BYTES_MAX) delete annotations[ANNOTATION];
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function describeApplied(applied: Readonly<Partial<KubeObject>>): string {
  const shown = cloneJson(applied);
  delete shown.metadata?.annotations?.[ANNOTATION];
  return `${encodeGoJson(shown)}\n`;
}
