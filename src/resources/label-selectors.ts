// metav1.LabelSelector as a member of built-in kinds: what it must fulfil, and how tables show it.
import { type FieldError, forbidden, invalid, required } from "../meta/field-error.ts";
import { type JsonObject, objectAt } from "../meta/json.ts";
import {
  InvalidSelectorError,
  type LabelRequirement,
  type LabelSelector,
  labelSelectorFromObject,
} from "../meta/label-selector.ts";
import { isLabelValue, isQualifiedName, validateLabels } from "../meta/names.ts";
import { objectsAt, textAt, textsAt } from "./fields.ts";

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

/** A map whose values are texts, as decoding has made sure. */
export const textMap = (map: JsonObject | undefined): Record<string, string> =>
  Object.fromEntries(Object.keys(map ?? {}).map((key) => [key, textAt(map, key)]));

function validateExpression(field: string, expression: JsonObject): FieldError[] {
  const operator = textAt(expression, "operator");
  const key = textAt(expression, "key");
  const values = textsAt(expression, "values");
  const errors: FieldError[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push(forbidden(`${field}.values`, rule));
    }
  } else errors.push(invalid(`${field}.operator`, operator, "not a valid selector operator"));
  errors.push(...isQualifiedName(key).map((text) => invalid(`${field}.key`, key, text)));
  values.forEach((value, index) => {
    errors.push(...isLabelValue(value).map((text) => invalid(`${field}.values[${index}]`, value, text)));
  });
  return errors;
}

/** Whether it selects by nothing, and so everything. */
export const isEmptySelector = (selector: JsonObject): boolean =>
  Object.keys(objectAt(selector, "matchLabels") ?? {}).length === 0 &&
  objectsAt(selector, "matchExpressions").length === 0;

/** The selector, or undefined when it cannot be understood. */
export function selectorOrNone(selector: JsonObject | undefined): LabelSelector | undefined {
  try {
    return labelSelectorFromObject(selector);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}

/** As text in the order of the keys: "app=web,tier notin (a,b),x"; <none> for the one that selects everything. */
export function formatLabelSelector(selector: JsonObject | undefined): string {
  const parsed = selectorOrNone(selector);
  if (parsed === undefined) return "<error>";
  return parsed.requirements.map(formatRequirement).join(",") || "<none>";
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === "exists") return key;
  if (operator === "!") return `!${key}`;
  if (operator === "in" || operator === "notin")
    return `${key} ${operator} (${[...values].sort().join(",")})`;
  return `${key}${operator}${values.join(",")}`;
}

/** As Go shows the struct: "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]…{},}". */
export function formatSelectorStruct(selector: JsonObject): string {
  const labels = textMap(objectAt(selector, "matchLabels"));
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}: ${labels[key]},`);
  const expressions = objectsAt(selector, "matchExpressions").map((expression) => {
    const values = textsAt(expression, "values").join(" ");
    const [key, operator] = [textAt(expression, "key"), textAt(expression, "operator")];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
