// Errors of Go's JSON decoder for values that do not fit the Go type of their field. The decoder continues after a wrong
// type and reports the first one. It stops at once where a type with its own UnmarshalJSON (a time, a quantity) fails.

import { base64Error } from "../../go/base64.ts";
import { quantityError } from "../../go/quantity.ts";
import { MICRO_TIME_LAYOUT, parseGoTime, TIME_LAYOUT } from "../../go/time.ts";
import { goJsonType, isObject, type JsonObject, lookupTable } from "../../json/json.ts";
import { encodeJson } from "../../json/json-encode.ts";
import type { KeysOf } from "../../json/json-words.ts";
import { isSpelled, numberSpelled, spellingOf, tooGreatForDouble } from "../../json/spelled-number.ts";
import { memoizeText } from "../../meta/memoize.ts";
import { compileStructure, objectMetaNode } from "../compile-schema.ts";
import type { SchemaNode } from "../schema-node.ts";

export interface DecodeOptions {
  readonly sorted: boolean;
  readonly keysOf?: KeysOf | undefined;
  /** The value may hold numbers in their source spelling. */
  readonly isSpelled?: boolean | undefined;
}

/**
 * Decoding error of a value, or undefined when it fits. Members are visited in text order, or sorted where upstream
 * encodes the value again before decoding.
 */
export function decodeError(
  node: SchemaNode,
  value: unknown,
  { sorted, keysOf = Object.keys, isSpelled: spelled = false }: DecodeOptions,
): string | undefined {
  const decoder: Decoder = {
    isSpelled: spelled,
    keysOf: sorted ? (object) => Object.keys(object).sort() : keysOf,
    error: undefined,
  };
  try {
    decode(decoder, node, value, undefined);
  } catch (error) {
    if (!(error instanceof Abort)) throw error;
    return error.message;
  }
  return decoder.error;
}

/** Upstream encodes the metadata of a custom resource again before decoding it as ObjectMeta, so its keys are sorted. */
export const objectMetaError = (metadata: unknown): string | undefined =>
  decodeError(objectMetaNode(), metadata, { sorted: true });

/** Position of the decoder: struct and member. Formatted only for errors. */
interface Place {
  /** The enclosing struct; undefined for the root. */
  readonly above: Place | undefined;
  readonly struct: SchemaNode;
  readonly key: string;
  /** Named type of the value, if it has one. */
  readonly type: string | undefined;
}

class Abort extends Error {}

interface Decoder {
  readonly keysOf: KeysOf;
  readonly isSpelled: boolean;
  error: string | undefined;
}

function decode(decoder: Decoder, node: SchemaNode, value: unknown, place: Place | undefined): void {
  if (value === null || value === undefined) return;
  const special = node.goType === undefined ? undefined : SELF_READING[node.goType];
  if (special !== undefined) {
    special(value, place);
  } else if (isObject(value)) {
    decodeObject(decoder, node, value, place);
  } else if (Array.isArray(value)) {
    decodeArray(decoder, node, value, place);
  } else {
    decodeScalar(decoder, node, value, place);
  }
}

function decodeObject(decoder: Decoder, node: SchemaNode, value: JsonObject, place: Place | undefined): void {
  if (node.preserveUnknownFields) {
    if (decoder.isSpelled) refuseTooGreat(value);
    return;
  }
  const { additionalProperties } = node;
  if (typeof additionalProperties === "object") {
    const member = inside(place);
    for (const key of decoder.keysOf(value)) decode(decoder, additionalProperties, value[key], member);
  } else if (node.properties.size > 0) {
    for (const key of decoder.keysOf(value)) {
      const property = node.properties.get(key);
      if (property === undefined) continue;
      decode(decoder, property, value[key], { above: place, struct: node, key, type: namedType(node, key) });
    }
  } else if (node.type !== "object") misfit(decoder, node, "object", place);
}

function decodeArray(decoder: Decoder, node: SchemaNode, value: unknown[], place: Place | undefined): void {
  if (node.preserveUnknownFields) {
    if (decoder.isSpelled) refuseTooGreat(value);
    return;
  }
  const { items = node.format === "byte" ? BYTE : undefined } = node;
  if (items === undefined) {
    misfit(decoder, node, "array", place);
    return;
  }
  const each = inside(place);
  for (const item of value) decode(decoder, items, item, each);
}

/** Bytes are encoded in base64; a list of numbers is accepted, too. */
const BYTE = compileStructure({ type: "integer", format: "uint8" });

/** JSON type that a scalar type is decoded from. */
const JSON_TYPES: Partial<Record<NonNullable<SchemaNode["type"]>, string>> = {
  string: "string",
  boolean: "bool",
  number: "number",
  integer: "number",
};

