// A value without the fields of a set.
import { type JsonObject, setOwn } from "../../../meta/json.ts";
import { fieldText } from "../fields/field-path.ts";
import type { FieldSet } from "../fields/field-set.ts";
import { itemStep } from "./list-items.ts";
import { partsOf } from "./owned-fields.ts";
import { fieldType, type ListForm, type MapForm, type TypeNode } from "./type-forms.ts";

/**
 * The value without what the set names below it. A container that loses its last part becomes null, as one does that
 * is owned as a whole or was empty. Shares parts with the value. Throws ListItemError.
 */
export function removeFields(type: TypeNode, value: unknown, set: FieldSet): unknown {
  if (set.children === undefined) return value;
  const parts = partsOf(type, value);
  if (parts === undefined) return typeof value === "object" ? null : value;
  return "map" in parts
    ? removeFromMap(parts.form, parts.map, set.children)
    : removeFromList(parts.form, parts.list, set.children);
}

type Children = ReadonlyMap<string, FieldSet>;

function removeFromMap(map: MapForm, value: JsonObject, removed: Children): JsonObject | null {
  const out: JsonObject = {};
  let kept = 0;
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    const below = removed.get(fieldText(key));
    if (below?.member) continue;
    setOwn(out, key, below === undefined ? item : removeFields(fieldType(map, key), item, below));
    kept++;
  }
  return kept === 0 ? null : out;
}

function removeFromList(list: ListForm, items: readonly unknown[], removed: Children): unknown[] | null {
  const out: unknown[] = [];
  for (const item of items) {
    const below = removed.get(itemStep(list, item));
    if (below?.member) continue;
    out.push(below === undefined ? item : removeFields(list.item, item, below));
  }
  return out.length === 0 ? null : out;
}
