// By which marks a selecting watch knows the changes that may concern it: one label or field that all its objects have.
// What bears no such mark, neither as it is nor as it was, the selection would leave out anyway.
import type { KeyValue, StoreEvent, WatchMarks } from "../../storage/store.ts";
import { decodeInVersion } from "../codec/versions.ts";
import type { ResourceVersionDefinition, ResourceView } from "../definition/resource-definition.ts";
import { dotted, fieldValue, type Selection } from "./selection.ts";

/** Undefined where the selection names nothing that all its objects have, or where only a webhook can tell. */
export function watchMarks(view: ResourceView, selection: Selection): WatchMarks | undefined {
  if (view.definition.converter !== undefined) return undefined;
  const any = labelMarks(selection) ?? fieldMarks(view, selection);
  return any && { any, of: readerFor(view) };
}

const labelMark = (key: string, value: string): string => `l:${key}=${value}`;
const keyMark = (key: string): string => `k:${key}`;
const fieldMark = (field: string, value: string): string => `f:${field}=${value}`;

const WITH_VALUES = new Set(["=", "==", "in"]);
/** They say only that the label is there, or something of its value. */
const WITH_KEY = new Set(["exists", "gt", "lt"]);

function labelMarks({ labels }: Selection): string[] | undefined {
  const wanted = labels?.requirements.find(({ operator }) => WITH_VALUES.has(operator));
  if (wanted !== undefined) return wanted.values.map((value) => labelMark(wanted.key, value));
  const present = labels?.requirements.find(({ operator }) => WITH_KEY.has(operator));
  return present && [keyMark(present.key)];
}

function fieldMarks({ version }: ResourceView, { fields }: Selection): string[] | undefined {
  const known = new Set(version.selectableFields.map(dotted));
  const wanted = fields.find(({ field, operator }) => operator === "=" && known.has(field));
  return wanted && [fieldMark(wanted.field, wanted.value)];
}

const readers = new WeakMap<ResourceVersionDefinition, WatchMarks["of"]>();

/** The same for all watches of a version, so that a change is read once for all of them. */
function readerFor(view: ResourceView): WatchMarks["of"] {
  let read = readers.get(view.version);
  if (read === undefined) {
    read = (event) => readMarks(view, event);
    readers.set(view.version, read);
  }
  return read;
}

function readMarks(view: ResourceView, event: StoreEvent): string[] | undefined {
  const now = event.type === "put" ? event.kv : undefined;
  try {
    return [now, event.prev].flatMap((kv) => (kv === undefined ? [] : marksOf(view, kv)));
  } catch {
    return undefined; // who watches is told what is wrong with the object
  }
}

function marksOf(view: ResourceView, kv: KeyValue): string[] {
  const object = decodeInVersion(view, kv);
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
