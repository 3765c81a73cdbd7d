// What tables show of an Event, and what it can be selected by, whichever of its two APIs it came through: both
// work on the core form.
import { type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import { column, NAME, type PrintedColumn, timeSince, wideColumn } from "../columns.ts";

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
