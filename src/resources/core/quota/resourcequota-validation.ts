// What a ResourceQuota may say: amounts of resources that are counted, and scopes that go with them.
import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../meta/json.ts";
import { invalidStruct } from "../../checks.ts";
import { isOfQuotas, validateQuotaResourceName, validateResourceAmount } from "./resource-names.ts";

const OF_PODS = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const OF_CLAIMS = ["persistentvolumeclaims", "requests.storage"];

/** The scopes, and the resources that can be counted in each. */
const SCOPES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Terminating", OF_PODS],
  ["NotTerminating", OF_PODS],
  ["BestEffort", ["pods"]],
  ["NotBestEffort", OF_PODS],
  ["PriorityClass", OF_PODS],
  ["CrossNamespacePodAffinity", OF_PODS],
  ["VolumeAttributesClass", OF_CLAIMS],
]);

const OPPOSITES = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

const WITHOUT_VALUES = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];
const MUST_EXIST =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

export function validateQuotaSpec(spec: JsonObject | undefined): FieldError[] {
  return [
    ...validateAmounts("spec.hard", objectAt(spec, "hard")),
    ...validateScopes(spec),
    ...validateSelector(spec),
  ];
}

export function validateAmounts(field: string, amounts: JsonObject | undefined): FieldError[] {
  return Object.keys(amounts ?? {}).flatMap((name) => {
    const place = `${field}[${name}]`;
    return [
      ...validateQuotaResourceName(place, name),
      ...validateResourceAmount(place, name, textAt(amounts, name)),
    ];
  });
}

function validateScopes(spec: JsonObject | undefined): FieldError[] {
  const scopes = textsAt(spec, "scopes");
  const complaints = scopes.flatMap((scope) => [
    ...(SCOPES.has(scope) ? [] : ["unsupported scope"]),
    ...uncounted(spec, scope),
  ]);
  for (const pair of OPPOSITES) {
    if (pair.every((scope) => scopes.includes(scope))) complaints.push("conflicting scopes");
  }
  return complaints.map((text) => invalid("spec.scopes", scopes, text));
}

/** One complaint for each resource with a limit that cannot be counted in the scope. */
function uncounted(spec: JsonObject | undefined, scope: string): string[] {
  const counted = SCOPES.get(scope);
  return Object.keys(objectAt(spec, "hard") ?? {})
    .filter((name) => isOfQuotas(name) && counted !== undefined && !counted.includes(name))
    .map(() => "unsupported scope applied to resource");
}

function validateSelector(spec: JsonObject | undefined): FieldError[] {
  const selector = objectAt(spec, "scopeSelector");
  if (selector === undefined) return [];
  const field = "spec.scopeSelector.matchExpressions";
  const conditions = objectsAt(selector, "matchExpressions");
  const errors = conditions.flatMap((condition) => {
    const scope = textAt(condition, "scopeName");
    return [
      ...(SCOPES.has(scope) ? [] : [invalid(`${field}.scopeName`, scope, "unsupported scope")]),
      ...uncounted(spec, scope).map((text) => invalidStruct(field, shownSelector(selector), text)),
      ...validateOperator(field, condition),
    ];
  });
  const scopes = conditions.map((condition) => textAt(condition, "scopeName"));
  for (const pair of OPPOSITES) {
    if (pair.every((scope) => scopes.includes(scope)))
      errors.push(invalid(field, textsAt(spec, "scopes"), "conflicting scopes"));
  }
  return errors;
}

function validateOperator(field: string, condition: JsonObject): FieldError[] {
  const operator = textAt(condition, "operator");
  const values = textsAt(condition, "values");
  const errors: FieldError[] = [];
  if (WITHOUT_VALUES.includes(textAt(condition, "scopeName")) && operator !== "Exists")
    errors.push(invalid(`${field}.operator`, operator, MUST_EXIST));
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      errors.push(required(`${field}.values`, why));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      errors.push(invalid(`${field}.values`, values, why));
    }
  } else {
    errors.push(invalid(`${field}.operator`, operator, "not a valid selector operator"));
  }
  return errors;
}

/** The selector as messages show it: with the names of Go. */
function shownSelector(selector: JsonObject): JsonObject {
  const conditions = objectsAt(selector, "matchExpressions").map((condition) => ({
    ScopeName: textAt(condition, "scopeName"),
    Operator: textAt(condition, "operator"),
    Values: condition["values"] ?? null,
  }));
  return { MatchExpressions: conditions };
}
