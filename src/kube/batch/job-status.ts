// Validation of a job's status and its transitions: a finished job stays finished. A rule about a state is checked only
// when that state changes, so that other parts of an invalid status can still be corrected.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { isConditionTrue } from "../../apimachinery/meta/conditions.ts";
import { type FieldError, invalid, repeated, required } from "../../apimachinery/meta/field-error.ts";
import { invalidStruct, invalidWhole } from "../../apiserver/registry/strategy/checks.ts";
import { isTrue, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { type CodeRules, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import { countIndexes, sharedIndex } from "./indexes.ts";
import { TYPES } from "./job-spec.ts";

type Source = Readonly<JsonObject>;

/** A job, its status, and the previous status. */
interface Step {
  readonly spec: JsonObject;
  readonly now: JsonObject;
  readonly before: JsonObject;
  /** Whether the member differs from the previous status. */
  changed(member: string): boolean;
  /** Whether one of the conditions has become true or untrue. */
  turned(...conditions: readonly string[]): boolean;
}

export function validateJobStatus(job: Source, old: Source): FieldError[] {
  const [now, before] = [objectAt(job, "status") ?? {}, objectAt(old, "status") ?? {}];
  const step: Step = {
    spec: specOf(job),
    now,
    before,
    changed: (member) => !equalJson(now[member] ?? null, before[member] ?? null),
    turned: (...conditions) =>
      conditions.some((type) => isConditionTrue(now, type) !== isConditionTrue(before, type)),
  };
  const code: CodeRules = {
    uncounted: () => uncountedErrors(now),
    state: () => [
      ...endErrors(step),
      ...timeErrors(step),
      ...signErrors(step),
      ...finishedErrors(step),
      ...indexErrors(step),
      ...podErrors(step),
      ...successErrors(step),
    ],
    steps: () => stepErrors(step),
  };
  return schemaErrors(`${TYPES}JobStatus`, now, { field: "status", code });
}

function uncountedErrors(status: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return ["succeeded", "failed"].flatMap((member) =>
    textsAt(objectAt(status, "uncountedTerminatedPods"), member).flatMap((uid, index) => {
      const place = `status.uncountedTerminatedPods.${member}[${index}]`;
      return uid === "" ? [invalid(place, uid, "must not be empty")] : repeated(seen, place, uid);
    }),
  );
}

const conditionError = (detail: string): FieldError => invalidWhole("status.conditions", detail);

/** Complete and Failed exclude each other. */
function endErrors({ now, turned }: Step): FieldError[] {
  if (!isConditionTrue(now, "Complete")) return [];
  const errors: FieldError[] = [];
  if (turned("Complete", "Failed") && isConditionTrue(now, "Failed")) {
    errors.push(conditionError("cannot set Complete=True and Failed=true conditions"));
  }
  if (turned("Complete", "FailureTarget") && isConditionTrue(now, "FailureTarget")) {
    errors.push(conditionError("cannot set Complete=True and FailureTarget=true conditions"));
  }
  return errors;
}

function timeErrors({ now, changed, turned }: Step): FieldError[] {
  const [started, completed] = [textAt(now, "startTime"), textAt(now, "completionTime")];
  const isComplete = isConditionTrue(now, "Complete");
  const field = "status.completionTime";
  const errors: FieldError[] = [];
  if (turned("Complete") || changed("completionTime")) {
    if (completed !== "" && !isComplete) {
      const rule = "cannot set completionTime when there is no Complete=True condition";
      errors.push(invalid(field, completed, rule));
    }
    if (completed === "" && isComplete) {
      errors.push(required(field, "completionTime is required for Complete jobs"));
    }
  }
  const isBefore = started !== "" && completed !== "" && Date.parse(completed) < Date.parse(started);
  if (isBefore && (changed("startTime") || changed("completionTime"))) {
    errors.push(invalid(field, completed, "completionTime cannot be set before startTime"));
  }
  return errors;
}

/** The criteria condition precedes the final one. */
const signErrors = ({ now, turned }: Step): FieldError[] =>
  [
    ["Failed", "FailureTarget"],
    ["Complete", "SuccessCriteriaMet"],
  ].flatMap(([end = "", sign = ""]) =>
    turned(end, sign) && isConditionTrue(now, end) && !isConditionTrue(now, sign)
      ? [conditionError(`cannot set ${end}=True condition without the ${sign}=true condition`)]
      : [],
  );

const isFinished = (status: JsonObject): boolean =>
  isConditionTrue(status, "Complete") || isConditionTrue(status, "Failed");

/** A finished job has no active pods. */
function finishedErrors({ spec, now, before, changed }: Step): FieldError[] {
  if (!isFinished(now)) return [];
  const mayNotStart = isTrue(spec, "suspend") && numberAt(spec, "completions") === 0;
  const ended = !isFinished(before);
  const uncounted = objectAt(now, "uncountedTerminatedPods");
  const left = [...textsAt(uncounted, "succeeded"), ...textsAt(uncounted, "failed")];
  const active = numberAt(now, "active") ?? 0;
  const errors: FieldError[] = [];
  if ((ended || changed("active")) && active > 0) {
    errors.push(invalid("status.active", active, "active>0 is invalid for finished job"));
  }
  if ((ended || changed("startTime")) && textAt(now, "startTime") === "" && !mayNotStart) {
    errors.push(required("status.startTime", "startTime is required for finished job"));
  }
  if ((ended || changed("uncountedTerminatedPods")) && left.length > 0) {
    const shown = structOf(`${TYPES}UncountedTerminatedPods`, uncounted ?? {});
    const rule = "uncountedTerminatedPods needs to be empty for finished job";
    errors.push(invalidStruct("status.uncountedTerminatedPods", shown, rule));
  }
  return errors;
}

function indexErrors({ spec, now, changed }: Step): FieldError[] {
  const completions = numberAt(spec, "completions");
  const limit = numberAt(spec, "backoffLimitPerIndex");
  const [completed, failed] = [textAt(now, "completedIndexes"), now["failedIndexes"]];
  const newFailed = changed("failedIndexes") && typeof failed === "string" ? failed : undefined;
  const errors: FieldError[] = [];
  const check = (member: string, text: string): void => {
    const { error } = countIndexes(text, completions ?? 0);
    if (error === undefined) return;
    errors.push(invalid(`status.${member}`, text, `error parsing ${member}: ${error}`));
  };
  if (changed("completedIndexes") && completions !== undefined) check("completedIndexes", completed);
  if (newFailed !== undefined && completions !== undefined && limit !== undefined) {
    check("failedIndexes", newFailed);
  }
  if (changed("completedIndexes") && completed !== "" && spec["completionMode"] !== "Indexed") {
    const rule = "cannot set non-empty completedIndexes when non-indexed completion mode";
    errors.push(invalid("status.completedIndexes", completed, rule));
  }
  if (newFailed !== undefined && limit === undefined) {
    const rule = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    errors.push(invalid("status.failedIndexes", newFailed, rule));
  }
  const isNew = changed("failedIndexes") || changed("completedIndexes");
  if (!isNew || typeof failed !== "string" || completions === undefined) return errors;
  const shared = sharedIndex(completed, failed, completions);
  if (shared === undefined) return errors;
  const rule = `failedIndexes and completedIndexes overlap at index: ${shared}`;
  return [...errors, invalid("status.failedIndexes", failed, rule)];
}

/** Terminating and ready pods. */
function podErrors({ now, before, changed }: Step): FieldError[] {
  const [going, ready, active] = ["terminating", "ready", "active"].map(
    (member) => numberAt(now, member) ?? 0,
  ) as [number, number, number];
  const ended = isFinished(now) && !isFinished(before);
  const errors: FieldError[] = [];
  if (isFinished(now) && (ended || changed("terminating")) && going > 0) {
    errors.push(invalid("status.terminating", going, "terminating>0 is invalid for finished job"));
  }
  if ((changed("ready") || changed("active")) && ready > active) {
    errors.push(invalid("status.ready", ready, "cannot set more ready pods than active"));
  }
  return errors;
}

function successErrors({ spec, now }: Step): FieldError[] {
  const isMet = isConditionTrue(now, "SuccessCriteriaMet");
  const errors: FieldError[] = [];
  if (isMet && isConditionTrue(now, "Failed")) {
    errors.push(conditionError("cannot set SuccessCriteriaMet=True and Failed=true conditions"));
  }
  if (isMet && isConditionTrue(now, "FailureTarget")) {
    errors.push(conditionError("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"));
  }
  if (!isMet && objectAt(spec, "successPolicy") !== undefined && isConditionTrue(now, "Complete")) {
    const rule = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True";
    errors.push(conditionError(rule));
  }
  return errors;
}

/** Transitions that must not be reverted. */
function stepErrors({ spec, now, before, changed }: Step): FieldError[] {
  const errors: FieldError[] = [];
  const isGone = (type: string): boolean => isConditionTrue(before, type) && !isConditionTrue(now, type);
  for (const type of ["Failed", "Complete", "FailureTarget"].filter(isGone)) {
    errors.push(conditionError(`cannot disable the terminal ${type}=True condition`));
  }
  const canShrink =
    spec["completionMode"] === "Indexed" && numberAt(spec, "completions") === numberAt(spec, "parallelism");
  for (const member of canShrink ? ["failed"] : ["failed", "succeeded"]) {
    const count = numberAt(now, member) ?? 0;
    if (count >= (numberAt(before, member) ?? 0)) continue;
    errors.push(invalid(`status.${member}`, count, `cannot decrease the ${member} counter`));
  }
  const [completed, started] = [textAt(now, "completionTime"), textAt(before, "startTime")];
  if (completed !== "" && textAt(before, "completionTime") !== "" && changed("completionTime")) {
    errors.push(invalid("status.completionTime", completed, "completionTime cannot be mutated"));
  }
  if (started !== "" && changed("startTime") && !isTrue(spec, "suspend")) {
    errors.push(required("status.startTime", "startTime cannot be removed for unsuspended job"));
  }
  if (isGone("SuccessCriteriaMet")) {
    errors.push(conditionError("cannot disable the SuccessCriteriaMet=True condition"));
  }
  const isLate = !isConditionTrue(before, "SuccessCriteriaMet") && isConditionTrue(now, "SuccessCriteriaMet");
  if (isLate && isConditionTrue(before, "Complete")) {
    const rule = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
    errors.push(conditionError(rule));
  }
  return errors;
}
