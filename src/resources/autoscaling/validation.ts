// What a HorizontalPodAutoscaler must fulfil, in the form of v2.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { numberAt, objectsAt, textAt } from "../fields.ts";
import { quantityNanos } from "../quantity.ts";
import { validateMetric } from "./metric-validation.ts";
import { type ApiVersionRule, apiVersionComplaint, validateReference } from "./reference-validation.ts";

const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;
const SELECTIONS = ["Disabled", "Max", "Min"];
const POLICY_TYPES = ["Percent", "Pods"];

const specOf = (object: Readonly<JsonObject> | undefined): JsonObject => objectAt(object, "spec") ?? {};

/** An old object comes along with an update. */
export function validateAutoscaler(object: Readonly<JsonObject>, old?: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const target = objectAt(spec, "scaleTargetRef") ?? {};
  const before = objectAt(specOf(old), "scaleTargetRef");
  const behavior = objectAt(spec, "behavior");
  const metrics = objectsAt(spec, "metrics");
  const isSame = ["apiVersion", "kind"].every((key) => textAt(target, key) === textAt(before, key));
  const named = old !== undefined && isSame ? "anyhow" : namedBy(target);
  const described = objectsAt(specOf(old), "metrics").some(isDescribedWrongly) ? "anyhow" : "by version";
  return [
    ...validateRange(spec, specOf(old)["minReplicas"] === 0 ? 0 : 1),
    ...validateReference("spec.scaleTargetRef", target, named),
    ...metrics.flatMap((metric, index) => validateMetric(`spec.metrics[${index}]`, metric, described)),
    ...validateEmptying(spec, metrics),
    ...["scaleUp", "scaleDown"].flatMap((direction) =>
      validateRules(`spec.behavior.${direction}`, objectAt(behavior, direction)),
    ),
  ];
}

/** Only one scalable kind has no group. */
const namedBy = (target: JsonObject): ApiVersionRule =>
  textAt(target, "kind") === "ReplicationController" ? "by version" : "by group";

function isDescribedWrongly(metric: JsonObject): boolean {
  if (metric["type"] !== "Object") return false;
  const described = objectAt(objectAt(metric, "object"), "describedObject");
  return apiVersionComplaint(textAt(described, "apiVersion"), "by version") !== undefined;
}

/** Pods that are not there say nothing that could bring them back. */
function validateEmptying(spec: JsonObject, metrics: readonly JsonObject[]): FieldError[] {
  const fromOutside = metrics.some(({ type }) => type === "Object" || type === "External");
  if (numberAt(spec, "minReplicas") !== 0 || fromOutside) return [];
  const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [forbidden("spec.metrics", rule)];
}

/** Scaling to nothing is not offered; who has it already may keep it. */
function validateRange(spec: JsonObject, least: number): FieldError[] {
  const min = numberAt(spec, "minReplicas");
  const max = numberAt(spec, "maxReplicas") ?? 0;
  const errors: FieldError[] = [];
  if (min !== undefined && min < least) {
    errors.push(invalid("spec.minReplicas", min, `must be greater than or equal to ${least}`));
  }
  if (max < 1) errors.push(invalid("spec.maxReplicas", max, "must be greater than 0"));
  if (min !== undefined && max < min) {
    errors.push(invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"));
  }
  return errors;
}

function validateRules(field: string, rules: JsonObject | undefined): FieldError[] {
  if (rules === undefined) return [];
  const policies = objectsAt(rules, "policies");
  const window = numberAt(rules, "stabilizationWindowSeconds") ?? 0;
  const { selectPolicy, tolerance } = rules;
  const errors: FieldError[] = [];
  const refuseWindow = (rule: string) =>
    errors.push(invalid(`${field}.stabilizationWindowSeconds`, window, rule));
  if (window < 0) refuseWindow("must be greater than or equal to zero");
  if (window > WINDOW_SECONDS_MAX) refuseWindow(`must be less than or equal to ${WINDOW_SECONDS_MAX}`);
  if (selectPolicy !== undefined && !SELECTIONS.includes(String(selectPolicy))) {
    errors.push(notSupported(`${field}.selectPolicy`, selectPolicy, SELECTIONS));
  }
  if (policies.length === 0) errors.push(required(`${field}.policies`, "must specify at least one Policy"));
  policies.forEach((policy, index) => {
    append(errors, validatePolicy(`${field}.policies[${index}]`, policy));
  });
  if (tolerance !== undefined && quantityNanos(tolerance) < 0n) {
    errors.push(invalid(`${field}.tolerance`, tolerance, "must be greater than or equal to 0"));
  }
  return errors;
}

function validatePolicy(field: string, policy: JsonObject): FieldError[] {
  const type = textAt(policy, "type");
  const errors = POLICY_TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type, POLICY_TYPES)];
  for (const member of ["value", "periodSeconds"]) {
    const number = numberAt(policy, member) ?? 0;
    if (number <= 0) errors.push(invalid(`${field}.${member}`, number, "must be greater than zero"));
  }
  const period = numberAt(policy, "periodSeconds") ?? 0;
  if (period > PERIOD_SECONDS_MAX) {
    const rule = `must be less than or equal to ${PERIOD_SECONDS_MAX}`;
    errors.push(invalid(`${field}.periodSeconds`, period, rule));
  }
  return errors;
}
