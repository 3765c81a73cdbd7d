// Which taints a pod puts up with.

import { type FieldError, invalid, notSupported } from "../../../meta/field-error.ts";
import { type JsonObject, textAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { isLabelValue, isQualifiedName } from "../../../meta/names.ts";
import { invalidStruct } from "../../checks.ts";

const OPERATORS = ["Equal", "Exists"];
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(field: string, tolerations: readonly JsonObject[]): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(`${field}[${index}]`, toleration));
}

function validateToleration(field: string, toleration: JsonObject): FieldError[] {
  const [key, operator, value, effect] = ["key", "operator", "value", "effect"].map((member) =>
    textAt(toleration, member),
  );
  const errors: FieldError[] = [];
  if (key)
    append(
      errors,
      isQualifiedName(key).map((text) => invalid(`${field}.key`, key, text)),
    );
  else if (operator !== "Exists") {
    const rule = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${field}.operator`, operator, rule));
  }
  if (toleration["tolerationSeconds"] !== undefined && effect !== "NoExecute") {
    const rule = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(`${field}.effect`, effect, rule));
  }
  append(errors, validateOperator(`${field}.operator`, toleration, operator || "Equal", value ?? ""));
  if (effect && !EFFECTS.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, EFFECTS));
  return errors;
}

function validateOperator(
  field: string,
  toleration: JsonObject,
  operator: string,
  value: string,
): FieldError[] {
  if (operator === "Equal") {
    const complaints = isLabelValue(value);
    return complaints.length === 0 ? [] : [invalid(field, value, complaints.join(";"))];
  }
  if (operator !== "Exists") return [notSupported(field, operator, OPERATORS)];
  if (value === "") return [];
  return [
    invalidStruct(field, shownToleration(toleration), "value must be empty when `operator` is 'Exists'"),
  ];
}

const shownToleration = (toleration: JsonObject): JsonObject => ({
  Key: textAt(toleration, "key"),
  Operator: textAt(toleration, "operator"),
  Value: textAt(toleration, "value"),
  Effect: textAt(toleration, "effect"),
  TolerationSeconds: toleration["tolerationSeconds"] ?? null,
});
