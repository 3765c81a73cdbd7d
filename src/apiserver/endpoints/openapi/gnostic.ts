// The protobuf form of OpenAPI documents (gnostic): a message for every object of the specification, name-value
// pairs instead of maps, and YAML text for free values. The messages are described as data, as far as Egret's
// documents use them: fields with number and type. A type is a scalar of SCALARS or another message; "[]" is a list.
import { isObject, type JsonObject, lookupTable } from "../../../apimachinery/json/json.ts";
import { encodeJson } from "../../../apimachinery/json/json-encode.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import { DELIMITED, FIXED64, newWriter, tagOf, VARINT, type Writer } from "../protobuf/value-types.ts";
import { bytesOf, Entries, type Entry, joined } from "./entries.ts";
import type { Encoding } from "./parts.ts";

/** Writes one value; omits the type's default. */
type Scalar = (field: number, value: unknown, out: Writer) => void;
type Field = readonly [number: number, type: string, value: unknown];
/** The fields of a message for a value. */
type Message = (value: unknown) => Iterable<Field>;
type Messages = Readonly<Record<string, Message>>;

/** The known properties of an object, "1 title text, 2 tags text[]"; x- extensions are pairs under the last number. */
function members(text: string, extensions?: number): Message {
  const fields = text.split(", ").map((field) => field.split(" "));
  return function* (value) {
    if (!isObject(value)) return;
    for (const [number, member = "", type = ""] of fields) yield [Number(number), type, value[member]];
    if (extensions === undefined) return;
    for (const name of Object.keys(value))
      if (name.startsWith("x-")) yield [extensions, "pair any", [name, value[name]]];
  };
}

/** A map as name-value pairs. */
function pairs(number: number, type: string): Message {
  return function* (value) {
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) yield [number, `pair ${type}`, [name, value[name]]];
  };
}

/** A oneof: the value is written under the first number whose condition holds. */
function oneOf(
  ...ways: readonly (readonly [number, type: string, fits?: (value: unknown) => boolean])[]
): Message {
  return (value) => {
    const [number, type] = ways.find(([, , fits]) => fits === undefined || fits(value)) ?? [0, ""];
    return number === 0 ? [] : [[number, type, value]];
  };
}

const isIn = (place: string) => (value: unknown) => isObject(value) && value["in"] === place;
const isReference = (value: unknown): boolean => isObject(value) && "$ref" in value;
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const orReference = (type: string): Message => oneOf([2, "Reference", isReference], [1, type]);
const REFERENCE = members("1 $ref text");

const V2: Messages = lookupTable({
  Document: members(
    "1 swagger text, 2 info Info, 8 paths Paths, 9 definitions Schemas, 10 parameters SharedParameters, 12 security Requirement[], 13 securityDefinitions SecurityDefinitions",
  ),
  Info: members("1 title text, 2 version text", 7),
  Paths: pairs(2, "PathItem"),
  PathItem: members(
    "2 get Operation, 3 put Operation, 4 post Operation, 5 delete Operation, 8 patch Operation, 9 parameters ParametersItem[]",
    10,
  ),
  Operation: members(
    "1 tags text[], 3 description text, 5 operationId text, 6 produces text[], 7 consumes text[], 8 parameters ParametersItem[], 9 responses Responses, 10 schemes text[]",
    13,
  ),
  SharedParameters: pairs(1, "Parameter"),
  ParametersItem: oneOf([2, "Reference", isReference], [1, "Parameter"]),
  Reference: REFERENCE,
  Parameter: oneOf([1, "BodyParameter", isIn("body")], [2, "NonBodyParameter"]),
  NonBodyParameter: oneOf([4, "PathParameter", isIn("path")], [3, "QueryParameter"]),
  BodyParameter: members("1 description text, 2 name text, 3 in text, 4 required flag, 5 schema Schema", 6),
  QueryParameter: members(
    "1 required flag, 2 in text, 3 description text, 4 name text, 6 type text, 20 uniqueItems flag",
    23,
  ),
  PathParameter: members(
    "1 required flag, 2 in text, 3 description text, 4 name text, 5 type text, 19 uniqueItems flag",
    22,
  ),
  Responses: pairs(1, "ResponseValue"),
  ResponseValue: oneOf([1, "Response"]),
  Response: members("1 description text, 2 schema SchemaItem", 5),
  SchemaItem: oneOf([1, "Schema"]),
  Schemas: pairs(1, "Schema"),
  Schema: members(
    "1 $ref text, 2 format text, 3 title text, 4 description text, 6 multipleOf double, 7 maximum double, 8 exclusiveMaximum flag, 9 minimum double, 10 exclusiveMinimum flag, 11 maxLength integer, 12 minLength integer, 13 pattern text, 14 maxItems integer, 15 minItems integer, 16 uniqueItems flag, 17 maxProperties integer, 18 minProperties integer, 19 required text[], 20 enum any[], 21 additionalProperties AdditionalProperties, 22 type Type, 23 items Items, 25 properties Schemas",
    31,
  ),
  AdditionalProperties: oneOf([2, "flag", isBoolean], [1, "Schema"]),
  Type: oneOf([1, "text"]),
  Items: oneOf([1, "Schema"]),
  Requirement: pairs(1, "Scopes"),
  Scopes: oneOf([1, "text[]"]),
  SecurityDefinitions: pairs(1, "SecurityDefinition"),
  SecurityDefinition: oneOf([2, "ApiKey"]),
  ApiKey: members("1 type text, 2 name text, 3 in text, 4 description text", 5),
});

