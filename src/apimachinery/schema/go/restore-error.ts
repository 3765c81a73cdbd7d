// Upstream's errors for a merged document that does not fit the Go type of the kind. Upstream converts the document
// member by member instead of decoding its JSON, so the texts differ from those for a request body.

import { base64Error } from "../../go/base64.ts";
import { goTypeOf } from "../../go/format.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import type { SchemaNode } from "../schema-node.ts";
import { decodeError, elementType, goTypeName, namedType } from "./decode-error.ts";

/**
 * Converts a document to the type: returns the first error, or undefined when it fits. Integers that overflow their type
 * lose their upper bits, in place, as in Go. Bytes given as numbers become their text. `named`: the named type of the
 * value, if it has one.
 */
export function restoreError(node: SchemaNode, value: unknown, named?: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (node.goType !== undefined && READS_JSON.has(node.goType))
    return decodeError(node, value, { sorted: true });
  switch (node.type) {
    case undefined:
      return undefined;
    case "object":
      return typeof node.additionalProperties === "object"
        ? mapError(node.additionalProperties, value, named)
        : structError(node, value);
    case "array":
      return listError(node.items, value, named);
    default:
      return node.format === "byte" ? bytesError(value) : scalarError(node, value, named);
  }
}

/** Types with their own UnmarshalJSON. */
const READS_JSON = new Set([
  "Time",
  "MicroTime",
  "Quantity",
  "IntOrString",
  "RawExtension",
  "FieldsV1",
  "JSON",
  "JSONSchemaPropsOrArray",
  "JSONSchemaPropsOrBool",
  "JSONSchemaPropsOrStringArray",
]);

function structError(node: SchemaNode, value: unknown): string | undefined {
  if (!isObject(value)) return `cannot restore struct from: ${kindOf(value)}`;
  for (const [key, property] of node.properties) {
    if (!Object.hasOwn(value, key)) continue;
    const error = restoreMember(property, value, key, namedType(node, key));
    if (error !== undefined) return error;
  }
  return undefined;
}

function mapError(items: SchemaNode, value: unknown, named: string | undefined): string | undefined {
  if (!isObject(value)) return `cannot restore map from ${kindOf(value)}`;
  return firstError(items, value, elementType(named));
}

function listError(
  items: SchemaNode | undefined,
  value: unknown,
  named: string | undefined,
): string | undefined {
  if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`;
  return items === undefined ? undefined : firstError(items, value, elementType(named));
}

function firstError(
  node: SchemaNode,
  owner: JsonObject | unknown[],
  named: string | undefined,
): string | undefined {
  for (const key of Object.keys(owner)) {
    const error = restoreMember(node, owner as JsonObject, key, named); // the indexes of a list are its keys
    if (error !== undefined) return error;
  }
  return undefined;
}

function restoreMember(
  node: SchemaNode,
  owner: JsonObject,
  key: string,
  named: string | undefined,
): string | undefined {
  const value = owner[key];
  const error = restoreError(node, value, named);
  if (error !== undefined) return error;
  if (node.type === "integer" && typeof value !== "object")
    owner[key] = asInteger(value, node.format === "int32" ? 32 : 64);
  else if (node.format === "byte" && Array.isArray(value))
    owner[key] = Buffer.from(value.map(asByte)).toString("base64");
  return undefined;
}

/** Fractions are rejected before. A number outside of int64 was decoded as a float, and becomes the minimal int64. */
function asInteger(value: unknown, bits: 32 | 64): unknown {
  if (typeof value !== "number" && typeof value !== "bigint") return value;
  if (typeof value === "number" && Number.isSafeInteger(value) && (bits === 64 || value === (value | 0)))
    return value;
  const exact = BigInt(value);
  const whole = BigInt.asIntN(64, exact) === exact ? exact : -(2n ** 63n);
  const kept = BigInt.asIntN(bits, whole);
  return BigInt(Number(kept)) === kept && Number.isSafeInteger(Number(kept)) ? Number(kept) : kept;
}

/** Lowest 8 bits of a whole number; null is 0. */
const asByte = (value: unknown): number => Number(BigInt.asUintN(8, BigInt((value ?? 0) as number | bigint))); // see byteError

/** A byte slice may be a list of numbers, too. */
function byteError(value: unknown): string | undefined {
  if (value === null || typeof value === "bigint" || Number.isInteger(value)) return undefined;
  return typeof value === "number" ? "cannot convert float64 to uint8" : "unrecognized type: uint8";
}

function bytesError(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(byteError).find((error) => error !== undefined);
  if (typeof value !== "string") return `cannot restore slice from ${kindOf(value)}`;
  const error = base64Error(value);
  return error && `error decoding from json: ${error}`;
}

/** Numbers convert into each other without loss; Go would also convert a number to a string, which JSON does not allow. */
function scalarError(node: SchemaNode, value: unknown, named: string | undefined): string | undefined {
  const wanted = goTypeName(node);
  const kind = kindOf(value);
  const isNumber = typeof value === "number" || typeof value === "bigint";
  if (isNumber && (wanted === "int32" || wanted === "int64")) {
    return kind === "float64" ? `cannot convert float64 to ${goTypeName(node, named)}` : undefined;
  }
  if (kind === wanted || (isNumber && wanted === "float64")) return undefined;
  if (kind === "int64" && wanted === "string") return `cannot convert int64 to ${goTypeName(node, named)}`;
  return `unrecognized type: ${wanted}`;
}

/** Kind of the Go value that the JSON was decoded to; a number without a fraction converts as an integer. */
function kindOf(value: unknown): string {
  if (Number.isInteger(value)) return "int64";
  const type = goTypeOf(value);
  return type === "[]interface {}" ? "slice" : type === "map[string]interface {}" ? "map" : type;
}
