// Job: runs pods until enough of them have succeeded; src/cluster/job creates them. The server generates the selector
// and the labels of the template from the job's uid.

import { equalJson, type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { isConditionTrue } from "../../apimachinery/meta/conditions.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { isDns1123Label } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import {
  ensureObject,
  isBeingDeleted,
  isTrue,
  keeping,
  specOf,
} from "../../apiserver/registry/strategy/fields.ts";
import {
  selectorOrNone,
  textMap,
  validateLabelSelector,
} from "../../apiserver/registry/strategy/label-selectors.ts";
import { ageSince } from "../../apiserver/registry/table/columns.ts";
import {
  CONTAINER_COLUMNS,
  count,
  givenPodLabels,
  notSelected,
  podLabels,
  SELECTOR_COLUMN,
  takePodLabels,
  templateOf,
  workloadStrategy,
  workloadWarnings,
} from "../workload.ts";
import { jobWarnings, validateJobSpec } from "./job-spec.ts";
import { validateJobStatus } from "./job-status.ts";
import { jobChangeErrors } from "./job-update.ts";

const BACKOFF_LIMIT = 6;
const INT32_MAX = 2 ** 31 - 1;
const PREFIX = "batch.kubernetes.io/";
const CONTROLLER_UID = "controller-uid";
const JOB_NAME = "job-name";
const ORPHAN_WARNING =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

type Source = Readonly<JsonObject>;

const labelsOf = (job: Source): JsonObject | undefined => podLabels(templateOf(job));

