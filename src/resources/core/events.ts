// Event in the core API: a report about an object. The same objects are served as events.k8s.io/v1.
import { isPathSegmentName } from "../../meta/names.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { builtIn } from "../define.ts";
import { EVENT_COLUMNS, eventFieldValue } from "./event-row.ts";
import { validateEvent } from "./event-validation.ts";

const strategy: Strategy = {
  metadataChecksOnUpdate: [],
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
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  fieldValue: eventFieldValue,
  strategy,
});
