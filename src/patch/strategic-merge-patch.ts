// Strategic merge patch of built-in kinds: a merge patch whose lists are merged by the rules that the kind's fields
// carry (x-kubernetes-patch-strategy, x-kubernetes-patch-merge-key) and by directives inside the patch.
import { nextTurn } from "../meta/clock.ts";
import { cloneJson, type JsonObject } from "../meta/json.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { formatGoValue } from "./go-format.ts";
import { invalidPatch } from "./patch-errors.ts";
import { mergeObject } from "./strategic/merge-object.ts";
import { restoreError } from "./strategic/restore-error.ts";

export interface StrategicMerge {
  readonly object: JsonObject;
  /** The patch without the directives that were followed, as messages about its result show it. */
  readonly shownPatch: () => string;
}

/** The document with the patch merged in, sharing nothing with either. */
export function applyStrategicMergePatch(
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
): JsonObject {
  return mergeStrategically(document, patch, node).object;
}

export function mergeStrategically(
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
): StrategicMerge {
  const rest = cloneJson(patch);
  return fitting(mergeObject(cloneJson(document), rest, node), rest, node);
}

/** The same where much is merged; others are answered between its steps. */
export async function mergeStrategicallyInTurns(
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
): Promise<StrategicMerge> {
  const rest = cloneJson(patch);
  const original = cloneJson(document);
  await nextTurn();
  const merged = mergeObject(original, rest, node);
  await nextTurn();
  return fitting(merged, rest, node);
}

function fitting(merged: JsonObject, rest: JsonObject, node: SchemaNode): StrategicMerge {
  const shownPatch = () => formatGoValue(rest);
  const error = restoreError(node, merged);
  if (error !== undefined) throw invalidPatch(shownPatch(), error);
  return { object: cloneJson(merged), shownPatch };
}
