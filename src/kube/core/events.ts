// Event of the core API: a report about an object. The same objects are served as events.k8s.io/v1. Tables, field
// selectors and validation use the core form for both APIs.

import { type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { isDns1123Subdomain, isPathSegmentName, isQualifiedName } from "../../apimachinery/meta/names.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { formErrors } from "../../apiserver/registry/strategy/checks.ts";
import {
  column,
  NAME,
  type PrintedColumn,
  timeSince,
  wideColumn,
} from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";

export const EVENT_COLUMNS: readonly PrintedColumn[] = [
  column("Last Seen", "Time since it last happened.", lastSeen),
  column("Type", "Normal or Warning.", "type"),
  column("Reason", "Short word that says what happened.", "reason"),
  column("Object", "The object that it happened to.", shownObject),
  wideColumn("Subobject", "The part of the object.", "involvedObject.fieldPath"),
  wideColumn("Source", "Who reports it, and from where.", sourceOf),
  column("Message", "What happened.", (object) => textAt(object, "message").trim()),
  wideColumn("First Seen", "Time since it was first seen.", firstSeen),
  wideColumn("Count", "How often it happened.", countOf),
  { ...NAME, priority: 1 },
];

function firstSeen(object: Readonly<JsonObject>, nowMs: number): string {
  return timeSince(object, textAt(object, "firstTimestamp") ? "firstTimestamp" : "eventTime", nowMs);
}

function lastSeen(object: Readonly<JsonObject>, nowMs: number): string {
  const series = objectAt(object, "series");
  if (series !== undefined) return timeSince(series, "lastObservedTime", nowMs);
  return textAt(object, "lastTimestamp")
    ? timeSince(object, "lastTimestamp", nowMs)
    : firstSeen(object, nowMs);
}

function shownObject(object: Readonly<JsonObject>): string {
  const target = objectAt(object, "involvedObject");
  const [kind, name] = [textAt(target, "kind").toLowerCase(), textAt(target, "name")];
  return name === "" ? kind : `${kind}/${name}`;
}

function countOf(object: Readonly<JsonObject>): number {
  const series = objectAt(object, "series");
  return numberAt(series ?? object, "count") || (series === undefined ? 1 : 0);
}

function sourceOf(object: Readonly<JsonObject>): string {
  const source = objectAt(object, "source");
  const component = textAt(source, "component") || textAt(object, "reportingComponent");
  const instance = textAt(source, "host") || textAt(object, "reportingInstance");
  return instance === "" ? component : `${component}, ${instance}`;
}

/** Field names are those of the core API. */
export function eventFieldValue(object: Readonly<JsonObject>, field: string): string {
  const [member = "", part] = field.split(".");
  if (member === "involvedObject") return textAt(objectAt(object, "involvedObject"), part ?? "");
  if (field !== "source") return textAt(object, field);
  return textAt(objectAt(object, "source"), "component") || textAt(object, "reportingComponent");
}

const WORD_MAX = 128;
const NOTE_MAX = 1024;

/** Rules of both APIs, on the core form; `reporting` is the name of reportingComponent in messages. */
export function validateEvent(object: Readonly<JsonObject>, reporting = "reportingComponent"): FieldError[] {
  const namespace = textAt(objectAt(object, "metadata"), "namespace");
  const objectNamespace = textAt(objectAt(object, "involvedObject"), "namespace");
  const reported = textAt(object, "eventTime") !== "";
  const errors: FieldError[] = [];
  if (!namespacesAgree(namespace, objectNamespace, reported)) {
    errors.push(invalid("involvedObject.namespace", objectNamespace, "does not match event.namespace"));
  }
  if (reported) append(errors, validateReport(object, reporting));
  return [...errors, ...formErrors(isDns1123Subdomain, "namespace", namespace)];
}

/**
 * Events of cluster-scoped objects are in the namespace default. Newer events may be in another namespace than their
 * object.
 */
function namespacesAgree(namespace: string, objectNamespace: string, reported: boolean): boolean {
  if (!reported) return namespace === (objectNamespace || "default");
  return objectNamespace !== "" || namespace === "default" || namespace === "kube-system";
}

/** An event with eventTime must name its reporting controller. */
function validateReport(object: Readonly<JsonObject>, reporting: string): FieldError[] {
  const controller = textAt(object, "reportingComponent");
  const errors = controller === "" ? [required(reporting)] : [];
  append(errors, formErrors(isQualifiedName, reporting, controller));
  for (const member of ["reportingInstance", "action", "reason"]) {
    const value = textAt(object, member);
    if (value === "") errors.push(required(member));
    if (Buffer.byteLength(value) > WORD_MAX) {
      errors.push(invalid(member, "", `can have at most ${WORD_MAX} characters`));
    }
  }
  if (Buffer.byteLength(textAt(object, "message")) > NOTE_MAX) {
    errors.push(invalid("message", "", `can have at most ${NOTE_MAX} characters`));
  }
  return errors;
}

/** Further rules of events.k8s.io/v1. */
export function validateNewEvent(object: Readonly<JsonObject>): FieldError[] {
  const errors = validateEvent(object, "reportingController");
  append(errors, validateSeries(objectAt(object, "series")));
  if (textAt(object, "eventTime") === "") errors.push(required("eventTime"));
  const type = textAt(object, "type");
  if (type !== "Normal" && type !== "Warning") {
    errors.push(invalid("type", "", `has invalid value: ${type}`));
  }
  const source = objectAt(object, "source");
  const older = {
    firstTimestamp: textAt(object, "firstTimestamp"),
    lastTimestamp: textAt(object, "lastTimestamp"),
    count: numberAt(object, "count"),
    source: textAt(source, "component") || textAt(source, "host"),
  };
  for (const [member, value] of Object.entries(older)) {
    if (value) errors.push(invalid(member, "", "needs to be unset"));
  }
  return errors;
}

export function validateSeries(series: JsonObject | undefined): FieldError[] {
  if (series === undefined) return [];
  const errors: FieldError[] = [];
  if ((numberAt(series, "count") ?? 0) < 2) {
    errors.push(invalid("series.count", "", "should be at least 2"));
  }
  if (textAt(series, "lastObservedTime") === "") errors.push(required("series.lastObservedTime"));
  return errors;
}

const strategy: Strategy = {
  metadataChecksOnUpdate: [],
  metadataOfNew: "alone",
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutGarbageCollection: true,
  validateName: isPathSegmentName,
  validate: (object) => validateEvent(object),
  validateUpdate: (object) => validateEvent(object),
};

export const events = builtIn("v1", "Event", {
  shortNames: ["ev"],
  columns: EVENT_COLUMNS,
  selectableFields: [
    ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
      (member) => `involvedObject.${member}`,
    ),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  fieldValue: eventFieldValue,
  strategy,
});
