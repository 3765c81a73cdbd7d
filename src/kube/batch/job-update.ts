// Mutable fields of a job: parallelism, and for a job that has never started also the placement and resources of its
// pods.

import {
  cloneJson,
  equalJson,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
} from "../../apimachinery/json/json.ts";
import { isConditionTrue } from "../../apimachinery/meta/conditions.ts";
import { type FieldError, invalid } from "../../apimachinery/meta/field-error.ts";
import { goMembers } from "../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../apimachinery/schema/go/schema-library.ts";
import { invalidStruct, validateSame } from "../../apiserver/registry/strategy/checks.ts";
import { isTrue, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { podSpecStruct, structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { TYPES } from "./job-spec.ts";

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const IMMUTABLE = "field is immutable";

type Source = Readonly<JsonObject>;

export function jobChangeErrors(job: Source, old: Source): FieldError[] {
  const [spec, oldSpec] = [specOf(job), specOf(old)];
  const same = (member: string): FieldError[] =>
    validateSame(`spec.${member}`, spec[member] ?? null, oldSpec[member] ?? null);
  const sameStruct = (member: string, type: string): FieldError[] => {
    if (equalJson(spec[member] ?? null, oldSpec[member] ?? null)) return [];
    const now = objectAt(spec, member);
    if (now === undefined) return [invalid(`spec.${member}`, null, IMMUTABLE)];
    return [invalidStruct(`spec.${member}`, structOf(TYPES + type, now), IMMUTABLE)];
  };
  return [
    ...completionsErrors(spec, oldSpec),
    ...same("selector"),
    ...templateErrors(spec, old),
    ...same("completionMode"),
    ...sameStruct("podFailurePolicy", "PodFailurePolicy"),
    ...same("backoffLimitPerIndex"),
    ...same("managedBy"),
    ...sameStruct("successPolicy", "SuccessPolicy"),
  ];
}

/** An indexed job can be resized, with completions and parallelism changed together. */
function completionsErrors(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const [completions, before] = [numberAt(spec, "completions"), numberAt(oldSpec, "completions")];
  if (spec["completionMode"] !== "Indexed") {
    return validateSame("spec.completions", completions ?? null, before ?? null);
  }
  if (completions === before || completions === undefined) return [];
  if (completions === numberAt(spec, "parallelism")) return [];
  return [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")];
}

function templateErrors(spec: JsonObject, old: Source): FieldError[] {
  const [template, before] = [objectAt(spec, "template") ?? {}, objectAt(specOf(old), "template") ?? {}];
  if (!isTrue(specOf(old), "suspend") || hasRun(old)) {
    return equalJson(template, before) ? [] : [immutable("spec.template", shownTemplate(template), template)];
  }
  const [pod, oldPod] = [specOf(template), specOf(before)];
  return equalJson(pod, withWhatMayChange(oldPod, pod))
    ? []
    : [immutable("spec.template.spec", podSpecStruct(pod), pod)];
}

const hasRun = (job: Source): boolean => {
  const status = objectAt(job, "status");
  return status?.["startTime"] !== undefined && !isConditionTrue(status, "Suspended");
};

/** The old pod spec with the new values of the fields that a suspended job may change. */
function withWhatMayChange(oldPod: JsonObject, pod: JsonObject): JsonObject {
  const kept = cloneJson(oldPod);
  for (const member of ["nodeSelector", "tolerations", "schedulingGates"]) kept[member] = pod[member];
  const nodeAffinity = objectAt(objectAt(pod, "affinity"), "nodeAffinity");
  const { nodeAffinity: _, ...others } = objectAt(oldPod, "affinity") ?? {};
  const affinity = { ...others, ...(nodeAffinity ? { nodeAffinity } : {}) };
  const isNone = objectAt(pod, "affinity") === undefined && Object.keys(affinity).length === 0;
  kept["affinity"] = isNone ? undefined : affinity;
  for (const list of ["containers", "initContainers"]) {
    const now = objectsAt(pod, list);
    for (const [index, container] of objectsAt(kept, list).entries()) {
      const resources = objectAt(now[index], "resources");
      if (resources !== undefined) container["resources"] = resources;
    }
  }
  return kept;
}

const immutable = (field: string, shown: JsonObject | undefined, value: JsonObject): FieldError =>
  shown === undefined ? invalid(field, value, IMMUTABLE) : invalidStruct(field, shown, IMMUTABLE);

/** Metadata is shown among the members of the struct. */
function shownTemplate(template: JsonObject): JsonObject | undefined {
  const metadata = objectAt(template, "metadata") ?? {};
  const members = goMembers(schemaLibrary().resolve(OBJECT_META)).map(([name]) => name);
  const given = members
    .filter((name) => metadata[name] !== undefined)
    .map((name) => [name, sorted(metadata[name])]);
  const shown = podSpecStruct(specOf(template));
  return shown && { ...Object.fromEntries(given), Spec: shown };
}

/** Sorts labels and annotations. */
const sorted = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
