// Lists of type set have unique items, lists of type map have unique combinations of keys. Upstream validates that apart
// from value validation, and reports only the second of equal items.

import { isObject, type JsonObject } from "../json/json.ts";
import { encodeJson } from "../json/json-encode.ts";
import { duplicate, type FieldError, invalid } from "../meta/field-error.ts";
import { append } from "../meta/lists.ts";
import { childPath, isSomewhere, type SchemaNode } from "./schema-node.ts";

/** Duplicates in an object's sets and maps. */
export function validateListTypes(node: SchemaNode, value: unknown, field = ""): FieldError[] {
  const errors: FieldError[] = [];
  if (holdsListType(node)) visit(node, value, field, errors);
  return errors;
}

/** True if the node or one below it is a set or a map. */
const holdsListType = isSomewhere(
  ({ listType }) => listType === "set" || listType === "map",
  ({ goType }) => goType === undefined, // metadata has rules of its own
);

function visit(node: SchemaNode, value: unknown, field: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    if (node.listType === "set") append(errors, setErrors(value, field));
    if (node.listType === "map") append(errors, mapErrors(node.listMapKeys, value, field));
    const { items } = node;
    if (items === undefined || !holdsListType(items)) return;
    for (const [index, item] of value.entries()) visit(items, item, `${field}[${index}]`, errors);
  } else if (isObject(value)) visitMembers(node, value, field, errors);
}

function visitMembers(node: SchemaNode, value: JsonObject, field: string, errors: FieldError[]): void {
  const { additionalProperties, properties } = node;
  for (const key of Object.keys(value).sort()) {
    const property = properties.get(key);
    if (property?.goType !== undefined) continue;
    if (property !== undefined) {
      if (holdsListType(property)) visit(property, value[key], childPath(field, key), errors);
    } else if (typeof additionalProperties === "object" && holdsListType(additionalProperties)) {
      visit(additionalProperties, value[key], `${field}[${key}]`, errors);
    }
  }
}

const setErrors = (items: readonly unknown[], field: string): FieldError[] =>
  secondIndexes(items).map((index) => duplicate(`${field}[${index}]`, items[index]));

/** Index of the second occurrence of each value; further ones are not reported. */
function secondIndexes(values: readonly unknown[]): number[] {
  if (values.length < 2) return [];
  const times = new Map<unknown, number>();
  const seconds: number[] = [];
  for (const [index, value] of values.entries()) {
    const identity = typeof value === "object" && value !== null ? encodeJson(value) : value;
    const key = typeof value === "string" ? `"${value}` : identity;
    const count = times.get(key) ?? 0;
    times.set(key, count + 1);
    if (count === 1) seconds.push(index);
  }
  return seconds;
}

function mapErrors(keys: readonly string[], items: readonly unknown[], field: string): FieldError[] {
  const wrong = items.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    const detail = "must be an object for an array of list-type map";
    return [invalid(`${field}[${wrong}]`, items[wrong], detail)];
  }
  const identities = items.map((item) => keysOf(keys, item));
  return secondIndexes(identities).map((index) => duplicate(`${field}[${index}]`, identities[index]));
}

function keysOf(keys: readonly string[], item: unknown): JsonObject {
  const identity: JsonObject = {};
  if (!isObject(item)) return identity;
  for (const key of keys) if (Object.hasOwn(item, key)) identity[key] = item[key];
  return identity;
}
