// What a published schema does not tell about the Go struct behind a built-in type. It stands beside the schema, under
// keys that are not published; the members of a definition stand in the order of the struct:
//
//   x-egret-field: 3               number in protobuf; [2, 10]: field 10 of the message embedded as field 2
//   x-egret-pointer: true          an optional scalar or time whose zero value counts as given
//   x-egret-value: true            a struct that is no pointer, where neither a default nor a zero shows it
//   x-egret-type: v1.Protocol      how Go prints the type, where it is a named string, or has them in it
//   x-egret-message: Strings       the message in protobuf, where it is not the one of the schema's type
//   x-egret-zero: null             no omitempty: what is written where there is no value
//   x-egret-default: TCP           what a server fills in where there is no value, see resources/schema-defaults.ts
//   x-egret-default-when: {…}      where it does so
//   x-egret-off: true              dropped from what is written, see resources/switched-off.ts
//   x-egret-zero-omitted: true     left out while zero: a time that is no pointer, a list that is required
//
//   x-egret-embeds: {"2": Rule}    (of a definition) messages whose members stand among those of their owner in JSON
//   x-egret-keeps-empty-lists: true  (of a definition) an empty list is told from none, see GoStruct
//   x-egret-union: {schema: …}     (of a definition) the fields of a message that is one of them in JSON
//   x-egret-rules: {name: {…}}     (of a definition) what is asked of its members, see resources/schema-rules.ts
//
// Required fields with a default are written when they are absent; that follows from the schema.
import { isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import type { MemberOrder, OrderedMember } from "../../meta/json-encode.ts";
import type { GoField, GoStruct, SchemaNode } from "../schema-node.ts";

/** The members of the struct with their schemas, in its order. */
export function goMembers(definition: JsonObject): [name: string, schema: JsonObject][] {
  const members = objectAt(definition, "properties") ?? objectAt(definition, "x-egret-union") ?? {};
  return Object.entries(members).map(([name, schema]) => [name, isObject(schema) ? schema : {}]);
}

/** The type of a member, or of its items, where the schema refers to one by its name. */
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

/** The schema without the facts: they belong to the owner of the property, and not to its type. */
export function withoutFacts(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith("x-egret-")));
}

// The order in which Go writes the members of a built-in kind: that of its structs, whose schemas list them so.

const orders = new WeakMap<SchemaNode, MemberOrder>();

/** Undefined: there is no struct in it, and keys are sorted. */
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

/** What lies below is looked at when it is needed: types may contain themselves. */
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
