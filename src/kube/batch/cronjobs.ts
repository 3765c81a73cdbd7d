// CronJob: a job at each time of a schedule, created by src/cluster/cronjob.

import { isSchedule, isTimeZone, unknownZone } from "../../apimachinery/go/schedule.ts";
import { type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, notSupported } from "../../apimachinery/meta/field-error.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { formErrors } from "../../apiserver/registry/strategy/checks.ts";
import {
  AGE,
  booleanColumn,
  column,
  integerColumn,
  itemsIn,
  NAME,
  timeSince,
} from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { isTrue, keeping, keepingStatus, nameOf, specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules, Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { applyPodSpecDefaults } from "../core/pod/defaults.ts";
import { containerColumns, selectorColumn, workloadWarnings } from "../workload.ts";
import { jobWarnings, validateJobSpec } from "./job-spec.ts";

/** The controller appends a timestamp to the name, and a job's name has at most 63 characters. */
const NAME_LENGTH_MAX = 52;
const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

const jobSpecOf = (object: Readonly<JsonObject>): JsonObject =>
  specOf(objectAt(specOf(object), "jobTemplate"));

const podTemplateOf = (object: Readonly<JsonObject>): JsonObject =>
  objectAt(jobSpecOf(object), "template") ?? {};

/** The time zone has a member of its own; schedules that already contain one are accepted. */
function scheduleErrors({ field, owner, old }: Place): FieldError[] {
  const schedule = textAt(owner, "schedule");
  const errors = formErrors(isSchedule, field, schedule);
  if (!schedule.includes("TZ")) return errors;
  if (!textAt(old, "schedule").includes("TZ")) {
    const rule = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [...errors, invalid(field, schedule, rule)];
  }
  if (owner["timeZone"] === undefined) return errors;
  return [
    ...errors,
    invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"),
  ];
}

function zoneErrors({ field, value, old }: Place): FieldError[] {
  const zone = String(value);
  if (old?.["timeZone"] === zone) return [];
  if (zone === "") return [invalid(field, zone, "timeZone must be nil or non-empty string")];
  const isPart = (part: string) =>
    part !== "." && part !== ".." && !part.startsWith("-") && ZONE_PART.test(part);
  if (!zone.split("/").every(isPart)) return [invalid(field, zone, unknownZone(zone))];
  const rule = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    ...(zone.toLowerCase() === "local" ? [invalid(field, zone, rule)] : []),
    ...(isTimeZone(zone) ? [] : [invalid(field, zone, unknownZone(zone))]),
  ];
}

const rules: CodeRules = {
  schedule: scheduleErrors,
  timeZone: zoneErrors,
  template({ field, owner }) {
    const spec = specOf(objectAt(owner, "jobTemplate"));
    const place = `${field}.jobTemplate.spec`;
    const selector = objectAt(spec, "selector");
    const isManual = isTrue(spec, "manualSelector");
    return [
      ...validateJobSpec(place, spec),
      ...(selector ? [invalid(`${place}.selector`, selector, "`selector` will be auto-generated")] : []),
      ...(isManual ? [notSupported(`${place}.manualSelector`, true, ["nil", "false"])] : []),
    ];
  },
  name({ owner, old }) {
    const name = nameOf(owner);
    if (old !== undefined || name.length <= NAME_LENGTH_MAX) return [];
    return [invalid("metadata.name", name, `must be no more than ${NAME_LENGTH_MAX} characters`)];
  },
};

const strategy: Strategy = {
  hasGeneration: true,
  ...keepingStatus({}),
  applyDefaults: (object) => applyPodSpecDefaults(specOf(podTemplateOf(object))),
  warnings: (object, old) =>
    workloadWarnings(object, old, {
      namesPods: true,
      ofKind: jobWarnings(jobSpecOf(object)),
      field: "spec.jobTemplate.spec.template",
      template: podTemplateOf(object),
    }),
};

function suspendCell(object: Readonly<JsonObject>): string {
  const { suspend } = specOf(object);
  return suspend === undefined ? "<unset>" : suspend === true ? "True" : "False";
}

export const cronJobs = builtIn("batch/v1", "CronJob", {
  shortNames: ["cj"],
  categories: ["all"],
  columns: [
    NAME,
    column("Schedule", "When jobs are made.", "spec.schedule"),
    column("Timezone", "Time zone of the schedule.", (object) => {
      const { timeZone } = specOf(object);
      return typeof timeZone === "string" ? timeZone : "<none>";
    }),
    booleanColumn("Suspend", "Whether no further jobs are made.", suspendCell),
    integerColumn("Active", "Jobs that run.", itemsIn("status.active")),
    column("Last Schedule", "Time since a job was last made.", (object, nowMs) => {
      const status = objectAt(object, "status");
      return status?.["lastScheduleTime"] === undefined
        ? "<none>"
        : timeSince(status, "lastScheduleTime", nowMs);
    }),
    AGE,
    ...containerColumns(podTemplateOf),
    selectorColumn(jobSpecOf),
  ],
  strategy,
  status: { ...keeping("spec"), metadataChecksOnUpdate: [], validateUpdate: () => [] },
  rules,
});
