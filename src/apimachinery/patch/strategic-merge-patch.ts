// Strategic merge patch of built-in kinds: a merge patch whose lists are merged by the patch strategy of their fields
// (x-kubernetes-patch-strategy, x-kubernetes-patch-merge-key) and by directives inside the patch.

import { formatGoValue } from "../go/format.ts";
import type { JsonObject } from "../json/json.ts";
import { cloneByStepsIf } from "../scheduling/clone-steps.ts";
import { type Coroutine, runSync, runYielding } from "../scheduling/coroutine.ts";
import { restoreError } from "../schema/go/restore-error.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { invalidPatch } from "./patch-errors.ts";
import { mergeObject } from "./strategic/merge.ts";

export interface StrategicMerge {
  readonly object: JsonObject;
  /** The patch without the processed directives, as errors about its result show it. */
  readonly shownPatch: () => string;
}

/** The document with the patch merged in; the result is a copy. Throws 422 for a patch that does not fit the kind. */
export const mergeStrategically = (
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
): StrategicMerge => runSync(merge(document, patch, node, false));

/** The same for large documents, yielding to the event loop between the steps. */
export const mergeStrategicallyInTurns = (
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
): Promise<StrategicMerge> => runYielding(merge(document, patch, node, true));

function* merge(
  document: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  node: SchemaNode,
  isLarge: boolean,
): Coroutine<StrategicMerge> {
  const rest = yield* cloneByStepsIf(isLarge, patch);
  yield;
  const original = yield* cloneByStepsIf(isLarge, document);
  yield;
  const later: Coroutine<void>[] = [];
  const merged = mergeObject(original, rest, node, later);
  for (const list of later) yield* list; // merged items may add more
  yield;
  const object = yield* cloneByStepsIf(isLarge, merged); // merged values still share items with the patch
  yield;
  const error = restoreError(node, object);
  if (error !== undefined) throw invalidPatch(formatGoValue(rest), error);
  return { object, shownPatch: () => formatGoValue(rest) };
}
