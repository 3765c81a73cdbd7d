// The two forms of an Event. They hold the same members under other names; stored is the core form.
//
//   core v1                               events.k8s.io/v1
//   involvedObject                        regarding
//   message                               note
//   reportingComponent                    reportingController
//   source, count                         deprecatedSource, deprecatedCount
//   firstTimestamp, lastTimestamp         deprecatedFirstTimestamp, deprecatedLastTimestamp
import type { JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

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
/** The core form writes these in any case, the other one only when they say something. */
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
