// What tables show of an Event, and what it can be selected by, whichever of its two APIs it came through: both
// work on the core form.
import { type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import type { Column, RowPrinter } from "../../registry/definition/resource-definition.ts";
import { column, NAME, timeSince, wideColumn } from "../columns.ts";

export const EVENT_COLUMNS: readonly Column[] = [
  column("Last Seen", "Time since it last happened."),
  column("Type", "Normal or Warning."),
  column("Reason", "Short word that says what happened."),
  column("Object", "The object that it happened to."),
  wideColumn("Subobject", "The part of the object."),
  wideColumn("Source", "Who reports it, and from where."),
  column("Message", "What happened."),
  wideColumn("First Seen", "Time since it was first seen."),
  wideColumn("Count", "How often it happened."),
  { ...NAME, priority: 1 },
];

export const printEvent: RowPrinter = (object, nowMs) => {
  const target = objectAt(object, "involvedObject");
  const series = objectAt(object, "series");
  const first = timeSince(object, textAt(object, "firstTimestamp") ? "firstTimestamp" : "eventTime", nowMs);
  const last = textAt(object, "lastTimestamp") ? timeSince(object, "lastTimestamp", nowMs) : first;
  const kind = textAt(target, "kind").toLowerCase();
  const name = textAt(target, "name");
  return {
    cells: [
      series === undefined ? last : timeSince(series, "lastObservedTime", nowMs),
      textAt(object, "type"),
      textAt(object, "reason"),
      name === "" ? kind : `${kind}/${name}`,
      textAt(target, "fieldPath"),
      sourceOf(object),
      textAt(object, "message").trim(),
      first,
      numberAt(series ?? object, "count") || (series === undefined ? 1 : 0),
      textAt(objectAt(object, "metadata"), "name"),
    ],
  };
};

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
