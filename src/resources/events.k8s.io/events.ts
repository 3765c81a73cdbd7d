// Event in its newer API. These are the objects of core events in another form: they lie in the same place.
import { objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { rowPrinter } from "../columns.ts";
import { EVENT_COLUMNS, eventFieldValue, validateNewEvent } from "../core/events.ts";
import { builtIn } from "../define.ts";
import { fromCoreEvent, toCoreEvent } from "./event-conversion.ts";
import { validateNewEventUpdate } from "./event-update.ts";

/** The fields of this API, and what they are called in the core form. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["reason", "reason"],
  ["regarding.kind", "involvedObject.kind"],
  ["regarding.namespace", "involvedObject.namespace"],
  ["regarding.name", "involvedObject.name"],
  ["regarding.uid", "involvedObject.uid"],
  ["regarding.apiVersion", "involvedObject.apiVersion"],
  ["regarding.resourceVersion", "involvedObject.resourceVersion"],
  ["regarding.fieldPath", "involvedObject.fieldPath"],
  ["reportingController", "reportingComponent"],
  ["type", "type"],
]);

/** Objects of both forms pass here, since stored ones are of the core form. */
function coreForm(object: Readonly<Record<string, unknown>>): KubeObject {
  const event: KubeObject = { ...object, metadata: { ...objectAt(object, "metadata") } };
  return "regarding" in event ? toCoreEvent(event) : event;
}

const strategy: Strategy = {
  metadataChecksOnUpdate: [],
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
  selectableFields: [...FIELDS.keys()],
  fieldValue: (object, field) => eventFieldValue(coreForm(object), FIELDS.get(field) ?? field),
  strategy,
  storagePrefix: "events",
  storedForm: { toStored: toCoreEvent, fromStored: fromCoreEvent },
  errorGroup: "",
});
