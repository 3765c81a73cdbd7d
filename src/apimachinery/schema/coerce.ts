// From decoded JSON to an object of a kind: values that do not fit are rejected, unknown fields are pruned, and values
// are normalized as Go types do it.
import { isObject, type JsonObject } from "../json/json.ts";
import { ownTurn } from "../scheduling/event-loop.ts";
import { objectMetaNode } from "./compile-schema.ts";
import { embeddedResources, findEmbeddedError, holdsEmbedded } from "./embedded.ts";
import { type DecodeOptions, decodeError, objectMetaError } from "./go/decode-error.ts";
import { normaliseBuiltIn } from "./normalise.ts";
import { pruneInTurns, pruneUnknownFields } from "./prune.ts";
import { hasDefault, type SchemaNode } from "./schema-node.ts";

/**
 * Upstream's error for a value that does not fit the Go type of its field, or undefined when all fit. It applies to
 * built-in kinds as a whole. Of custom resources and their embedded resources it applies to metadata, which is decoded as
 * ObjectMeta.
 */
export function findDecodeError(
  node: SchemaNode,
  object: unknown,
  { keysOf, isSpelled }: Partial<DecodeOptions> = {},
): string | undefined {
  if (node.goType !== undefined) return decodeError(node, object, { sorted: false, keysOf, isSpelled });
  if (!isObject(object)) return undefined;
  const error = Object.hasOwn(object, "metadata") ? objectMetaError(object["metadata"]) : undefined;
  return error ?? findEmbeddedError(node, object);
}

export interface CoerceOptions {
  /** False for the result of an apply: a null in a non-nullable field is then left for validation to reject. */
  readonly dropsNulls?: boolean;
}

/**
 * Completes the decoding of an object in which findDecodeError found nothing, and returns the pruned unknown fields. Does
 * not set defaults. Mutates.
 */
export function coerceObject(node: SchemaNode, object: JsonObject, options: CoerceOptions = {}): string[] {
  const unknown = pruneUnknownFields(node, object);
  normalise(node, object, options);
  return unknown;
}

/** As coerceObject, with yielding for large objects that were just decoded. */
export async function coerceInTurns(
  node: SchemaNode,
  object: JsonObject,
  options: CoerceOptions = {},
): Promise<string[]> {
  const unknown = await pruneInTurns(node, object);
  await ownTurn();
  normalise(node, object, options);
  return unknown;
}

function normalise(node: SchemaNode, object: JsonObject, { dropsNulls = true }: CoerceOptions): void {
  if (node.goType !== undefined) {
    normaliseBuiltIn(node, object);
    return;
  }
  normaliseMetadata(object);
  if (holdsEmbedded(node)) {
    for (const { resource } of embeddedResources(node, object)) normaliseMetadata(resource);
  }
  if (dropsNulls) dropNulls(node, object);
}

/**
 * Normalizes the metadata of a custom resource or embedded resource: it is decoded as ObjectMeta and encoded again,
 * whatever its schema has. Zero values are removed, null counts as empty. The metadata must be decodable.
 */
function normaliseMetadata(owner: JsonObject): void {
  if (!Object.hasOwn(owner, "metadata")) return;
  const { metadata } = owner;
  if (isObject(metadata)) normaliseBuiltIn(objectMetaNode(), metadata);
  else owner["metadata"] = {};
}

/**
 * Removes nulls from a custom resource: in a field that is not nullable a null counts as absent, unless a default
 * replaces it. List items stay, because removing one would shift the others. Mutates.
 */
function dropNulls(node: SchemaNode, value: unknown): void {
  if (node.typeName === objectMetaNode().typeName) return; // decoded as ObjectMeta instead
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    for (const item of value) dropNulls(node.items, item);
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key) ?? node.additionalProperties;
    if (typeof property !== "object") continue;
    const item = value[key];
    if (item !== null) dropNulls(property, item);
    else if (!property.nullable && !hasDefault(property)) delete value[key];
  }
}
