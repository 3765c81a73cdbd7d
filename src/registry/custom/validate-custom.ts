// Checks a custom resource against its kind's schema, rules included: at once, as nearly always, or in another thread
// where it would hold this one for too long.
import { nextTurn } from "../../meta/clock.ts";
import type { FieldError } from "../../meta/field-error.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { TooDear } from "../../schema/rules/run-rules.ts";
import { validateRules } from "../../schema/rules/validate-rules.ts";
import { type RuleValidator, validateObject } from "../../schema/validate-object.ts";
import { isHeavyCheck } from "../../schema/value/check-work.ts";
import type { Workers } from "../../workers/job.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { sourceOf, textOf, validateCustomJob } from "./validate-custom-job.ts";

export interface CustomValidation {
  /** The object before an update. */
  readonly old?: Readonly<KubeObject>;
  /** What was found in its metadata. */
  readonly preceding: readonly FieldError[];
  readonly statusOnly?: boolean;
  /** Left out: this thread does it all. */
  readonly workers?: Workers | undefined;
}

/** CEL's cost of some 10 ms, and of 30 for rules that V8 has not yet got to know. */
const RULE_COST_HERE = 100_000;

const validateRulesBriefly: RuleValidator = (node, object, old, options) =>
  validateRules(node, object, old, { ...options, patience: RULE_COST_HERE });

/** All findings, those about metadata first. A promise rejects with 413, 429 and 504. */
export function validateCustom(
  view: ResourceView,
  object: Readonly<KubeObject>,
  validation: CustomValidation,
): FieldError[] | Promise<FieldError[]> {
  const { version } = view;
  const { old, preceding, statusOnly = false, workers } = validation;
  const options = { preceding, statusOnly, scale: version.scale };
  if (workers === undefined) return validateObject(version.node, object, { ...options, old, validateRules });
  const { raw } = version.node;
  const elsewhere = async (): Promise<FieldError[]> => {
    await nextTurn(); // to see that it takes long may have taken long
    const check = { ...options, object: await textOf(object), old: old && (await textOf(old)) };
    return workers.runWith(validateCustomJob, check, sourceOf(raw));
  };
  if (isHeavyCheck(raw, object, object.metadata)) return elsewhere();
  try {
    return validateObject(version.node, object, { ...options, old, validateRules: validateRulesBriefly });
  } catch (error) {
    if (error instanceof TooDear) return elsewhere();
    throw error;
  }
}
