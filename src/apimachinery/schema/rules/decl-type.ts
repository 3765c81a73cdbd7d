// CEL declaration of a schema: its type, the conversion of data to values, and size limits. Positions without a CEL type
// (unknown fields, untyped positions) are invisible to rules.

import { escapeName, RESERVED_WORDS } from "../../cel/language/lexer.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from "../../cel/language/types.ts";
import { type JsonObject, objectAt } from "../../json/json.ts";
import { greatest } from "../../meta/lists.ts";
import {
  isEmbedded,
  type JsonSchema,
  limitOf,
  listMapKeysOf,
  membersOf,
  type SchemaNode,
} from "../schema-node.ts";

type DeclKind =
  | "object"
  | "map"
  | "list"
  | "string"
  | "bytes"
  | "date"
  | "dateTime"
  | "duration"
  | "int"
  | "double"
  | "bool"
  | "intOrString";

export interface DeclType {
  readonly kind: DeclKind;
  readonly type: CelType;
  readonly nullable: boolean;
  /** Maximal number of characters, items or entries in a request. */
  readonly maxElements: number;
  /** Minimal size in bytes of its JSON. */
  readonly minSize: number;
  /** Of an object: fields by their name in rules. */
  readonly fields: ReadonlyMap<string, DeclType>;
  /** Of an object: fields by their key in the data, including those whose name no rule can write. */
  readonly byKey: ReadonlyMap<string, { readonly name: string; readonly decl: DeclType }>;
  /** Element type of a list or map. */
  readonly item: DeclType | undefined;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
}

export const REQUEST_BYTES_MAX = 3 * 1024 * 1024;
const EMPTY = new Map<never, never>();
/** Type name of self, the prefix of the names of fields and items. */
const ROOT_NAME = "selfType";

/** Declaration of a schema, or undefined where it is invisible to rules. A resource's root always has its metadata. */
export function declTypeOf(schema: JsonSchema, isResourceRoot: boolean): DeclType | undefined {
  return declare(schema, isResourceRoot, ROOT_NAME);
}

const base = (kind: DeclKind, type: CelType, minSize: number, schema: JsonSchema): DeclType => ({
  kind,
  type,
  nullable: schema["nullable"] === true,
  maxElements: 0,
  minSize,
  fields: EMPTY,
  byKey: EMPTY,
  item: undefined,
  listType: undefined,
  listMapKeys: [],
});

function declare(schema: JsonSchema, isResourceRoot: boolean, name: string): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    return {
      ...base("intOrString", DYN, 1, schema),
      maxElements: maxLengthOf(schema, REQUEST_BYTES_MAX - 2),
    };
  }
  switch (schema["type"]) {
    case "array":
      return declareList(schema, name);
    case "object":
      return declareObject(isResourceRoot ? withMetadata(schema) : schema, name);
    case "string":
      return declareString(schema);
    case "boolean":
      return base("bool", BOOL, 4, schema);
    case "number":
      return base("double", DOUBLE, 1, schema);
    case "integer":
      return base("int", INT, 1, schema);
    default:
      return isResourceRoot && schema["type"] === undefined && objectAt(schema, "properties")
        ? declareObject(withMetadata(schema), name)
        : undefined;
  }
}

/** In bytes: a character takes up to four. */
const maxLengthOf = (schema: JsonSchema, otherwise: number): number => {
  const limit = limitOf(schema, "maxLength");
  return limit === undefined ? otherwise : limit * 4;
};

function declareList(schema: JsonSchema, name: string): DeclType | undefined {
  const items = objectAt(schema, "items");
  const item = items && declare(items, isEmbedded(items), `${name}.@idx`);
  if (!item) return undefined;
  const listType = schema["x-kubernetes-list-type"];
  return {
    ...base("list", listOf(item.type), 2, schema),
    maxElements: limitOf(schema, "maxItems") ?? Math.floor((REQUEST_BYTES_MAX - 2) / (item.minSize + 1)),
    item,
    listType: typeof listType === "string" ? listType : undefined,
    listMapKeys: listMapKeysOf(schema),
  };
}

function declareObject(schema: JsonSchema, name: string): DeclType | undefined {
  const values = objectAt(schema, "additionalProperties");
  if (values) return declareMap(schema, values, name);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = new Map<string, DeclType>();
  const byKey = new Map<string, { name: string; decl: DeclType }>();
  let minSize = 2;
  for (const [key, property] of membersOf(schema)) {
    const escaped = escapeName(key);
    const decl = declare(property, isEmbedded(property), `${name}.${escaped ?? key}`);
    if (!decl) continue;
    if (escaped !== undefined) fields.set(escaped, decl);
    byKey.set(key, { name: escaped ?? key, decl });
    if (required.includes(key) && property["default"] === undefined) minSize += key.length + decl.minSize + 4;
  }
  const type = struct(name, (field) => named(fields, field)?.type);
  return { ...base("object", type, minSize, schema), fields, byKey };
}

