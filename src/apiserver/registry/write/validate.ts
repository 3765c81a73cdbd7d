// Validation of an object before it is written: metadata, schema, the kind's strategy; then the warnings.
import {
  type Allowance,
  type FieldError,
  invalid,
  ToldFindings,
} from "../../../apimachinery/meta/field-error.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import {
  finalizerWarnings,
  isPathSegmentName,
  validateFinalizerOwner,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../../apimachinery/meta/names.ts";
import {
  type KubeObject,
  type ObjectMeta,
  partsOfApiVersion,
} from "../../../apimachinery/meta/object-meta.ts";
import { type GroupKind, invalidObject, invalidObjectInTurns } from "../../../apimachinery/meta/status.ts";
import type { Workers } from "../../../apimachinery/workers/job.ts";
import { validateCustom } from "../custom-resource.ts";
import type { RequestContext } from "../definition/request-context.ts";
import type { ResourceView, Strategy } from "../definition/resource-definition.ts";
import { apiVersionOf, strategyOf } from "../definition/view.ts";

export interface Validation {
  readonly view: ResourceView;
  /** Strategy of the endpoint. */
  readonly strategy: Strategy;
  readonly object: KubeObject;
  /** The object before an update. */
  readonly old?: Readonly<KubeObject>;
  readonly context: RequestContext;
  /** Left out: everything runs in the caller's thread. */
  readonly workers?: Workers | undefined;
  readonly allowed?: readonly Allowance[] | undefined;
}

/** Throws 422 with all findings; returns a promise where a worker thread validates. */
export function validateWritten(validation: Validation): Promise<void> | undefined {
  const { view, strategy, object, old, workers } = validation;
  checkTypeMeta(view, object);
  const ofMetadata = metadataErrors(validation);
  const statusOnly = old !== undefined && strategy === view.version.status;
  const ofSchema = view.definition.custom
    ? validateCustom(view, object, { ...(old ? { old } : {}), preceding: ofMetadata, statusOnly, workers })
    : ofMetadata;
  const ofKind = workers && strategy.validateElsewhere?.(object, old, workers);
  if (ofSchema instanceof Promise || ofKind !== undefined) return conclude(validation, ofSchema, ofKind);
  report(validation, inOrder(validation, ofSchema, kindErrors(validation)));
  return undefined;
}

/**
 * Custom resources carry kind and apiVersion themselves. Values that differ from the URL's are rejected before all other
 * checks.
 */
export function checkTypeMeta(view: ResourceView, object: KubeObject): void {
  if (!view.definition.custom) return;
  const { kind } = view.definition;
  const apiVersion = apiVersionOf(view);
  const errors: FieldError[] = [];
  if (object.kind !== kind) errors.push(invalid("kind", object.kind, `must be ${kind}`));
  if (object.apiVersion !== apiVersion)
    errors.push(invalid("apiVersion", object.apiVersion, `must be ${apiVersion}`));
  const [group] = partsOfApiVersion(object.apiVersion);
  const said = { group, kind: object.kind ?? "" };
  if (errors.length > 0) throw invalidObject(said, object.metadata.name ?? "", errors);
}

/** Finalizer rules of built-in kinds beyond those of all kinds. */
export function finalizerErrors({ definition }: ResourceView, metadata: Readonly<ObjectMeta>): FieldError[] {
  if (!definition.ownedFinalizers) return [];
  const found = new ToldFindings();
  for (const [index, finalizer] of (metadata.finalizers ?? []).entries()) {
    for (const error of validateFinalizerOwner(finalizer, `metadata.finalizers[${index}]`)) found.add(error);
    if (found.isFull) break;
  }
  return found.errors;
}

/** Validates the name by the kind's own rule. */
export function validateNewMetadata(view: ResourceView, object: KubeObject): FieldError[] {
  const { validateName } = strategyOf(view);
  return validateObjectMeta(object.metadata, {
    namespaceScoped: view.definition.namespaceScoped,
    fieldPath: "metadata",
    ...(validateName ? { validateName: (name, prefix) => validateName(name, prefix, object) } : {}),
  });
}

/**
 * Upstream validates the metadata for every endpoint, as of a new and as of a changed object, and again in the kind's own
 * validation. All findings are reported, also repeated ones.
 */
function metadataErrors({ view, strategy, object, old }: Validation): FieldError[] {
  const { metadata } = object;
  if (old === undefined) return [...validateNewMetadata(view, object), ...finalizerErrors(view, metadata)];
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

/** For more findings the error is built with yielding. */
const FINDINGS_AT_ONCE_MAX = 1000;

async function conclude(
  validation: Validation,
  ofSchema: FieldError[] | Promise<FieldError[]>,
  ofKind: Promise<FieldError[]> | undefined,
): Promise<void> {
  const [schemaFindings, kindFindings] = await Promise.all([ofSchema, ofKind ?? kindErrors(validation)]);
  const told = inOrder(validation, schemaFindings, kindFindings);
  if (told.length <= FINDINGS_AT_ONCE_MAX) return report(validation, told);
  const { view, object } = validation;
  throw await invalidObjectInTurns(errorKind(view), object.metadata.name ?? "", told);
}

function kindErrors({ strategy, object, old, context, allowed = [] }: Validation): FieldError[] {
  const found =
    old === undefined
      ? strategy.validate?.(object, context)
      : strategy.validateUpdate?.(object, old, context);
  if (found === undefined || allowed.length === 0) return found ?? [];
  return found.filter(({ unlessAllowed }) => unlessAllowed === undefined || !allowed.includes(unlessAllowed));
}

function report({ view, strategy, object, old, context }: Validation, told: readonly FieldError[]): void {
  if (told.length > 0) throw invalidObject(errorKind(view), object.metadata.name ?? "", told);
  const ofFinalizers = view.definition.custom ? finalizerWarnings(object.metadata, old?.metadata) : [];
  for (const text of ofFinalizers) context.warn(text);
  for (const text of strategy.warnings?.(object, old) ?? []) context.warn(text);
}

/** `ofMetadata`: findings reported with those of the schema, if the kind has one for values. It is changed. */
function inOrder(
  { strategy, old }: Validation,
  ofMetadata: FieldError[],
  ofKind: readonly FieldError[],
): FieldError[] {
  const place = old === undefined ? strategy.metadataOfNew : "first";
  if (place === "alone" && ofKind.length > 0) return [...ofKind];
  if (place === "last") return [...ofKind, ...ofMetadata];
  append(ofMetadata, ofKind);
  return ofMetadata;
}

/** Group and kind that errors name. */
export function errorKind({ definition }: ResourceView): GroupKind {
  return { group: definition.errorGroup ?? definition.group, kind: definition.kind };
}
