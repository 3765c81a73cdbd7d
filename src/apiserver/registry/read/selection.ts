// Selection of a list or watch: label selector and field selector, validated against the kind's selectable fields.
import type { FieldRequirement, FieldSelector } from "../../../apimachinery/meta/field-selector.ts";
import type { LabelSelector } from "../../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { ShardSelector } from "../../../apimachinery/meta/shard-selector.ts";
import { badRequest } from "../../../apimachinery/meta/status.ts";
import type { KeyValue, StoreEvent, WatchTriggers } from "../../../storage/store.ts";
import { decodeEither } from "../codec/versions.ts";
import type { ResourceView } from "../definition/resource-definition.ts";

export interface Selection {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

/** Combines a field selector with a shard of the collection. */
export function withShard(
  fields: FieldSelector | undefined,
  shard: ShardSelector | undefined,
): FieldSelector | undefined {
  if (shard === undefined) return fields;
  return {
    name: fields?.name,
    allowed: (field) => fields?.allowed(field),
    matches: (valueAt) => (fields?.matches(valueAt) ?? true) && shard.matches(valueAt),
  };
}

export const EVERYTHING: Selection = { labels: undefined, fields: undefined };

export function selectsEverything(selection: Selection): boolean {
  return selection.labels === undefined && selection.fields === undefined;
}

/** The metadata.name of a selection that selects exactly one name. */
export function selectedName(selection: Selection): string | undefined {
  return selection.fields?.name;
}

/** Rejects fields that the kind does not support as selectors (400). */
export function checkFieldsSelectable(view: ResourceView, fields: readonly FieldRequirement[]): void {
  const { definition, version } = view;
  // A built-in kind without selectable fields of its own supports both names, whatever its scope. Others support what
  // they list.
  const plain = !definition.custom && version.selectableFields.length === 0;
  for (const { field } of fields) {
    if (field === "metadata.name") continue;
    if (field === "metadata.namespace" && (definition.namespaceScoped || plain)) continue;
    if (version.selectableFields.some((item) => dotted(item) === field)) continue;
    throw badRequest(
      plain
        ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    );
  }
}

/** Reports whether the selection matches the object. */
export function matchesObject(
  view: ResourceView,
  selection: Selection,
  object: Readonly<KubeObject>,
): boolean {
  const { labels, fields } = selection;
  if (labels !== undefined && !labels.matches(object.metadata.labels ?? {})) return false;
  return fields?.matches((field) => fieldValue(view, object, field)) ?? true;
}

/** As matchesObject, for a stored value; it is decoded only when a selector needs it. */
export function matchesStored(view: ResourceView, selection: Selection, kv: KeyValue): boolean {
  if (selectsEverything(selection)) return true;
  const { labels, fields } = selection;
  // A conversion webhook may change the labels.
  if (labels !== undefined && view.definition.converter === undefined) {
    if (!labels.matches(labelsOf(view, kv))) return false;
    if (fields === undefined) return true;
  }
  return matchesObject(view, selection, decodeEither(view, kv));
}

type Labels = Readonly<Record<string, string>>;

const NO_LABELS: Labels = {};
/**
 * Labels by stored value. A list reads the labels of each object of its kind. Looking up the decoded object, which may
 * have been evicted, costs several times as much.
 */
const knownLabels = new WeakMap<KeyValue, Labels>();

function labelsOf(view: ResourceView, kv: KeyValue): Labels {
  let labels = knownLabels.get(kv);
  if (labels === undefined) {
    labels = decodeEither(view, kv).metadata.labels ?? NO_LABELS;
    knownLabels.set(kv, labels);
  }
  return labels;
}

/** A field's value for comparison with a field selector; "" for an absent one. */
export function fieldValue(view: ResourceView, object: Readonly<KubeObject>, field: string): string {
  if (field === "metadata.name") return object.metadata.name ?? "";
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  if (field === "metadata.uid") return object.metadata.uid ?? "";
  if (view.definition.fieldValue) return view.definition.fieldValue(object, field);
  let value: unknown = object;
  for (const part of field.split(".")) {
    value =
      typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined; // decoded JSON
  }
  return typeof value === "string" ? value : value === undefined || value === null ? "" : String(value);
}

/** JSON path in the notation of field selectors. */
export function dotted(jsonPath: string): string {
  return jsonPath.startsWith(".") ? jsonPath.slice(1) : jsonPath;
}

// Watch index of a selecting watch: the triggers are one label or field that all its objects have. The selection would
// skip a change without a matching trigger in both its new and its previous state.

/** Undefined where the selection has no such label or field, or where only a conversion webhook could evaluate it. */
export function watchTriggers(view: ResourceView, selection: Selection): WatchTriggers | undefined {
  if (view.definition.converter !== undefined) return undefined;
  const any = labelMarks(selection) ?? fieldMarks(view, selection);
  return any && { any, of: readerFor(view) };
}

const labelMark = (key: string, value: string): string => `l:${key}=${value}`;
const keyMark = (key: string): string => `k:${key}`;
const fieldMark = (field: string, value: string): string => `f:${field}=${value}`;

/** Each trigger takes about as much memory as the watch. A selection with more values is indexed by key alone. */
const MARKS_MAX = 64;

function labelMarks({ labels }: Selection): string[] | undefined {
  if (labels?.anchor === undefined) return undefined;
  const { key, values } = labels.anchor;
  if (values === undefined || values.size > MARKS_MAX) return [keyMark(key)];
  return values.list().map((value) => labelMark(key, value));
}

function fieldMarks({ version }: ResourceView, { fields }: Selection): string[] | undefined {
  if (fields === undefined) return undefined;
  for (const field of version.selectableFields.map(dotted)) {
    const values = fields.allowed(field);
    if (values !== undefined) return values.map((value) => fieldMark(field, value));
  }
  return undefined;
}

/** One function for all watches of a version, so that a change is decoded once for all of them. */
const readerFor = memoize(
  (view: ResourceView): WatchTriggers["of"] =>
    (event) =>
      readMarks(view, event),
  ({ version }) => version,
);

function readMarks(view: ResourceView, event: StoreEvent): string[] | undefined {
  const now = event.type === "put" ? event.kv : undefined;
  try {
    return [now, event.prev].flatMap((kv) => (kv === undefined ? [] : triggersOf(view, kv)));
  } catch {
    return undefined; // the watcher reports the error of the object
  }
}

function triggersOf(view: ResourceView, kv: KeyValue): string[] {
  const object = decodeEither(view, kv);
  const labels = Object.entries(object.metadata.labels ?? {}).flatMap(([key, value]) => [
    keyMark(key),
    labelMark(key, value),
  ]);
  const fields = view.version.selectableFields.map((path) => {
    const field = dotted(path);
    return fieldMark(field, fieldValue(view, object, field));
  });
  return [...labels, ...fields];
}
