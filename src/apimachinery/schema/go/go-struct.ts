// Properties of the Go struct behind a built-in type that its published schema lacks. They are stored in the schema, under
// unpublished keys. The members of a definition are in the order of the struct:
//
//   x-egret-field: 3               protobuf field number; [2, 10]: field 10 of the message embedded as field 2
//   x-egret-pointer: true          an optional scalar or time whose zero value counts as set
//   x-egret-value: true            a struct that is no pointer, where neither a default nor a zero shows it
//   x-egret-type: v1.Protocol      Go's name of the type, where it is a named string or contains one
//   x-egret-message: Strings       protobuf message, where it differs from the one of the schema's type
//   x-egret-zero: null             no omitempty: JSON value of an unset member
//   x-egret-default: TCP           default value, see apiserver/registry/strategy/schema-defaults.ts
//   x-egret-default-when: {…}      condition of the default
//   x-egret-off: true              dropped on write, see apiserver/registry/strategy/switched-off.ts
//   x-egret-zero-omitted: true     omitted while zero: a time that is no pointer, a required list
//
//   x-egret-embeds: {"2": Rule}    (of a definition) embedded messages, whose members are inlined in JSON
//   x-egret-keeps-empty-lists: true  (of a definition) empty and absent lists differ, see GoStruct
//   x-egret-union: {schema: …}     (of a definition) fields of a message of which JSON has exactly one
//   x-egret-rules: {name: {…}}     (of a definition) validation rules of its members, see apiserver/registry/strategy/schema-rules.ts
//
// Required fields with a default are encoded when they are absent; that follows from the schema.
import { isObject, type JsonObject, objectAt } from "../../json/json.ts";
import type { MemberOrder, OrderedMember } from "../../json/json-encode.ts";
import type { GoField, GoStruct, SchemaNode } from "../schema-node.ts";

/** Members of the struct with their schemas, in struct order. */
export function goMembers(definition: JsonObject): [name: string, schema: JsonObject][] {
  const members = objectAt(definition, "properties") ?? objectAt(definition, "x-egret-union") ?? {};
  return Object.entries(members).map(([name, schema]) => [name, isObject(schema) ? schema : {}]);
}

/** Type of a member, or of its items, where the schema refers to a named type. */
export function structNamedBy(schema: JsonObject): string | undefined {
  const parts = [schema, schema["items"], schema["allOf"]].flat();
  const references = parts.map((part) => (isObject(part) ? part["$ref"] : undefined));
  return references.find((reference) => typeof reference === "string")?.replace(/.*\//, "");
}

export function goStruct(definition: JsonObject): GoStruct {
  const embeds = Object.entries(objectAt(definition, "x-egret-embeds") ?? {});
  return {
    fields: new Map(goMembers(definition).map(([name, schema]) => [name, goField(schema)])),
    embeds: new Map(embeds.map(([path, name]) => [path, String(name)])),
    keepsEmptyLists: definition["x-egret-keeps-empty-lists"] === true,
  };
}

function goField(property: JsonObject): GoField {
  const { "x-egret-field": number = [], "x-egret-type": type } = property;
  const path = [number].flat();
  return {
    path: path.filter((number) => typeof number === "number"),
    isPointer: property["x-egret-pointer"] === true,
    isValue: property["x-egret-value"] === true,
    zero: property["x-egret-zero"],
    omitsZero: property["x-egret-zero-omitted"] === true,
    type: typeof type === "string" ? type : undefined,
  };
}

/** The schema without these keys: they belong to the property's owner, not to its type. */
export function withoutFacts(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith("x-egret-")));
}

// Member order of a built-in kind in Go's JSON: that of its structs, in which schemas list them.

const orders = new WeakMap<SchemaNode, MemberOrder>();

/** Undefined: the node contains no struct, and keys are sorted. */
export function structOrder(node: SchemaNode | true | undefined): MemberOrder | undefined {
  if (typeof node !== "object" || (node.go === undefined && !node.items && !node.additionalProperties))
    return undefined;
  let order = orders.get(node);
  if (order === undefined) {
    order = orderOf(node);
    orders.set(node, order);
  }
  return order;
}

/** Nested orders are computed on access, because types may be recursive. */
function orderOf({ go, properties, additionalProperties, items }: SchemaNode): MemberOrder {
  const memberOf = (property: SchemaNode, place: number): OrderedMember => ({
    place,
    get order() {
      return structOrder(property);
    },
  });
  const members = [...properties].map(([key, property], place) => [key, memberOf(property, place)] as const);
  return {
    members: go === undefined ? undefined : new Map(members),
    get values() {
      return structOrder(additionalProperties);
    },
    get items() {
      return structOrder(items);
    },
  };
}