/** Field of a name. The checker also accepts a reserved word unescaped, but its size is unknown then. */
const named = <Field>(fields: ReadonlyMap<string, Field>, name: string): Field | undefined =>
  fields.get(name) ?? (RESERVED_WORDS.has(name) ? fields.get(`__${name}__`) : undefined);

function declareMap(schema: JsonSchema, values: JsonObject, name: string): DeclType | undefined {
  const item = declare(values, isEmbedded(values), `${name}.@elem`);
  if (!item) return undefined;
  return {
    ...base("map", mapOf(STRING, item.type), 2, schema),
    maxElements: limitOf(schema, "maxProperties") ?? Math.floor((REQUEST_BYTES_MAX - 2) / (item.minSize + 6)),
    item,
  };
}

/** String formats with another CEL type: kind, type, minimal and maximal size in bytes. */
const FORMATS: ReadonlyMap<unknown, readonly [DeclKind, CelType, number, number]> = new Map<
  unknown,
  readonly [DeclKind, CelType, number, number]
>([
  ["byte", ["bytes", BYTES, 2, REQUEST_BYTES_MAX - 2]],
  ["duration", ["duration", DURATION, 3, 32]],
  ["date", ["date", TIMESTAMP, 12, 12]],
  ["date-time", ["dateTime", TIMESTAMP, 21, 32]],
]);

function declareString(schema: JsonSchema): DeclType {
  const format = FORMATS.get(schema["format"]);
  if (format === undefined)
    return { ...base("string", STRING, 2, schema), maxElements: maxLengthOf(schema, longestEnum(schema)) };
  const [kind, type, minSize, most] = format;
  const limit = kind === "bytes" ? limitOf(schema, "maxLength") : undefined;
  return { ...base(kind, type, minSize, schema), maxElements: limit ?? most };
}

function longestEnum(schema: JsonSchema): number {
  const values = schema["enum"];
  if (!Array.isArray(values) || values.length === 0) return REQUEST_BYTES_MAX - 2;
  return greatest(
    values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)),
    0,
  );
}

const TEXT: JsonSchema = { type: "string" };
const METADATA: JsonSchema = { type: "object", properties: { name: TEXT, generateName: TEXT } };

/** Of a resource, rules see apiVersion, kind and two fields of metadata, whatever the schema declares. */
function withMetadata(schema: JsonSchema): JsonSchema {
  const properties = objectAt(schema, "properties");
  const meta = objectAt(properties, "metadata");
  const metaProperties = objectAt(meta, "properties");
  const isText = (from: JsonObject | undefined, key: string): boolean =>
    objectAt(from, key)?.["type"] === "string";
  const complete =
    isText(properties, "kind") &&
    isText(properties, "apiVersion") &&
    meta?.["type"] === "object" &&
    isText(metaProperties, "name") &&
    isText(metaProperties, "generateName");
  if (complete) return schema;
  return { ...schema, properties: { ...properties, kind: TEXT, apiVersion: TEXT, metadata: METADATA } };
}

/**
 * CEL type of a compiled schema's objects, for checking expressions without evaluating them; undefined where it is
 * invisible to expressions. Types may be recursive, so field types are created on access. `name` is the type's name in
 * messages.
 */
export function typeOfNode(node: SchemaNode, name: string): CelType | undefined {
  if (node.intOrString) return DYN;
  switch (node.type) {
    case "boolean":
      return BOOL;
    case "integer":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return FORMATS.get(node.format)?.[1] ?? STRING;
    case "array": {
      const item = node.items && typeOfNode(node.items, `${name}.@idx`);
      return item && listOf(item);
    }
    case "object":
      return typeOfObject(node, name);
    default:
      return undefined;
  }
}

function typeOfObject(node: SchemaNode, name: string): CelType | undefined {
  const { additionalProperties: values } = node;
  if (values !== undefined && values !== true) {
    const value = typeOfNode(values, `${name}.@elem`);
    return value && mapOf(STRING, value);
  }
  const properties = new Map<string, SchemaNode>();
  for (const [key, property] of node.properties) {
    const escaped = escapeName(key);
    if (escaped !== undefined) properties.set(escaped, property);
  }
  return struct(name, (field) => {
    const property = named(properties, field);
    return property && typeOfNode(property, `${name}.${field}`);
  });
}
