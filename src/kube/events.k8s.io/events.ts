// Event of events.k8s.io/v1. These are the objects of core events in another form, stored under the same keys in the
// core form. Their members have other names:
//
//   core v1                               events.k8s.io/v1
//   involvedObject                        regarding
//   message                               note
//   reportingComponent                    reportingController
//   source, count                         deprecatedSource, deprecatedCount
//   firstTimestamp, lastTimestamp         deprecatedFirstTimestamp, deprecatedLastTimestamp

import { equalJson, type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import { rowPrinter } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { objectOf } from "../../apiserver/registry/strategy/schema-rules.ts";
import {
  EVENT_COLUMNS,
  eventFieldValue,
  validateEvent,
  validateNewEvent,
  validateSeries,
} from "../core/events.ts";

const RENAMED = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["count", "deprecatedCount"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
] as const;
const TO_CORE = new Map<string, string>(RENAMED.map(([core, renamed]) => [renamed, core]));
const FROM_CORE = new Map<string, string>(RENAMED);
/** The core form always encodes these, the other form only when they are set. */
const WRITTEN = ["reportingComponent", "reportingInstance"];

/** The core form of an event; a new object that shares its members. */
export function toCoreEvent(event: Readonly<KubeObject>): KubeObject {
  const core = rename(event, TO_CORE);
  for (const member of WRITTEN) core[member] ??= "";
  core.apiVersion = "v1";
  return core;
}

/** The events.k8s.io/v1 form of a core event; a new object that shares its members. */
export function fromCoreEvent(core: Readonly<KubeObject>): KubeObject {
  const event = rename(core, FROM_CORE);
  for (const member of ["reportingController", "reportingInstance"]) {
    if (event[member] === "") delete event[member];
  }
  event.apiVersion = "events.k8s.io/v1";
  return event;
}

function rename(event: Readonly<KubeObject>, names: ReadonlyMap<string, string>): KubeObject {
  const out: JsonObject = {};
  for (const key of Object.keys(event)) out[names.get(key) ?? key] = event[key];
  return { ...out, metadata: event.metadata };
}

const REGARDING = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const FIELDS = ["reason", ...REGARDING.map((part) => `regarding.${part}`), "reportingController", "type"];

/** Name of a field of this API in the core form. */
const coreField = (field: string): string => field.replace(/^\w+/, (member) => TO_CORE.get(member) ?? member);

/** Accepts both forms, since stored objects have the core form. */
function coreForm(object: Readonly<Record<string, unknown>>): KubeObject {
  const event: KubeObject = { ...object, metadata: { ...objectAt(object, "metadata") } };
  return "regarding" in event ? toCoreEvent(event) : event;
}

const strategy: Strategy = {
  metadataChecksOnUpdate: [],
  metadataOfNew: "last",
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutGarbageCollection: true,
  validate: (object) => validateNewEvent(coreForm(object)),
  validateUpdate: (object, old) => validateNewEventUpdate(coreForm(object), coreForm(old)),
};

const printEvent = rowPrinter(EVENT_COLUMNS);

export const eventsV1 = builtIn("events.k8s.io/v1", "Event", {
  shortNames: ["ev"],
  columns: EVENT_COLUMNS,
  printRow: (object, nowMs) => printEvent(coreForm(object), nowMs),
  selectableFields: FIELDS,
  fieldValue: (object, field) => eventFieldValue(coreForm(object), coreField(field)),
  strategy,
  storagePrefix: "events",
  storedForm: { toStored: toCoreEvent, fromStored: fromCoreEvent },
  errorGroup: "",
  ownedFinalizers: true,
});

// Fields that an update through events.k8s.io/v1 must not change: all but metadata and the series.

type Read = (event: Readonly<JsonObject>) => unknown;

const struct =
  (member: string, type: string): Read =>
  (event) =>
    structOf(`io.k8s.api.core.v1.${type}`, objectOf(event[member]));
const related = struct("related", "ObjectReference");
const text =
  (member: string): Read =>
  (event) =>
    textAt(event, member);
const time =
  (member: string): Read =>
  (event) =>
    textAt(event, member) || null;

/** Immutable members of the core form, in the order of their errors. The reason is reported twice. */
const KEPT: readonly (readonly [field: string, read: Read])[] = [
  ["involvedObject", struct("involvedObject", "ObjectReference")],
  ["reason", text("reason")],
  ["message", text("message")],
  ["source", struct("source", "EventSource")],
  ["firstTimestamp", time("firstTimestamp")],
  ["lastTimestamp", time("lastTimestamp")],
  ["count", (event) => numberAt(event, "count") ?? 0],
  ["reason", text("reason")],
  ["type", text("type")],
  ["eventTime", time("eventTime")],
  ["action", text("action")],
  ["related", (event) => (objectAt(event, "related") === undefined ? null : related(event))],
  ["reportingController", text("reportingComponent")],
  ["reportingInstance", text("reportingInstance")],
];

/** Both events are in the core form. */
export function validateNewEventUpdate(event: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const series = objectAt(event, "series");
  return [
    ...validateEvent(event, "reportingController"),
    ...(equalJson(series, objectAt(old, "series")) ? [] : validateSeries(series)),
    ...KEPT.flatMap(([field, read]) => {
      const value = read(event);
      return equalJson(value, read(old)) ? [] : [immutable(field, value)];
    }),
  ];
}

const immutable = (field: string, value: unknown): FieldError =>
  typeof value === "object" && value !== null
    ? invalidStruct(field, { ...value }, "field is immutable")
    : invalid(field, value, "field is immutable");
