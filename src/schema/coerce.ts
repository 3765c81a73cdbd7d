// The form in which a decoded object goes on: without unknown fields, and with what reading it into its type changes.
import { nextTurn } from "../meta/clock.ts";
import type { JsonObject } from "../meta/json.ts";
import { dropNulls } from "./drop-nulls.ts";
import { embeddedResources, holdsEmbedded } from "./embedded.ts";
import { normaliseMetadata } from "./go/coerce-object-meta.ts";
import { normaliseBuiltIn } from "./normalise.ts";
import { pruneInTurns, pruneUnknownFields } from "./prune.ts";
import type { SchemaNode } from "./schema-node.ts";

export interface CoerceOptions {
  /** False for the result of an apply: a null where none may be is then left for validation to refuse. */
  readonly dropsNulls?: boolean;
}

/**
 * Completes the decoding of an object in which findDecodeError found nothing, and returns the unknown fields that were
 * dropped. Defaults are not filled in. Mutates.
 */
export function coerceObject(
  node: SchemaNode,
  object: JsonObject,
  { dropsNulls = true }: CoerceOptions = {},
): string[] {
  const unknown = pruneUnknownFields(node, object);
  normalise(node, object, dropsNulls);
  return unknown;
}

/** As coerceObject, for objects just read that are so large that others should have their turn meanwhile. */
export async function coerceInTurns(
  node: SchemaNode,
  object: JsonObject,
  { dropsNulls = true }: CoerceOptions = {},
): Promise<string[]> {
  const unknown = await pruneInTurns(node, object);
  await nextTurn();
  normalise(node, object, dropsNulls);
  return unknown;
}

function normalise(node: SchemaNode, object: JsonObject, dropsNulls: boolean): void {
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