function decodeScalar(decoder: Decoder, node: SchemaNode, value: unknown, place: Place | undefined): void {
  const { type, format } = node;
  if (type === undefined) {
    refuseTooGreat(value);
    return; // any other value is accepted
  }
  const kind = goJsonType(value);
  if (JSON_TYPES[type] !== kind) misfit(decoder, node, kind, place);
  else if (typeof value === "string") {
    if (format === "byte") decoder.error ??= base64Error(value);
  } else if (type === "integer" ? !fitsInteger(value, format) : isTooGreat(value))
    misfit(decoder, node, `number ${encodeJson(value)}`, place);
}

const isTooGreat = (value: unknown): value is symbol =>
  isSpelled(value) && !Number.isFinite(numberSpelled(value));

/** A value without a type has its own decoder, whose error does not name the field. */
function refuseTooGreat(value: unknown): void {
  if (isTooGreat(value)) throw new Abort(tooGreatForDouble(spellingOf(value)));
  if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) refuseTooGreat(item);
}

const INT32 = 2 ** 31;
const UINT8 = 2 ** 8;

/**
 * Decoded integers are numbers while exact, and bigints within int64. Every other number is a fraction, too large, or not
 * spelled as an integer.
 */
function fitsInteger(value: unknown, format: string | undefined): boolean {
  if (typeof value === "bigint") return format !== "int32" && format !== "uint8";
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return false;
  if (format === "uint8") return value >= 0 && value < UINT8;
  return format !== "int32" || (value >= -INT32 && value < INT32);
}

const inside = (place: Place | undefined): Place | undefined =>
  place?.type === undefined ? place : { ...place, type: elementType(place.type) };

function misfit(decoder: Decoder, node: SchemaNode, kind: string, place: Place | undefined): void {
  decoder.error ??= misfitText(kind, goTypeName(node, place?.type), place);
}

function misfitText(kind: string, type: string, place: Place | undefined): string {
  const into = place === undefined ? "value" : `struct field ${place.struct.goType ?? ""}.${fieldOf(place)}`;
  return `json: cannot unmarshal ${kind} into Go ${into} of type ${type}`;
}

/** Dotted path of a field. */
function fieldOf(place: Place): string {
  const names: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.above)
    names.push(embeddedName(at.struct, at.key));
  return names.reverse().join(".");
}

/** A member of an embedded struct is prefixed with that struct's name: ProbeHandler.tcpSocket. */
function embeddedName({ go }: SchemaNode, key: string): string {
  const path = go?.fields.get(key)?.path ?? [];
  const owners = path
    .slice(0, -1)
    .flatMap((_, last) => go?.embeds.get(path.slice(0, last + 1).join(".")) ?? []);
  return [...owners, key].join(".");
}

type SelfReading = (value: unknown, place: Place | undefined) => void;

const readTime = (layout: string): SelfReading => {
  const parse = memoizeText((text) => parseGoTime(text, layout));
  return (value, place) => {
    if (typeof value !== "string") throw new Abort(misfitText(goJsonType(value), "string", place));
    const parsed = parse(value);
    if (!parsed.ok) throw new Abort(parsed.error);
  };
};

/** Types with their own UnmarshalJSON. */
const SELF_READING: Readonly<Record<string, SelfReading>> = lookupTable({
  Time: readTime(TIME_LAYOUT),
  MicroTime: readTime(MICRO_TIME_LAYOUT),
  Quantity: (value) => {
    const error = quantityError(typeof value === "string" ? value.trim() : encodeJson(value));
    if (error !== undefined) throw new Abort(error);
  },
  IntOrString: (value, place) => {
    if (typeof value === "string") return;
    if (fitsInteger(value, "int32")) return;
    const type = goJsonType(value);
    const kind = type === "number" ? `number ${encodeJson(value)}` : type;
    throw new Abort(misfitText(kind, "int32", place));
  },
});

/** Named type of a struct member: a named string, or a list or map of them. */
export const namedType = ({ go }: SchemaNode, key: string): string | undefined => go?.fields.get(key)?.type;

/** Element type of a list or map; undefined: it follows from the schema. */
export const elementType = (type: string | undefined): string | undefined =>
  /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(type ?? "")?.[1];

/** Go's name for the type of a node: "string", "[]v1.OwnerReference", "map[string]string"; `named` as above. */
export function goTypeName(node: SchemaNode, named?: string): string {
  if (named !== undefined) return named;
  // "io.k8s.api.core.v1.Pod" is v1.Pod, "io.k8s.apimachinery.pkg.api.resource.Quantity" is resource.Quantity.
  if (node.typeName !== undefined) return node.typeName.split(".").slice(-2).join(".");
  switch (node.type) {
    case "array":
      return `[]${node.items === undefined ? "interface {}" : goTypeName(node.items)}`;
    case "object":
      return mapName(node);
    case "string":
      return node.format === "byte" ? "[]uint8" : "string";
    case "integer":
      return node.format === "int32" || node.format === "uint8" ? node.format : "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return "interface {}";
  }
}

function mapName({ additionalProperties }: SchemaNode): string {
  if (typeof additionalProperties !== "object") return "map[string]interface {}";
  if (additionalProperties.goType === "Quantity") return "v1.ResourceList";
  return `map[string]${goTypeName(additionalProperties)}`;
}
