// What a HorizontalPodAutoscaler must fulfil, in the form of v2.

import { quantityNanos } from "../../go/quantity.ts";
import { type FieldError, forbidden, invalid } from "../../meta/field-error.ts";
import { isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { type CodeRules, schemaErrors } from "../schema-rules.ts";
import { validateMetric } from "./metric-validation.ts";
import { type ApiVersionRule, apiVersionComplaint, apiVersionErrors } from "./reference-validation.ts";

const SPEC = "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec";

const specOf = (object: Readonly<JsonObject> | undefined): JsonObject => objectAt(object, "spec") ?? {};

/** An old object comes along with an update. */
export function validateAutoscaler(object: Readonly<JsonObject>, old?: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const target = objectAt(spec, "scaleTargetRef") ?? {};
  const before = objectAt(specOf(old), "scaleTargetRef");
  const isSame = ["apiVersion", "kind"].every((key) => textAt(target, key) === textAt(before, key));
  const named = old !== undefined && isSame ? "anyhow" : namedBy(target);
  const described = objectsAt(specOf(old), "metrics").some(isDescribedWrongly) ? "anyhow" : "by version";
  const code: CodeRules = {
    minReplicas: ({ field }) => validateLeast(field, spec, specOf(old)["minReplicas"] === 0 ? 0 : 1),
    maxReplicas: ({ field }) => validateMost(field, spec),
    apiVersion: (place) => apiVersionErrors(place, named),
    metric: ({ field, value }) => validateMetric(field, isObject(value) ? value : {}, described),
    emptying: () => validateEmptying(spec),
    notNegative: ({ field, value }) =>
      quantityNanos(value) < 0n ? [invalid(field, value, "must be greater than or equal to 0")] : [],
  };
  return schemaErrors(SPEC, spec, { field: "spec", code });
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
function validateEmptying(spec: JsonObject): FieldError[] {
  const fromOutside = objectsAt(spec, "metrics").some(({ type }) => type === "Object" || type === "External");
  if (numberAt(spec, "minReplicas") !== 0 || fromOutside) return [];
  const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [forbidden("spec.metrics", rule)];
}

/** Scaling to nothing is not offered; who has it already may keep it. */
function validateLeast(field: string, spec: JsonObject, least: number): FieldError[] {
  const min = numberAt(spec, "minReplicas") ?? least;
  return min < least ? [invalid(field, min, `must be greater than or equal to ${least}`)] : [];
}

function validateMost(field: string, spec: JsonObject): FieldError[] {
  const max = numberAt(spec, "maxReplicas") ?? 0;
  const tooFew = max < (numberAt(spec, "minReplicas") ?? max);
  return tooFew ? [invalid(field, max, "must be greater than or equal to `minReplicas`")] : [];
}
