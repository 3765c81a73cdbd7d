// Validation and warnings of a job's spec, in a Job and in the template of a CronJob.

import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../apimachinery/meta/field-error.ts";
import { invalidStruct, invalidWhole, validateDomainPath } from "../../apiserver/registry/strategy/checks.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import {
  type CodeRules,
  objectOf,
  type Place,
  schemaErrors,
} from "../../apiserver/registry/strategy/schema-rules.ts";
import { validateTemplate } from "../core/pod/spec-validation.ts";
import { count } from "../workload.ts";
import { countIndexes } from "./indexes.ts";

export const TYPES = "io.k8s.api.batch.v1.";

const MANAGED_BY_LENGTH_MAX = 63;
const INDEXES_LENGTH_MAX = 64 * 1024;
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const INDEXED_MAX = 100_000;
/** Above this number of completions, parallelism and failures have lower limits. */
const MANY_COMPLETIONS = 100_000;
const OF_MANY_MAX = 10_000;
const MANY_WARNING =
  "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";

export function validateJobSpec(field: string, spec: JsonObject): FieldError[] {
  return schemaErrors(`${TYPES}JobSpec`, spec, { field, code: { ...RULES, ...rulesWithin(spec) } });
}

const RULES: CodeRules = {
  managedBy: ({ field, value }) => [
    ...validateDomainPath(field, String(value)),
    ...(Buffer.byteLength(String(value)) > MANAGED_BY_LENGTH_MAX
      ? [tooLong(field, MANAGED_BY_LENGTH_MAX)]
      : []),
  ],
  indexed: ({ field, owner }) =>
    textAt(owner, "completionMode") === "Indexed"
      ? indexedErrors(field, owner)
      : unindexedErrors(field, owner),
  success: ({ field, value }) => [
    invalidStruct(
      field,
      structOf(`${TYPES}SuccessPolicy`, objectOf(value)),
      "requires indexed completion mode",
    ),
  ],
  atMost20: ({ field, value }) =>
    Array.isArray(value) && value.length > RULES_MAX ? [tooMany(field, value.length, RULES_MAX)] : [],
  oneOf({ field, owner }) {
    const given = [objectAt(owner, "onExitCodes"), objectsAt(owner, "onPodConditions")[0]].filter(Boolean);
    if (given.length === 1) return [];
    const both = "specifying both OnExitCodes and OnPodConditions is not supported";
    const none = "specifying one of OnExitCodes and OnPodConditions is required";
    return [invalidWhole(field, given.length > 1 ? both : none)];
  },
  exitCodes: exitCodeErrors,
  template: ({ field, owner }) => [
    ...validateTemplate(`${field}.template`, objectAt(owner, "template") ?? {}),
    ...restartErrors(`${field}.template.spec.restartPolicy`, owner),
  ],
};

/** Rules of parts of a spec that depend on other parts. */
function rulesWithin(spec: JsonObject): CodeRules {
  const pod = objectAt(objectAt(spec, "template"), "spec");
  const containers = [...objectsAt(pod, "containers"), ...objectsAt(pod, "initContainers")];
  const names = new Set(containers.map((container) => textAt(container, "name")));
  return {
    failIndex: ({ field, value }) =>
      numberAt(spec, "backoffLimitPerIndex") === undefined
        ? [invalid(field, value, "requires the backoffLimitPerIndex to be set")]
        : [],
    containerName({ field, value }) {
      const rule = "must be one of the container or initContainer names in the pod template";
      return names.has(String(value)) ? [] : [invalid(field, value, rule)];
    },
    successRule: ({ field, value }) =>
      successErrors(field, objectOf(value), numberAt(spec, "completions") ?? 0),
  };
}

