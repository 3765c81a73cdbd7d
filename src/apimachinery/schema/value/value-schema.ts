// Value validation keywords of a schema, read once: types, formats, bounds, and the alternatives of allOf, anyOf, oneOf
// and not, which have no nodes. Formats that upstream does not know are dropped.

import { isObject, type JsonObject, lookupTable, objectsAt, textAt, textsAt } from "../../json/json.ts";
import { formatCheck } from "../formats.ts";
import { type JsonSchema, listMapKeysOf, membersOf } from "../schema-node.ts";

/** Keywords for a value itself, without its parts. */
function limitsOf(raw: JsonSchema) {
  const types = typesOf(raw);
  const format = checkedFormat(raw["format"], types);
  return {
    /** Joined as in messages: "integer,string". */
    types,
    nullable: raw["nullable"] === true,
    /** "" where the format is not validated. */
    format,
    matchesFormat: formatCheck(format),
    enumValues: Array.isArray(raw["enum"]) && raw["enum"].length > 0 ? raw["enum"] : undefined,
    maximum: numberOf(raw["maximum"]),
    exclusiveMaximum: raw["exclusiveMaximum"] === true,
    minimum: numberOf(raw["minimum"]),
    exclusiveMinimum: raw["exclusiveMinimum"] === true,
    multipleOf: numberOf(raw["multipleOf"]),
    minLength: numberOf(raw["minLength"]),
    maxLength: numberOf(raw["maxLength"]),
    pattern: textAt(raw, "pattern") || undefined,
    minItems: numberOf(raw["minItems"]),
    maxItems: numberOf(raw["maxItems"]),
    uniqueItems: raw["uniqueItems"] === true,
    minProperties: numberOf(raw["minProperties"]),
    maxProperties: numberOf(raw["maxProperties"]),
    required: textsAt(raw, "required"),
    listType: raw["x-kubernetes-list-type"],
    listMapKeys: listMapKeysOf(raw),
  };
}

export interface ValueSchema extends Readonly<ReturnType<typeof limitsOf>> {
  /** Sorted by name, which is the order of the findings. */
  readonly properties: ReadonlyMap<string, ValueSchema>;
  readonly items: ValueSchema | undefined;
  readonly additionalProperties: ValueSchema | boolean | undefined;
  readonly allOf: readonly ValueSchema[];
  readonly anyOf: readonly ValueSchema[];
  readonly oneOf: readonly ValueSchema[];
  readonly not: ValueSchema | undefined;
  /** Number of schemas inside of this one, itself included. */
  readonly size: number;
}

const compiled = new WeakMap<JsonSchema, ValueSchema>();

export function valueSchema(raw: JsonSchema): ValueSchema {
  let schema = compiled.get(raw);
  if (schema === undefined) {
    schema = compile(raw);
    compiled.set(raw, schema);
  }
  return schema;
}

function compile(raw: JsonSchema): ValueSchema {
  const members = membersOf(raw).sort(([a], [b]) => (a < b ? -1 : 1));
  const properties = new Map(members.map(([key, property]) => [key, valueSchema(property)]));
  const [items, not, others] = [raw["items"], raw["not"], raw["additionalProperties"]].map(schemaOf);
  const [allOf = [], anyOf = [], oneOf = []] = ["allOf", "anyOf", "oneOf"].map((keyword) =>
    objectsAt(raw, keyword).map(valueSchema),
  );
  const inside = [...properties.values(), items, not, others, ...allOf, ...anyOf, ...oneOf];
  return {
    ...limitsOf(raw),
    properties,
    items,
    additionalProperties:
      typeof raw["additionalProperties"] === "boolean" ? raw["additionalProperties"] : others,
    allOf,
    anyOf,
    oneOf,
    not,
    size: inside.reduce((sum, part) => sum + (part?.size ?? 0), 1),
  };
}

function typesOf(raw: JsonObject): string[] {
  if (raw["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return typeof raw["type"] === "string" && raw["type"] !== "" ? [raw["type"]] : [];
}

const NUMBER_FORMATS: Readonly<Record<string, ReadonlySet<string>>> = lookupTable({
  integer: new Set(["int32", "int64"]),
  number: new Set(["float", "double"]),
});

function checkedFormat(format: unknown, types: readonly string[]): string {
  if (typeof format !== "string") return "";
  const type = types.length === 1 ? (types[0] ?? "") : "";
  if (type === "" || type === "string") return formatCheck(format) === undefined ? "" : format;
  return NUMBER_FORMATS[type]?.has(format) ? format : "";
}

/** Bounds are doubles, as upstream. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" ? value : undefined;
}

const schemaOf = (raw: unknown): ValueSchema | undefined => (isObject(raw) ? valueSchema(raw) : undefined);
