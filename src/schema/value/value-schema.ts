// The value-validation half of a schema, read once: types, formats, bounds, and the alternatives of allOf, anyOf, oneOf
// and not, which have no nodes. What a real server does not know (formats) is gone here.

import { isObject, type JsonObject, lookupTable } from "../../meta/json.ts";
import { formatCheck } from "../formats.ts";
import { branchesOf, listMapKeysOf, membersOf, stringsOf } from "../raw-schema.ts";
import type { JsonSchema } from "../schema-node.ts";

export interface NumberRule {
  /** The type, if there is exactly one: numbers are checked against its range. */
  readonly type: string;
  readonly format: string;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
}

export interface ValueSchema {
  /** As messages join them: "integer,string". */
  readonly types: readonly string[];
  readonly nullable: boolean;
  /** "" where the format is not one that is checked. */
  readonly format: string;
  readonly matchesFormat: ((text: string) => boolean) | undefined;
  readonly enumValues: readonly unknown[] | undefined;
  readonly number: NumberRule;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly items: ValueSchema | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  /** In the order of the names, which is the order of the findings. */
  readonly properties: ReadonlyMap<string, ValueSchema>;
  readonly additionalProperties: ValueSchema | boolean | undefined;
  readonly allOf: readonly ValueSchema[];
  readonly anyOf: readonly ValueSchema[];
  readonly oneOf: readonly ValueSchema[];
  readonly not: ValueSchema | undefined;
  readonly listType: unknown;
  readonly listMapKeys: readonly string[];
  /** How many schemas there are inside of this one, itself included. */
  readonly size: number;
}

const compiled = new WeakMap<JsonSchema, ValueSchema>();

export function valueSchema(raw: JsonSchema): ValueSchema {
  const known = compiled.get(raw);
  if (known !== undefined) return known;
  const schema = withSize(compile(raw));
  compiled.set(raw, schema);
  return schema;
}

type Unsized = Omit<ValueSchema, "size">;

function withSize(schema: Unsized): ValueSchema {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  let size = 1 + (items?.size ?? 0) + (not?.size ?? 0);
  if (typeof additionalProperties === "object") size += additionalProperties.size;
  for (const property of properties.values()) size += property.size;
  for (const branches of [allOf, anyOf, oneOf]) for (const branch of branches) size += branch.size;
  return Object.assign(schema, { size });
}

function compile(raw: JsonSchema): Unsized {
  const types = typesOf(raw);
  const format = checkedFormat(raw["format"], types);
  const properties = membersOf(raw).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    types,
    nullable: raw["nullable"] === true,
    format,
    matchesFormat: formatCheck(format),
    enumValues: Array.isArray(raw["enum"]) && raw["enum"].length > 0 ? raw["enum"] : undefined,
    number: numberRule(raw, types, format),
    minLength: numberOf(raw["minLength"]),
    maxLength: numberOf(raw["maxLength"]),
    pattern: typeof raw["pattern"] === "string" && raw["pattern"] !== "" ? raw["pattern"] : undefined,
    minItems: numberOf(raw["minItems"]),
    maxItems: numberOf(raw["maxItems"]),
    uniqueItems: raw["uniqueItems"] === true,
    items: schemaOf(raw["items"]),
    minProperties: numberOf(raw["minProperties"]),
    maxProperties: numberOf(raw["maxProperties"]),
    required: stringsOf(raw["required"]),
    properties: new Map(properties.map(([key, property]) => [key, valueSchema(property)])),
    additionalProperties:
      typeof raw["additionalProperties"] === "boolean"
        ? raw["additionalProperties"]
        : schemaOf(raw["additionalProperties"]),
    allOf: branchesOf(raw, "allOf").map(valueSchema),
    anyOf: branchesOf(raw, "anyOf").map(valueSchema),
    oneOf: branchesOf(raw, "oneOf").map(valueSchema),
    not: schemaOf(raw["not"]),
    listType: raw["x-kubernetes-list-type"],
    listMapKeys: listMapKeysOf(raw),
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

function numberRule(raw: JsonObject, types: readonly string[], format: string): NumberRule {
  return {
    type: types.length === 1 ? (types[0] ?? "") : "",
    format,
    maximum: numberOf(raw["maximum"]),
    exclusiveMaximum: raw["exclusiveMaximum"] === true,
    minimum: numberOf(raw["minimum"]),
    exclusiveMinimum: raw["exclusiveMinimum"] === true,
    multipleOf: numberOf(raw["multipleOf"]),
  };
}

/** Bounds are doubles, as a real server keeps them. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" ? value : undefined;
}

const schemaOf = (raw: unknown): ValueSchema | undefined => (isObject(raw) ? valueSchema(raw) : undefined);