function indexedErrors(field: string, spec: JsonObject): FieldError[] {
  const [completions, parallelism] = [numberAt(spec, "completions"), numberAt(spec, "parallelism") ?? 0];
  const failed = numberAt(spec, "maxFailedIndexes");
  const errors: FieldError[] = [];
  const tooGreat = (member: string, value: number, rule: string): void => {
    errors.push(invalid(`${field}.${member}`, value, `must be less than or equal to ${rule}`));
  };
  if (completions === undefined) {
    errors.push(required(`${field}.completions`, "when completion mode is Indexed"));
  }
  if (parallelism > INDEXED_MAX) {
    tooGreat("parallelism", parallelism, `${INDEXED_MAX} when completion mode is Indexed`);
  }
  if (failed !== undefined && failed > (completions ?? failed)) {
    tooGreat("maxFailedIndexes", failed, "completions");
  }
  if (failed !== undefined && failed > INDEXED_MAX) tooGreat("maxFailedIndexes", failed, String(INDEXED_MAX));
  if ((completions ?? 0) <= MANY_COMPLETIONS || spec["backoffLimitPerIndex"] === undefined) return errors;
  const ofMany = `${OF_MANY_MAX} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (failed === undefined) {
    const rule = `must be specified when completions is above ${MANY_COMPLETIONS}`;
    errors.push(required(`${field}.maxFailedIndexes`, rule));
  }
  if (parallelism > OF_MANY_MAX) tooGreat("parallelism", parallelism, ofMany);
  if (failed !== undefined && failed > OF_MANY_MAX) tooGreat("maxFailedIndexes", failed, ofMany);
  return errors;
}

function unindexedErrors(field: string, spec: JsonObject): FieldError[] {
  const mode = textAt(spec, "completionMode");
  if (mode !== "" && mode !== "NonIndexed") return [];
  return ["backoffLimitPerIndex", "maxFailedIndexes"]
    .filter((member) => numberAt(spec, member) !== undefined)
    .map((member) => invalid(`${field}.${member}`, spec[member], "requires indexed completion mode"));
}

function successErrors(field: string, rule: JsonObject, completions: number): FieldError[] {
  const { succeededIndexes: indexes } = rule;
  const count = numberAt(rule, "succeededCount");
  const errors: FieldError[] = [];
  if (indexes === undefined && count === undefined) {
    errors.push(required(field, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  let named: number | undefined;
  if (typeof indexes === "string") {
    const place = `${field}.succeededIndexes`;
    const found = countIndexes(indexes, completions);
    named = found.count;
    if (Buffer.byteLength(indexes) > INDEXES_LENGTH_MAX) errors.push(tooLong(place, INDEXES_LENGTH_MAX));
    if (found.error !== undefined) {
      errors.push(invalid(place, indexes, `error parsing succeededIndexes: ${found.error}`));
    }
  }
  if (count === undefined) return errors;
  const place = `${field}.succeededCount`;
  const atMost = (limit: number, what: string): void => {
    if (count <= limit) return;
    errors.push(invalid(place, count, `must be less than or equal to ${limit} (the number of ${what})`));
  };
  if (count < 0) errors.push(invalid(place, count, "must be greater than or equal to 0"));
  atMost(completions, "specified completions");
  if (named !== undefined) atMost(named, "indexes in the specified succeededIndexes field");
  return errors;
}

/** Sorted and unique. */
function exitCodeErrors({ field, owner }: Place): FieldError[] {
  const place = `${field}.values`;
  const codes = [owner["values"] ?? []].flat().map(Number);
  const errors: FieldError[] = [];
  if (codes.length === 0)
    errors.push(invalid(place, owner["values"] ?? null, "at least one value is required"));
  if (codes.length > EXIT_CODES_MAX) errors.push(tooMany(place, codes.length, EXIT_CODES_MAX));
  const seen = new Set<number>();
  for (const [index, code] of codes.entries()) {
    if (owner["operator"] === "In" && code === 0) {
      errors.push(invalid(`${place}[${index}]`, code, "must not be 0 for the In operator"));
    }
    if (seen.has(code)) errors.push(duplicate(`${place}[${index}]`, code));
    seen.add(code);
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? code) <= code);
  return isOrdered ? errors : [...errors, invalid(place, codes, "must be ordered")];
}

/** Pods of a job must terminate. */
function restartErrors(field: string, spec: JsonObject): FieldError[] {
  const policy = textAt(objectAt(objectAt(spec, "template"), "spec"), "restartPolicy");
  if (policy === "Always" || policy === "") return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") {
    return [notSupported(field, policy, ["OnFailure", "Never"])];
  }
  if (policy === "Never" || objectAt(spec, "podFailurePolicy") === undefined) return [];
  return [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** Warnings besides those of the pod template. */
export function jobWarnings(spec: JsonObject): string[] {
  const [completions, parallelism] = [count(spec, "completions"), count(spec, "parallelism")];
  const isMany = completions > MANY_COMPLETIONS && parallelism > OF_MANY_MAX;
  return isMany && textAt(spec, "completionMode") === "Indexed" ? [MANY_WARNING] : [];
}