const V3: Messages = lookupTable({
  Document: members("1 openapi text, 2 info Info, 4 paths Paths, 5 components Components"),
  Info: members("1 title text, 6 version text", 7),
  Paths: pairs(1, "PathItem"),
  PathItem: members(
    "4 get Operation, 5 put Operation, 6 post Operation, 7 delete Operation, 10 patch Operation, 13 parameters AnyParameter[]",
    14,
  ),
  Operation: members(
    "1 tags text[], 3 description text, 5 operationId text, 6 parameters AnyParameter[], 7 requestBody AnyBody, 8 responses Responses",
    13,
  ),
  Reference: REFERENCE,
  AnyParameter: orReference("Parameter"),
  Parameter: members("1 name text, 2 in text, 3 description text, 4 required flag, 10 schema AnySchema", 14),
  AnyBody: orReference("RequestBody"),
  RequestBody: members("1 description text, 2 content Content, 3 required flag", 4),
  Responses: pairs(2, "AnyResponse"),
  AnyResponse: orReference("Response"),
  Response: members("1 description text, 3 content Content", 5),
  Content: pairs(1, "MediaType"),
  MediaType: members("1 schema AnySchema", 5),
  Components: members("1 schemas Schemas, 7 securitySchemes SecuritySchemes"),
  Schemas: pairs(1, "AnySchema"),
  AnySchema: orReference("Schema"),
  Schema: members(
    "1 nullable flag, 9 title text, 10 multipleOf double, 11 maximum double, 12 exclusiveMaximum flag, 13 minimum double, 14 exclusiveMinimum flag, 15 maxLength integer, 16 minLength integer, 17 pattern text, 18 maxItems integer, 19 minItems integer, 20 uniqueItems flag, 21 maxProperties integer, 22 minProperties integer, 23 required text[], 24 enum any[], 25 type text, 26 allOf AnySchema[], 27 oneOf AnySchema[], 28 anyOf AnySchema[], 29 not Schema, 30 items Items, 31 properties Schemas, 32 additionalProperties AdditionalProperties, 33 default Default, 34 description text, 35 format text",
    36,
  ),
  Items: oneOf([1, "AnySchema"]),
  AdditionalProperties: oneOf([2, "flag", isBoolean], [1, "AnySchema"]),
  // gnostic cannot represent defaults that are objects or lists.
  Default: oneOf(
    [2, "flag", isBoolean],
    [3, "text", (value) => typeof value === "string"],
    [1, "double", () => true],
  ),
  SecuritySchemes: pairs(1, "AnySecurityScheme"),
  AnySecurityScheme: orReference("SecurityScheme"),
  SecurityScheme: members("1 type text, 2 description text, 3 name text, 4 in text", 9),
});