function applyJobDefaults(job: KubeObject): void {
  const spec = ensureObject(job, "spec");
  if (spec["parallelism"] === undefined) spec["completions"] ??= 1;
  spec["parallelism"] ??= 1;
  spec["backoffLimit"] ??= spec["backoffLimitPerIndex"] === undefined ? BACKOFF_LIMIT : INT32_MAX;
  takePodLabels(job);
  spec["completionMode"] ??= "NonIndexed";
  spec["suspend"] ??= false;
  spec["manualSelector"] ??= false;
  spec["podReplacementPolicy"] ??= objectAt(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed";
}

/** UID and name of the job, as labels of its pods. */
const ownLabels = ({ metadata }: Readonly<KubeObject>) =>
  [
    [JOB_NAME, metadata.name ?? ""],
    [PREFIX + JOB_NAME, metadata.name ?? ""],
    [CONTROLLER_UID, metadata.uid ?? ""],
    [PREFIX + CONTROLLER_UID, metadata.uid ?? ""],
  ] as const;

/** Existing labels are kept; they are validated later. */
function generateSelector(job: KubeObject): void {
  const spec = specOf(job);
  if (isTrue(spec, "manualSelector")) return;
  const before = labelsOf(job) ?? {};
  const labels = { ...Object.fromEntries(ownLabels(job)), ...before };
  // On a kube-apiserver, labels that the job took from its template are the same map.
  if (job.metadata.labels && equalJson(before, job.metadata.labels)) job.metadata.labels = textMap(labels);
  ensureObject(ensureObject(spec, "template"), "metadata")["labels"] = labels;
  const selector = ensureObject(spec, "selector");
  const key = PREFIX + CONTROLLER_UID;
  selector["matchLabels"] = { [key]: job.metadata.uid, ...objectAt(selector, "matchLabels") };
}

/** A job without labels gets those of its template. */
function labelByTemplate(job: KubeObject): void {
  const labels = labelsOf(job);
  if (job.metadata.labels === undefined && labels) job.metadata.labels = textMap(labels);
}

function jobErrors(job: Readonly<KubeObject>, old?: Readonly<KubeObject>): FieldError[] {
  return [...generatedErrors(job, old), ...specErrors(job), ...hostnameErrors(job)];
}

/** Generated values must be those that the server generates. Jobs of older servers have fewer labels. */
function generatedErrors(job: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): FieldError[] {
  const spec = specOf(job);
  const selector = objectAt(spec, "selector");
  if (isTrue(spec, "manualSelector") || selector === undefined) return [];
  const isNewer = ([key]: readonly [string, string]): boolean => key.startsWith(PREFIX);
  const before = old && (labelsOf(old) ?? {});
  const all = ownLabels(job);
  const hasNewer = !before || all.filter(isNewer).every(([key]) => Object.hasOwn(before, key));
  const [name, prefixedName, uid, prefixedUid] = all;
  const expected = hasNewer ? [uid, name, prefixedUid, prefixedName] : [uid, name];
  const errors = expected.flatMap(([key, value]) => labelErrors(job, key, value));
  const rule = "`selector` not auto-generated";
  if (selectorOrNone(selector)?.matches(Object.fromEntries(expected)) !== false) return errors;
  return [...errors, invalid("spec.selector", selector, rule)];
}

function labelErrors(job: Source, key: string, value: string): FieldError[] {
  const field = `spec.template.metadata.labels[${key}]`;
  const labels = labelsOf(job) ?? {};
  if (!Object.hasOwn(labels, key)) return [required(field, `must be '${value}'`)];
  return labels[key] === value ? [] : [invalid(field, labels, `must be '${value}'`)];
}

function specErrors(job: Source): FieldError[] {
  const spec = specOf(job);
  const selector = objectAt(spec, "selector");
  const labels = labelsOf(job);
  const matches = selector && selectorOrNone(selector)?.matches(textMap(labels)) !== false;
  return [
    ...validateJobSpec("spec", spec),
    ...(selector ? validateLabelSelector("spec.selector", selector) : [required("spec.selector")]),
    ...(matches ? [] : [notSelected("spec", givenPodLabels(objectAt(spec, "template")))]),
  ];
}

/** Name and highest index form a host name. */
function hostnameErrors(job: Readonly<KubeObject>): FieldError[] {
  const completions = numberAt(specOf(job), "completions") ?? 0;
  if (textAt(specOf(job), "completionMode") !== "Indexed" || completions <= 0) return [];
  const { name = "" } = job.metadata;
  const longest = `${name}-${completions - 1}`;
  if (isDns1123Label(longest).length === 0) return [];
  return [invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

const base = workloadStrategy({});

const strategy: Strategy = {
  ...base,
  metadataChecksOnUpdate: ["new", "changed"],
  orphansByDefault: true,
  applyDefaults(object) {
    base.applyDefaults(object);
    applyJobDefaults(object);
  },
  prepareForCreate(object) {
    base.prepareForCreate(object);
    generateSelector(object);
  },
  defaultStored: labelByTemplate,
  validate: (object) => jobErrors(object),
  validateUpdate: (object, old) => [
    ...jobErrors(object, old),
    ...specErrors(object),
    ...jobChangeErrors(object, old),
  ],
  warnings: (object, old) =>
    workloadWarnings(object, old, { namesPods: true, ofKind: jobWarnings(specOf(object)) }),
  warningsOnDelete: ({ propagationPolicy, orphanDependents }) =>
    propagationPolicy === undefined && orphanDependents === undefined ? [ORPHAN_WARNING] : [],
};

function completionsCell(job: Source): string {
  const spec = specOf(job);
  const succeeded = count(objectAt(job, "status"), "succeeded");
  const completions = numberAt(spec, "completions");
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = count(spec, "parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell(job: Source, nowMs: number): string {
  const status = objectAt(job, "status");
  const [started, completed] = [textAt(status, "startTime"), textAt(status, "completionTime")];
  if (started === "") return "";
  return ageSince(started, completed === "" ? nowMs : Date.parse(completed));
}

function statusCell(job: Source): string {
  const status = objectAt(job, "status");
  const first = (...types: readonly string[]) => types.find((type) => isConditionTrue(status, type));
  return (
    first("Complete", "Failed") ??
    (isBeingDeleted(job) ? "Terminating" : undefined) ??
    first("Suspended", "FailureTarget", "SuccessCriteriaMet") ??
    "Running"
  );
}

export const jobs = builtIn("batch/v1", "Job", {
  categories: ["all"],
  columns: [
    NAME,
    column("Status", "How the job is.", statusCell),
    column("Completions", "Pods that have succeeded, of those that have to.", completionsCell),
    column("Duration", "How long the job has run.", durationCell),
    AGE,
    ...CONTAINER_COLUMNS,
    SELECTOR_COLUMN,
  ],
  strategy,
  status: {
    ...keeping("spec"),
    validateUpdate: (object, old) => validateJobStatus(object, old),
  },
  selectableFields: ["status.successful"],
  fieldValue: (object) => String(count(objectAt(object, "status"), "succeeded")),
});
