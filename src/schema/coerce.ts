// From decoded JSON to an object of a kind: what does not fit is refused; the rest goes on without unknown fields, and with
// what reading it into its type changes.
import { isObject, type JsonObject } from "../meta/json.ts";
import { ownTurn } from "../meta/turns.ts";
import { objectMetaNode } from "./compile-schema.ts";
import { embeddedResources, findEmbeddedError, holdsEmbedded } from "./embedded.ts";
import { type DecodeOptions, decodeError, objectMetaError } from "./go/decode-error.ts";
import { normaliseBuiltIn } from "./normalise.ts";
import { pruneInTurns, pruneUnknownFields } from "./prune.ts";
import { hasDefault, type SchemaNode } from "./schema-node.ts";

/**
 * What a real server says when a value does not fit the Go type of its field, or undefined when all fit. It applies to
 * built-in kinds as a whole, and to the metadata of custom resources and of the resources embedded in them, which are read
 * as ObjectMeta.
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
  /** False for the result of an apply: a null where none may be is then left for validation to refuse. */
  readonly dropsNulls?: boolean;
}

/**
 * Completes the decoding of an object in which findDecodeError found nothing, and returns the unknown fields that were
 * dropped. Defaults are not filled in. Mutates.
 */
export function coerceObject(node: SchemaNode, object: JsonObject, options: CoerceOptions = {}): string[] {
  const unknown = pruneUnknownFields(node, object);
  normalise(node, object, options);
  return unknown;
}

/** As coerceObject, for objects just read that are so large that others should have their turn meanwhile. */
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
 * Metadata of a custom resource, or of a resource embedded in one: read as ObjectMeta and written out again, whatever the
 * schema around it says. Zero values go, null counts as empty. The metadata must be readable.
 */
function normaliseMetadata(owner: JsonObject): void {
  if (!Object.hasOwn(owner, "metadata")) return;
  const { metadata } = owner;
  if (isObject(metadata)) normaliseBuiltIn(objectMetaNode(), metadata);
  else owner["metadata"] = {};
}

/**
 * Removes the nulls that a custom resource may not hold: in a field that is not nullable one counts as absent, unless a
 * default will take its place. Items of lists stay, since dropping one would move the others. Mutates.
 */
function dropNulls(node: SchemaNode, value: unknown): void {
  if (node.typeName === objectMetaNode().typeName) return; // read as ObjectMeta instead
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
