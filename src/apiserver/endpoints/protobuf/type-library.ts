// All message types by name, each built once from the schemas of the built-in kinds. A message is named by the last
// three parts of its full name ("core.v1.Pod"); an embedded one by its path in its owner ("core.v1.Volume.2"). Kinds
// are found by apiVersion.
import { isObject, type JsonObject, lookupTable } from "../../../apimachinery/json/json.ts";
import { goMembers, goStruct } from "../../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../../apimachinery/schema/go/schema-library.ts";
import type { GoField, JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import { type FieldFacts, type MessageFacts, MessageType } from "./message-type.ts";
import { DELIMITED, SCALARS, SPECIAL_TYPES, type ValueType } from "./value-types.ts";

/** undefined for an unknown message. */
export function messageFacts(name: string): MessageFacts | undefined {
  const [group = "", version = "", goType = "", ...path] = name.split(".");
  const definition = definitionOf(`${group}.${version}.${goType}`);
  if (definition === undefined) return undefined;
  const { fields, embeds } = goStruct(definition);
  const members = goMembers(definition).flatMap(([member, schema]) => {
    const field = fields.get(member);
    return field === undefined || field.path.length === 0 ? [] : [{ member, schema, field }];
  });
  if (members.length === 0 && (definition["type"] !== "object" || fields.size > 0)) return undefined;
  const found = new Map<number, FieldFacts>();
  for (const { member, schema, field } of members) {
    const rest = below(field, path);
    const number = rest[0];
    if (number === undefined) continue;
    if (rest.length === 1) found.set(number, memberFacts(number, member, schema, field));
    else found.set(number, embeddedFacts(number, `${name}.${number}`));
  }
  return {
    goType: embeds.get(path.join(".")) ?? goType,
    fields: [...found.values()].sort((a, b) => a.number - b.number),
  };
}

/** The field's path relative to the embedded message; empty when the field is elsewhere. */
function below({ path }: GoField, outer: readonly string[]): readonly number[] {
  return outer.every((number, index) => String(path[index]) === number) ? path.slice(outer.length) : [];
}

const embeddedFacts = (number: number, type: string): FieldFacts => ({
  number,
  name: "",
  form: "embedded",
  type,
  alwaysWritten: true,
});

function memberFacts(number: number, name: string, schema: JsonSchema, field: GoField): FieldFacts {
  const { form, type } = typeOf(schema);
  return { number, name, form, type, alwaysWritten: isWritten(type, schema, field) };
}

/** Scalars and times are values unless they are pointers. Structs are pointers unless the schema shows otherwise. */
function isWritten(type: string, schema: JsonSchema, { isPointer, isValue, zero }: GoField): boolean {
  const isScalar = SCALARS.has(type) || type === "Time" || type === "MicroTime";
  if (isScalar) return !isPointer && zero !== null;
  return isObject(schema["default"]) || isValue || (zero ?? null) !== null;
}

function typeOf(schema: JsonSchema): Pick<FieldFacts, "form" | "type"> {
  const { type, items, additionalProperties, "x-egret-message": message } = schema;
  if (typeof message === "string") return { form: "single", type: message };
  if (type === "array" && isObject(items)) return { form: "list", type: simpleType(items) };
  if (isObject(additionalProperties)) return { form: "map", type: simpleType(additionalProperties) };
  return { form: "single", type: simpleType(schema) };
}

/** Types that are named by their last part alone, in any package. */
const COMMON = /(?:^|\.)(Time|MicroTime|Quantity|IntOrString|RawExtension|FieldsV1|JSON)$/;

function simpleType(schema: JsonSchema): string {
  const ref = schema["$ref"] ?? [schema["allOf"]].flat().find(isObject)?.["$ref"];
  if (typeof ref === "string") return COMMON.exec(ref)?.[1] ?? shortName(ref);
  if (schema["type"] === "array") return "Strings"; // a list as the value of a map
  if (schema["type"] === "string") return schema["format"] === "byte" ? "bytes" : "string";
  return schema["type"] === "boolean" ? "bool" : String(schema["format"] ?? "int32");
}

const shortName = (name: string): string => name.split(".").slice(-3).join(".");

let fullNames: ReadonlyMap<string, string> | undefined;

function definitionOf(name: string): JsonSchema | undefined {
  const library = schemaLibrary();
  fullNames ??= new Map(library.names.map((full) => [shortName(full), full]));
  return library.definition(fullNames.get(name) ?? "");
}

const messages = new Map<string, MessageType>();

/** The message of that name ("core.v1.Pod"), or undefined. */
function messageType(name: string): MessageType | undefined {
  const known = messages.get(name);
  if (known !== undefined) return known;
  const facts = messageFacts(name);
  if (facts === undefined) return undefined;
  const made = new MessageType(facts, typeNamed);
  messages.set(name, made);
  return made;
}

function typeNamed(name: string): ValueType {
  const simple = SCALARS.get(name) ?? SPECIAL_TYPES.get(name);
  if (simple !== undefined) return simple;
  const message = messageType(name);
  if (message === undefined) throw new Error(`no message is called ${name}`);
  return UNIONS[name]?.(message) ?? message;
}

/** A message that has one of two forms in JSON. */
const union =
  (toMessage: (value: unknown) => JsonObject, toJson: (fields: JsonObject) => unknown) =>
  (message: MessageType): ValueType => ({
    wireType: DELIMITED,
    zero: undefined,
    write: (writer, value) => message.write(writer, toMessage(value)),
    read: (reader, depth) => toJson(message.read(reader, depth)),
  });

const schemaOrList = (list: string) =>
  union(
    (value) => (Array.isArray(value) ? { [list]: value } : { schema: value }),
    (fields) => fields[list] ?? fields["schema"] ?? null,
  );

const UNIONS: Readonly<Record<string, ReturnType<typeof union>>> = lookupTable({
  "apiextensions.v1.JSONSchemaPropsOrArray": schemaOrList("schemas"),
  "apiextensions.v1.JSONSchemaPropsOrBool": union(
    (value) => (isObject(value) ? { allows: true, schema: value } : { allows: value === true }),
    ({ allows, schema }) => schema ?? allows === true,
  ),
  "apiextensions.v1.JSONSchemaPropsOrStringArray": schemaOrList("property"),
});

/** Kinds without a group, or of all groups. */
const META_KINDS: ReadonlySet<string> = new Set(
  "APIGroup APIGroupList APIResourceList APIVersions DeleteOptions Status".split(" "),
);

/** The message of a kind; undefined without one. The package is the first part of the group: apps, rbac, meta. */
export function messageOfKind(apiVersion: string, kind: string): MessageType | undefined {
  if (META_KINDS.has(kind)) return messageType(`meta.v1.${kind}`);
  const cut = apiVersion.lastIndexOf("/");
  const group = cut < 0 ? "core" : (apiVersion.slice(0, cut).split(".")[0] ?? "");
  return messageType(`${group}.${apiVersion.slice(cut + 1)}.${kind}`);
}
