// Validation of a HorizontalPodAutoscaler, in the v2 form.

import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid } from "../../apimachinery/meta/field-error.ts";
import { specOf } from "../../apiserver/registry/strategy/fields.ts";
import {
  type CodeRules,
  objectOf,
  type Place,
  schemaErrors,
} from "../../apiserver/registry/strategy/schema-rules.ts";
import { validateContainerResourceName } from "../core/amounts.ts";

const TYPES = "io.k8s.api.autoscaling.v2.";

/** `old` is set for an update. */
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
    source({ field, owner }) {
      const [first] = sourcesOf(owner);
      if (first === undefined) return [];
      const [member, name] = first;
      const type = `${TYPES}${name}MetricSource`;
      const ofSource: CodeRules = {
        apiVersion: (place) => apiVersionErrors(place, described),
        containerResource: (place) => validateContainerResourceName(place.field, String(place.value)),
      };
      return schemaErrors(type, objectOf(owner[member]), { field: `${field}.${member}`, code: ofSource });
    },
    others({ field, owner: metric }) {
      const given = sourcesOf(metric);
      const others = given.length === 1 ? [] : given.filter(([, type]) => type !== metric["type"]);
      return others.map(([member]) =>
        forbidden(`${field}.${member}`, "must populate the given metric source only"),
      );
    },
    emptying: () => validateEmptying(spec),
  };
  return schemaErrors(`${TYPES}HorizontalPodAutoscalerSpec`, spec, { field: "spec", code });
}

/** ReplicationController is the only scalable kind without a group. */
const namedBy = (target: JsonObject): ApiVersionRule =>
  textAt(target, "kind") === "ReplicationController" ? "by version" : "by group";

function isDescribedWrongly(metric: JsonObject): boolean {
  if (metric["type"] !== "Object") return false;
  const described = objectAt(objectAt(metric, "object"), "describedObject");
  return apiVersionComplaint(textAt(described, "apiVersion"), "by version") !== undefined;
}

/** With zero pods there are no pod metrics that could scale up again. */
function validateEmptying(spec: JsonObject): FieldError[] {
  const fromOutside = objectsAt(spec, "metrics").some(({ type }) => type === "Object" || type === "External");
  if (numberAt(spec, "minReplicas") !== 0 || fromOutside) return [];
  const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [forbidden("spec.metrics", rule)];
}

/** Scaling to zero is not enabled; an existing value is kept. */
function validateLeast(field: string, spec: JsonObject, least: number): FieldError[] {
  const min = numberAt(spec, "minReplicas") ?? least;
  return min < least ? [invalid(field, min, `must be greater than or equal to ${least}`)] : [];
}

function validateMost(field: string, spec: JsonObject): FieldError[] {
  const max = numberAt(spec, "maxReplicas") ?? 0;
  const tooFew = max < (numberAt(spec, "minReplicas") ?? max);
  return tooFew ? [invalid(field, max, "must be greater than or equal to `minReplicas`")] : [];
}

/** Rule for apiVersion: group and version, at least a version, or any value of the old object. */
type ApiVersionRule = "by group" | "by version" | "anyhow";

function apiVersionErrors({ field, value }: Place, rule: ApiVersionRule): FieldError[] {
  const complaint = apiVersionComplaint(String(value), rule);
  return complaint === undefined ? [] : [invalid(field, value, complaint)];
}

function apiVersionComplaint(apiVersion: string, rule: ApiVersionRule): string | undefined {
  if (rule === "anyhow") return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return rule === "by group" && !hasGroup ? "apiVersion must specify API group" : undefined;
}

/** Metric type and member with its source, in validation order. Exactly one must be set. */
const SOURCES = [
  ["object", "Object"],
  ["external", "External"],
  ["pods", "Pods"],
  ["resource", "Resource"],
  ["containerResource", "ContainerResource"],
] as const;

const sourcesOf = (metric: JsonObject) => SOURCES.filter(([member]) => isObject(metric[member]));
