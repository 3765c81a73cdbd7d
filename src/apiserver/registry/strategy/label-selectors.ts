// metav1.LabelSelector as a member of built-in kinds: validation and table cells.

import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../../apimachinery/meta/field-error.ts";
import { InvalidSelectorError, type LabelRequirement } from "../../../apimachinery/meta/label-requirement.ts";
import {
  type LabelSelector,
  labelRequirements,
  labelSelectorFromObject,
} from "../../../apimachinery/meta/label-selector.ts";
import { isLabelValue, isQualifiedName, validateLabels } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "./checks.ts";

export function validateLabelSelector(field: string, selector: JsonObject | undefined): FieldError[] {
  if (selector === undefined) return [];
  const labels = objectAt(selector, "matchLabels");
  return [
    ...(labels === undefined ? [] : validateLabels(textMap(labels), `${field}.matchLabels`)),
    ...objectsAt(selector, "matchExpressions").flatMap((expression, index) =>
      validateExpression(`${field}.matchExpressions[${index}]`, expression),
    ),
  ];
}

/** A map whose values are strings, which the decoder ensures. */
export const textMap = (map: JsonObject | undefined): Record<string, string> =>
  Object.fromEntries(Object.keys(map ?? {}).map((key) => [key, textAt(map, key)]));

export interface ExpressionRules {
  /** Operators Gt and Lt are supported, as for nodes. */
  readonly comparesNumbers?: boolean;
  /** False: values need not be valid label values. */
  readonly checksValues?: boolean;
  /** False: unknown operators are accepted, because another component may support them. */
  readonly knowsAll?: boolean;
}

/** Validates one item of matchExpressions. */
export function validateExpression(
  field: string,
  expression: JsonObject,
  rules: ExpressionRules = {},
): FieldError[] {
  const values = rules.checksValues === false ? [] : textsAt(expression, "values");
  return [
    ...validateOperator(field, expression, rules),
    ...formErrors(isQualifiedName, `${field}.key`, textAt(expression, "key")),
    ...values.flatMap((value, index) => formErrors(isLabelValue, `${field}.values[${index}]`, value)),
  ];
}

export function validateOperator(
  field: string,
  expression: JsonObject,
  { comparesNumbers = false, knowsAll = true }: ExpressionRules,
): FieldError[] {
  const place = `${field}.values`;
  const operator = textAt(expression, "operator");
  const values = textsAt(expression, "values").length;
  if (operator === "In" || operator === "NotIn") {
    return values > 0 ? [] : [required(place, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (operator === "Exists" || operator === "DoesNotExist") {
    const rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return values === 0 ? [] : [forbidden(place, rule)];
  }
  if (comparesNumbers && (operator === "Gt" || operator === "Lt")) {
    const rule = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    return values === 1 ? [] : [required(place, rule)];
  }
  return knowsAll ? [invalid(`${field}.operator`, operator, "not a valid selector operator")] : [];
}

/** Whether the selector is empty and so selects everything. */
export const isEmptySelector = (selector: JsonObject): boolean =>
  Object.keys(objectAt(selector, "matchLabels") ?? {}).length === 0 &&
  objectsAt(selector, "matchExpressions").length === 0;

/** The selector, or undefined when it is invalid. */
export function selectorOrNone(selector: JsonObject | undefined): LabelSelector | undefined {
  try {
    return labelSelectorFromObject(selector);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}

/** The selector as text sorted by key: "app=web,tier notin (a,b),x"; <none> for the empty one. */
export function formatLabelSelector(selector: JsonObject | undefined): string {
  try {
    return labelRequirements(selector).map(formatRequirement).join(",") || "<none>";
  } catch (error) {
    if (error instanceof InvalidSelectorError) return "<error>";
    throw error;
  }
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === "exists") return key;
  if (operator === "!") return `!${key}`;
  if (operator === "in" || operator === "notin")
    return `${key} ${operator} (${[...values].sort().join(",")})`;
  return `${key}${operator}${values.join(",")}`;
}
