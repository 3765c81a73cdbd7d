// What an update through the newer API of events leaves alone: all but metadata and the series.
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import { invalidStruct } from "../checks.ts";
import { validateEvent, validateSeries } from "../core/events.ts";

type Read = (event: Readonly<JsonObject>) => unknown;

const struct =
  (member: string, members: Readonly<Record<string, string>>): Read =>
  (event) => {
    const value = objectAt(event, member);
    return Object.fromEntries(Object.entries(members).map(([name, key]) => [name, textAt(value, key)]));
  };

const REFERENCE = {
  Kind: "kind",
  Namespace: "namespace",
  Name: "name",
  UID: "uid",
  APIVersion: "apiVersion",
  ResourceVersion: "resourceVersion",
  FieldPath: "fieldPath",
};
const related = struct("related", REFERENCE);
const text =
  (member: string): Read =>
  (event) =>
    textAt(event, member);
const time =
  (member: string): Read =>
  (event) =>
    textAt(event, member) || null;

/** The members of the core form that stay, in the order of their complaints. The reason is complained of twice. */
const KEPT: readonly (readonly [field: string, read: Read])[] = [
  ["involvedObject", struct("involvedObject", REFERENCE)],
  ["reason", text("reason")],
  ["message", text("message")],
  ["source", struct("source", { Component: "component", Host: "host" })],
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

/** Both events in the core form. */
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