const SCALARS: Readonly<Record<string, Scalar>> = lookupTable({
  text: (field, value, out) => {
    if (typeof value === "string" && value !== "") out.uint32(tagOf(field, DELIMITED)).string(value);
  },
  flag: (field, value, out) => {
    if (value === true) out.uint32(tagOf(field, VARINT)).bool(true);
  },
  integer: (field, value, out) => {
    const whole = typeof value === "number" ? Math.trunc(value) : value;
    if (typeof whole === "number" ? whole !== 0 : typeof whole === "bigint" && whole !== 0n)
      out.uint32(tagOf(field, VARINT)).int64(String(whole));
  },
  double: (field, value, out) => {
    if ((typeof value !== "number" && typeof value !== "bigint") || Number(value) === 0) return;
    out.uint32(tagOf(field, FIXED64)).double(Number(value));
  },
  /** A free value as YAML; JSON is YAML. */
  any: (field, value, out) =>
    void out
      .uint32(tagOf(field, DELIMITED))
      .fork()
      .uint32(tagOf(2, DELIMITED))
      .string(`${encodeJson(value)}\n`)
      .ldelim(),
});

/** Maximum depth of the numerous paths and schemas in a document. */
const LEVELS_IN_TURNS = 3;

/** The Swagger 2.0 document in protobuf, encoded with yielding. */
export const encodeOpenApiV2 = async (document: object): Promise<Buffer> =>
  joined(await partsOf(V2, "Document", document, LEVELS_IN_TURNS));

/** An OpenAPI 3.0 document in protobuf, encoded with yielding. */
export const encodeOpenApiV3 = async (document: object): Promise<Buffer> =>
  joined(await partsOf(V3, "Document", document, LEVELS_IN_TURNS));

/** Entries of Swagger 2.0 in protobuf. */
export const PROTOBUF_V2: Encoding = entryEncoding(V2);

/** Entries of OpenAPI 3.0 in protobuf. */
export const PROTOBUF_V3: Encoding = entryEncoding(V3);

function entryEncoding(messages: Messages): Encoding {
  const encode = (map: string) => (name: string, value: JsonObject) => {
    const out = newWriter();
    for (const field of fieldsOf(messages, map, { [name]: value })) write(messages, field, out);
    return out.finish();
  };
  return { sortsPaths: false, path: encode("Paths"), schema: encode("Schemas") };
}

/** The bytes of a message without its length, field by field; nested messages likewise, down to `levels`. */
async function partsOf(
  messages: Messages,
  type: string,
  value: unknown,
  levels: number,
): Promise<readonly (Uint8Array | Entry)[]> {
  if (value instanceof Entries) return value.list;
  const parts: (Uint8Array | Entry)[] = [];
  for (const field of fieldsOf(messages, type, value)) {
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    const out = newWriter();
    const [number, innerType, inner] = field;
    if (levels === 0 || !isObject(inner)) {
      write(messages, field, out);
      parts.push(out.finish());
      continue;
    }
    const below = await partsOf(messages, innerType, inner, levels - 1);
    const length = below.reduce((sum, part) => sum + bytesOf(part).length, 0);
    parts.push(out.uint32(tagOf(number, DELIMITED)).uint32(length).finish());
    append(parts, below);
  }
  return parts;
}

function write(messages: Messages, [number, type, value]: Field, out: Writer): void {
  if (value === undefined) return;
  if (type.endsWith(LIST)) {
    const itemType = type.slice(0, -LIST.length);
    if (Array.isArray(value)) for (const item of value) write(messages, [number, itemType, item], out);
    return;
  }
  const scalar = SCALARS[type];
  if (scalar !== undefined) {
    scalar(number, value, out);
    return;
  }
  out.uint32(tagOf(number, DELIMITED)).fork();
  for (const field of fieldsOf(messages, type, value)) write(messages, field, out);
  out.ldelim();
}

const LIST = "[]";
const PAIR = "pair ";

function fieldsOf(messages: Messages, type: string, value: unknown): Iterable<Field> {
  if (!type.startsWith(PAIR)) return messages[type]?.(value) ?? [];
  const [name, item] = value as readonly [string, unknown]; // the form of members() and pairs()
  return [
    [1, "text", name],
    [2, type.slice(PAIR.length), item],
  ];
}
