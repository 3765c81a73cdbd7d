// Checks a custom resource against its kind's schema, rules included.
import type { FieldError } from "../../meta/field-error.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { validateRules } from "../../schema/cel/validate-rules.ts";
import { validateObject } from "../../schema/validate-object.ts";
import type { ResourceView } from "../resource-definition.ts";

export interface CustomValidation {
  /** The object before an update. */
  readonly old?: Readonly<KubeObject>;
  /** What was found in its metadata. */
  readonly preceding: readonly FieldError[];
  readonly statusOnly?: boolean;
}

/** All findings, those about metadata first. */
export function validateCustom(
  { version }: ResourceView,
  object: Readonly<KubeObject>,
  { old, preceding, statusOnly = false }: CustomValidation,
): FieldError[] {
  return validateObject(version.node, object, {
    old,
    preceding,
    statusOnly,
    scale: version.scale,
    validateRules,
  });
}
