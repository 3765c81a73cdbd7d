// ResourceQuota: limits the total usage in a namespace. Usage is counted by admission and by a controller.

import {
  equalJson,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../apimachinery/meta/given-empty.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keeping, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { isOfQuotas, validateQuotaResourceName, validateResourceAmount } from "./amounts.ts";

/** Cell with used/hard of the requests, or of the limits. */
const shownUse = (wanted: boolean) => (object: Readonly<JsonObject>) => {
  const status = objectAt(object, "status");
  return Object.keys(objectAt(status, "hard") ?? {})
    .filter((name) => name.startsWith("limits.") === wanted)
    .sort()
    .map((name) => `${name}: ${amountOf(status, "used", name)}/${amountOf(status, "hard", name)}`)
    .join(", ");
};

const amountOf = (status: JsonObject | undefined, member: string, name: string): string =>
  textAt(objectAt(status, member), name) || "0";

const OF_PODS = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
const OF_CLAIMS = ["persistentvolumeclaims", "requests.storage"];

/** Scopes, and the resources that each supports. */
const SCOPES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Terminating", OF_PODS],
  ["NotTerminating", OF_PODS],
  ["BestEffort", ["pods"]],
  ["NotBestEffort", OF_PODS],
  ["PriorityClass", OF_PODS],
  ["CrossNamespacePodAffinity", OF_PODS],
  ["VolumeAttributesClass", OF_CLAIMS],
]);

/** Mutually exclusive scopes. */
const OPPOSITES = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

const WITHOUT_VALUES = [...OPPOSITES.flat(), "CrossNamespacePodAffinity"];
const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateQuotaSpec(spec: JsonObject | undefined): FieldError[] {
  return [
    ...validateAmounts("spec.hard", objectAt(spec, "hard")),
    ...validateScopes(spec),
    ...validateSelector(spec),
  ];
}

function validateAmounts(field: string, amounts: JsonObject | undefined): FieldError[] {
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
  return [...complaints, ...conflicts(scopes)].map((text) => invalid("spec.scopes", scopes, text));
}

const conflicts = (scopes: readonly string[]): string[] =>
  OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => "conflicting scopes");

/** Limited resources that the scope does not support. */
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
      ...uncounted(spec, scope).map((text) =>
        invalidStruct(field, structOf("io.k8s.api.core.v1.ScopeSelector", selector), text),
      ),
      ...validateOperator(field, condition),
    ];
  });
  const scopes = conditions.map((condition) => textAt(condition, "scopeName"));
  return [...errors, ...conflicts(scopes).map((text) => invalid(field, textsAt(spec, "scopes"), text))];
}

function validateOperator(field: string, condition: JsonObject): FieldError[] {
  const operator = textAt(condition, "operator");
  const values = textsAt(condition, "values");
  const errors: FieldError[] = [];
  if (WITHOUT_VALUES.includes(textAt(condition, "scopeName")) && operator !== "Exists")
    errors.push(invalid(`${field}.operator`, operator, MUST_EXIST));
  if (operator === "In" || operator === "NotIn") {
    const rule = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return values.length > 0 ? errors : [...errors, required(`${field}.values`, rule)];
  }
  if (operator === "Exists" || operator === "DoesNotExist") {
    const rule = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return values.length === 0 ? errors : [...errors, invalid(`${field}.values`, values, rule)];
  }
  return [...errors, invalid(`${field}.operator`, operator, "not a valid selector operator")];
}

const strategy: Strategy = {
  ...keeping("status"),
  prepareForCreate(object) {
    object["status"] = {};
  },
  validate: (object) => validateQuotaSpec(specOf(object)),
  validateUpdate(object, old) {
    const spec = specOf(object);
    const scopesOf = (of: JsonObject): string[] => [...new Set(textsAt(of, "scopes"))].sort();
    const same = equalJson(scopesOf(spec), scopesOf(specOf(old)));
    const shown = spec["scopes"] ?? (wasGivenEmpty(spec, "scopes") ? [] : null);
    return [
      ...validateQuotaSpec(spec),
      ...(same ? [] : [invalid("spec.scopes", shown, "field is immutable")]),
    ];
  },
};

const status: Strategy = {
  ...keeping("spec"),
  validateUpdate: (object) =>
    ["hard", "used"].flatMap((member) =>
      validateAmounts(`status.${member}`, objectAt(objectAt(object, "status"), member)),
    ),
};

export const resourceQuotas = builtIn("v1", "ResourceQuota", {
  shortNames: ["quota"],
  columns: [
    NAME,
    column("Request", "What is used of what may be requested, by resource.", shownUse(false)),
    column("Limit", "What is used of what limits may sum up to, by resource.", shownUse(true)),
    AGE,
  ],
  strategy,
  status,
  returnsDeletedObject: true,
});
