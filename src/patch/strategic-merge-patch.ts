// Strategic merge patch of built-in kinds: a merge patch whose lists are merged by the rules that the kind's fields
// carry (x-kubernetes-patch-strategy, x-kubernetes-patch-merge-key) and by directives inside the patch.

import { formatGoValue } from "../go/format.ts";
import { nextTurn } from "../meta/clock.ts";
import { cloneJson, type JsonObject } from "../meta/json.ts";
import { inTurns, type Steps } from "../meta/steps.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { invalidPatch } from "./patch-errors.ts";
import { mergeObject } from "./strategic/merge.ts";
import { restoreError } from "./strategic/restore-error.ts";

export interface StrategicMerge {
  readonly object: JsonObject;
  /** The patch without the directives that were followed, as messages about its result show it. */
  readonly shownPatch: () => string;
}

/** The document with the patch merged in, sharing nothing with either. */
export function mergeStrategically(
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
): StrategicMerge {
  const rest = cloneJson(patch);
  const merged = mergeObject(cloneJson(document), rest, node);
  refuseMisfit(merged, rest, node);
  return outcome(merged, rest);
}

/** The same where much is merged; others are answered between its steps. */
export async function mergeStrategicallyInTurns(
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
): Promise<StrategicMerge> {
  const rest = cloneJson(patch);
  await nextTurn();
  const original = cloneJson(document);
  await nextTurn();
  const later: Steps<void>[] = [];
  const merged = mergeObject(original, rest, node, later);
  // More come as items are merged.
  for (const merge of later) await inTurns(merge);
  await nextTurn();
  refuseMisfit(merged, rest, node);
  await nextTurn();
  return outcome(merged, rest);
}

function refuseMisfit(merged: JsonObject, rest: JsonObject, node: SchemaNode): void {
  const error = restoreError(node, merged);
  if (error !== undefined) throw invalidPatch(formatGoValue(rest), error);
}

/** What was merged still shares items with the patch. */
const outcome = (merged: JsonObject, rest: JsonObject): StrategicMerge => ({
  object: cloneJson(merged),
  shownPatch: () => formatGoValue(rest),
});
