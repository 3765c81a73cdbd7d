// What happens to every object between decoding and its first commit, whatever its kind: identity, system fields,
// the strategy's own preparation, validation. The order is that of rest.BeforeCreate in a real server.

import { formatTime } from "../../meta/clock.ts";
import { type FieldError, invalid, ToldFindings } from "../../meta/field-error.ts";
import { append } from "../../meta/lists.ts";
import { validateFinalizerOwner, validateObjectMeta } from "../../meta/names.ts";
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";
import { badRequest, invalidObject } from "../../meta/status.ts";
import type { Workers } from "../../workers/job.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import type { Claims } from "../definition/strategy.ts";
import { apiVersionOf, strategyOf } from "../definition/view.ts";
import { validateWritten } from "../validate-written.ts";

const GENERATED_NAME_MAX = 63;
const SUFFIX_LENGTH = 5;

/** The namespace in the body must be that of the URL; in a cluster-scoped object it is dropped. */
export function placeInNamespace(view: ResourceView, object: KubeObject, namespace: string): void {
  const { metadata } = object;
  if (!view.definition.namespaceScoped) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace !== undefined && metadata.namespace !== "" && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.namespace = namespace;
}

/** Throws 400 when the object is not the one that the URL names. */
export function checkNameMatches(object: KubeObject, name: string): void {
  const given = object.metadata.name ?? "";
  if (given === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

/** What only the server may say is not taken from a client, nor owned by one. */
export function dropSystemFields({ metadata }: KubeObject): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/**
 * Sets what only the server may say about a new object, and takes what only one object can have, if claims are given.
 * managedFields are not touched here.
 */
export function prepareForCreate(
  view: ResourceView,
  object: KubeObject,
  context: RequestContext,
  claims?: Claims,
): void {
  const strategy = strategyOf(view);
  const { metadata } = object;
  if ((metadata.name ?? "") === "" && metadata.generateName) {
    metadata.name =
      metadata.generateName.slice(0, GENERATED_NAME_MAX - SUFFIX_LENGTH) + context.ids.nameSuffix();
  }
  metadata.uid = context.ids.uid();
  metadata.creationTimestamp = formatTime(context.clock.now());
  if (claims) strategy.claim?.(object, undefined, claims);
  strategy.prepareForCreate?.(object, context);
  if (strategy.hasGeneration) metadata.generation = 1;
}

/** Custom resources say their kind and version themselves; anything else than the URL's is refused before all else. */
export function checkTypeMeta(view: ResourceView, object: KubeObject): void {
  if (!view.definition.custom) return;
  const { kind } = view.definition;
  const apiVersion = apiVersionOf(view);
  const errors: FieldError[] = [];
  if (object.kind !== kind) errors.push(invalid("kind", object.kind, `must be ${kind}`));
  if (object.apiVersion !== apiVersion)
    errors.push(invalid("apiVersion", object.apiVersion, `must be ${apiVersion}`));
  const said = { group: view.definition.group, kind: object.kind ?? "" };
  if (errors.length > 0) throw invalidObject(said, object.metadata.name ?? "", errors);
}

/** What built-in kinds ask of finalizers beyond what all kinds do. */
export function finalizerErrors({ definition }: ResourceView, metadata: Readonly<ObjectMeta>): FieldError[] {
  if (!definition.ownedFinalizers) return [];
  const found = new ToldFindings();
  for (const [index, finalizer] of (metadata.finalizers ?? []).entries()) {
    for (const error of validateFinalizerOwner(finalizer, `metadata.finalizers[${index}]`)) found.add(error);
    if (found.isFull) break;
  }
  return found.errors;
}

/** Throws 422 with everything that is wrong; as a promise where another thread has to look for it. */
export function validateNew(
  view: ResourceView,
  object: KubeObject,
  context: RequestContext,
  workers?: Workers,
): Promise<void> | undefined {
  checkTypeMeta(view, object);
  const ofMetadata = validateNewMetadata(view, object);
  append(ofMetadata, finalizerErrors(view, object.metadata));
  return validateWritten({ view, strategy: strategyOf(view), object, ofMetadata, context, workers });
}

/** By the kind's own rule for names. */
export function validateNewMetadata(view: ResourceView, object: KubeObject): FieldError[] {
  const { validateName } = strategyOf(view);
  return validateObjectMeta(object.metadata, {
    namespaceScoped: view.definition.namespaceScoped,
    fieldPath: "metadata",
    ...(validateName ? { validateName: (name, prefix) => validateName(name, prefix, object) } : {}),
  });
}
