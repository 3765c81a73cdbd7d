// What happens to every changed object before its commit: system fields are carried over from the stored one, the
// strategy takes back what this endpoint may not change, the generation counts, the result is validated.
// The order is that of rest.BeforeUpdate in a real server.

import type { FieldError } from "../../meta/field-error.ts";
import { equalJson } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isPathSegmentName, validateObjectMeta, validateObjectMetaUpdate } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Workers } from "../../workers/job.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import type { Claims, Strategy } from "../definition/strategy.ts";
import { strategyOf } from "../definition/view.ts";
import { validateWritten } from "../validate-written.ts";
import { checkTypeMeta, finalizerErrors, validateNewMetadata } from "./before-create.ts";

/**
 * Carries over what no client can change, then lets the strategy of the endpoint do the same for its kind. What only one
 * object can have is taken from the claims.
 */
export function prepareForUpdate(
  view: ResourceView,
  strategy: Strategy,
  object: KubeObject,
  old: Readonly<KubeObject>,
  context: RequestContext,
  claims?: Claims,
): void {
  const { metadata } = object;
  const before = old.metadata;
  delete metadata.selfLink;
  if (!metadata.uid && before.uid) metadata.uid = before.uid;
  if (before.creationTimestamp) metadata.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (claims) strategy.claim?.(object, old, claims);
  strategy.prepareForUpdate?.(object, old, context);
  if (strategyOf(view).hasGeneration && contentChanged(view, object, old)) {
    metadata.generation = (before.generation ?? 0) + 1;
  }
}

/** The generation counts changes outside metadata, and outside status where that has an endpoint of its own. */
function contentChanged(view: ResourceView, object: KubeObject, old: Readonly<KubeObject>): boolean {
  const ignored = (key: string) =>
    key === "metadata" || (key === "status" && view.version.status !== undefined);
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of keys) if (!ignored(key) && !equalJson(object[key], old[key])) return true;
  return false;
}

/**
 * A real server looks at the metadata for every endpoint, as of a new and as of a changed object, and the kind's own check
 * looks again. All findings are told, however often they were found.
 */
function metadataErrors(
  view: ResourceView,
  strategy: Strategy,
  object: KubeObject,
  old: Readonly<KubeObject>,
): FieldError[] {
  const { metadata } = object;
  const { namespaceScoped } = view.definition;
  const changed = validateObjectMetaUpdate(metadata, old.metadata, "metadata");
  const rules = { namespaceScoped, fieldPath: "metadata" };
  const errors = validateObjectMeta(metadata, { ...rules, validateName: isPathSegmentName });
  append(errors, changed);
  for (const check of strategy.metadataChecksOnUpdate ?? ["changed"]) {
    append(errors, check === "changed" ? changed : validateNewMetadata(view, object));
    append(errors, finalizerErrors(view, metadata));
  }
  return errors;
}

/** Throws 422 with everything that is wrong; as a promise where another thread has to look for it. */
export function validateChanged(
  { view, strategy, workers }: ChangedBy,
  object: KubeObject,
  old: Readonly<KubeObject>,
  context: RequestContext,
): Promise<void> | undefined {
  checkTypeMeta(view, object);
  const ofMetadata = metadataErrors(view, strategy, object, old);
  return validateWritten({ view, strategy, object, old, ofMetadata, context, workers });
}

/** The endpoint by which an object is changed. */
export interface ChangedBy {
  readonly view: ResourceView;
  readonly strategy: Strategy;
  readonly workers?: Workers | undefined;
}
