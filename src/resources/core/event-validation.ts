// What an Event must fulfil. The older API lets nearly everything through; the newer one wants to know who reports.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Subdomain, isQualifiedName } from "../../meta/names.ts";

const WORD_MAX = 128;
const NOTE_MAX = 1024;

/** Rules for events of both APIs, on the core form; the newer one calls reportingComponent otherwise. */
export function validateEvent(object: Readonly<JsonObject>, reporting = "reportingComponent"): FieldError[] {
  const namespace = textAt(objectAt(object, "metadata"), "namespace");
  const objectNamespace = textAt(objectAt(object, "involvedObject"), "namespace");
  const reported = textAt(object, "eventTime") !== "";
  const errors: FieldError[] = [];
  if (!namespacesAgree(namespace, objectNamespace, reported)) {
    errors.push(invalid("involvedObject.namespace", objectNamespace, "does not match event.namespace"));
  }
  if (reported) append(errors, validateReport(object, reporting));
  return [...errors, ...isDns1123Subdomain(namespace).map((text) => invalid("namespace", namespace, text))];
}

/** Objects without a namespace have their events in default. Newer events may lie elsewhere than their object. */
function namespacesAgree(namespace: string, objectNamespace: string, reported: boolean): boolean {
  if (!reported) return namespace === (objectNamespace || "default");
  return objectNamespace !== "" || namespace === "default" || namespace === "kube-system";
}

/** An event with eventTime says who reports it. */
function validateReport(object: Readonly<JsonObject>, reporting: string): FieldError[] {
  const controller = textAt(object, "reportingComponent");
  const errors: FieldError[] = [];
  if (controller === "") errors.push(required(reporting));
  for (const text of isQualifiedName(controller)) errors.push(invalid(reporting, controller, text));
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

/** What the newer API asks for beside that. */
export function validateNewEvent(object: Readonly<JsonObject>): FieldError[] {
  const errors = validateEvent(object, "reportingController");
  append(errors, validateSeries(objectAt(object, "series")));
  if (textAt(object, "eventTime") === "") errors.push(required("eventTime"));
  const type = textAt(object, "type");
  if (type !== "Normal" && type !== "Warning") {
    errors.push(invalid("type", "", `has invalid value: ${type}`));
  }
  const source = objectAt(object, "source");
  const unset: Readonly<Record<string, boolean>> = {
    firstTimestamp: textAt(object, "firstTimestamp") === "",
    lastTimestamp: textAt(object, "lastTimestamp") === "",
    count: !numberAt(object, "count"),
    source: textAt(source, "component") === "" && textAt(source, "host") === "",
  };
  for (const [member, holds] of Object.entries(unset)) {
    if (!holds) errors.push(invalid(member, "", "needs to be unset"));
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
