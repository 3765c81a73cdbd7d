// The fields of the messages behind the built-in kinds, as their schemas tell them. A message goes by the last three words
// of its full name ("core.v1.Pod"), and an embedded one by its path in its owner ("core.v1.Volume.2").
import { isObject } from "../../meta/json.ts";
import { type GoField, goMembers, goStruct } from "../../schema/go/go-struct.ts";
import { schemaLibrary } from "../../schema/go/schema-library.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { SCALARS } from "./value-type.ts";

export interface FieldFacts {
  readonly number: number;
  /** In JSON. An embedded message has none: its members stand in its owner's. */
  readonly name: string;
  readonly container: "list" | "map" | undefined;
  /** A scalar, a type that special-types.ts knows, or a message. */
  readonly type: string;
  /** No pointer in Go: it is written even without a value. */
  readonly alwaysWritten: boolean;
  readonly isEmbedded: boolean;
}

export interface MessageFacts {
  /** The name of the Go type, as errors show it. */
  readonly goType: string;
  /** In the order of their numbers. */
  readonly fields: readonly FieldFacts[];
}

/** Undefined when there is no such message. */
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

/** The field's path from the embedded message on; empty when it stands elsewhere. */
function below({ path }: GoField, outer: readonly string[]): readonly number[] {
  return outer.every((number, index) => String(path[index]) === number) ? path.slice(outer.length) : [];
}

const embeddedFacts = (number: number, type: string): FieldFacts => ({
  number,
  name: "",
  container: undefined,
  type,
  alwaysWritten: true,
  isEmbedded: true,
});

function memberFacts(number: number, name: string, schema: JsonSchema, field: GoField): FieldFacts {
  const { container, type } = typeOf(schema);
  return { number, name, container, type, alwaysWritten: isWritten(type, schema, field), isEmbedded: false };
}

/** Scalars and times are values unless they are pointers; structs are pointers unless something shows that they are not. */
function isWritten(type: string, schema: JsonSchema, { isPointer, isValue, zero }: GoField): boolean {
  const isScalar = SCALARS.has(type) || type === "Time" || type === "MicroTime";
  if (isScalar) return !isPointer && zero !== null;
  return isObject(schema["default"]) || isValue || (zero ?? null) !== null;
}

function typeOf(schema: JsonSchema): Pick<FieldFacts, "container" | "type"> {
  const { type, items, additionalProperties, "x-egret-message": message } = schema;
  if (typeof message === "string") return { container: undefined, type: message };
  if (type === "array" && isObject(items)) return { container: "list", type: simpleType(items) };
  if (isObject(additionalProperties)) return { container: "map", type: simpleType(additionalProperties) };
  return { container: undefined, type: simpleType(schema) };
}

/** Types that are called by their last word alone, wherever they stand. */
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
