// Everything that may be wrong with an object that is to be written: what was found in its metadata, what its schema says,
// what its kind's strategy says; then the warnings. The same for new and for changed objects.
import type { FieldError } from "../meta/field-error.ts";
import { append } from "../meta/lists.ts";
import { finalizerWarnings } from "../meta/names.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { type GroupKind, invalidObject } from "../meta/status.ts";
import type { Workers } from "../workers/job.ts";
import { validateCustom } from "./custom/validate-custom.ts";
import type { RequestContext } from "./definition/request-context.ts";
import type { ResourceView } from "./definition/resource-definition.ts";
import type { Strategy } from "./definition/strategy.ts";

export interface Validation {
  readonly view: ResourceView;
  /** Of the endpoint. */
  readonly strategy: Strategy;
  readonly object: KubeObject;
  /** The object before an update. */
  readonly old?: Readonly<KubeObject>;
  /** What was found in its metadata; it is kept and added to. */
  readonly ofMetadata: FieldError[];
  readonly context: RequestContext;
  readonly workers: Workers | undefined;
}

/** Throws 422 with everything that is wrong; as a promise where another thread has to look for it. */
export function validateWritten(validation: Validation): Promise<void> | undefined {
  const { view, strategy, object, old, ofMetadata, workers } = validation;
  const statusOnly = old !== undefined && strategy === view.version.status;
  const ofSchema = view.definition.custom
    ? validateCustom(view, object, { ...(old ? { old } : {}), preceding: ofMetadata, statusOnly, workers })
    : ofMetadata;
  const ofKind = workers && strategy.validateElsewhere?.(object, old, workers);
  if (ofSchema instanceof Promise || ofKind !== undefined) return conclude(validation, ofSchema, ofKind);
  report(validation, ofSchema, kindErrors(validation));
  return undefined;
}

async function conclude(
  validation: Validation,
  ofSchema: FieldError[] | Promise<FieldError[]>,
  ofKind: Promise<FieldError[]> | undefined,
): Promise<void> {
  const [schemaFindings, kindFindings] = await Promise.all([ofSchema, ofKind ?? kindErrors(validation)]);
  report(validation, schemaFindings, kindFindings);
}

function kindErrors({ strategy, object, old, context }: Validation): FieldError[] {
  const found =
    old === undefined
      ? strategy.validate?.(object, context)
      : strategy.validateUpdate?.(object, old, context);
  return found ?? [];
}

function report(
  { view, strategy, object, old, context }: Validation,
  errors: FieldError[],
  ofKind: readonly FieldError[],
): void {
  append(errors, ofKind);
  if (errors.length > 0) throw invalidObject(errorKind(view), object.metadata.name ?? "", errors);
  const ofFinalizers = view.definition.custom ? finalizerWarnings(object.metadata, old?.metadata) : [];
  for (const text of ofFinalizers) context.warn(text);
  for (const text of strategy.warnings?.(object, old) ?? []) context.warn(text);
}

/** What errors call the kind. */
export function errorKind({ definition }: ResourceView): GroupKind {
  return { group: definition.errorGroup ?? definition.group, kind: definition.kind };
}
