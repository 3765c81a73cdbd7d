// What an Event in the store says, as the controller that wrote it knows it.
import { isObject, type JsonObject, numberAt, textAt } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import type { EventSubject, Said } from "./event-correlator.ts";

/** With the members that were given, so that it is the same subject as before. */
function subjectOf(about: JsonObject): EventSubject {
  const { kind, name, ...rest } = about;
  const given = ["namespace", "uid", "apiVersion"].flatMap((key) =>
    typeof rest[key] === "string" ? [[key, rest[key]]] : [],
  );
  return { kind: String(kind), name: String(name), ...Object.fromEntries(given) };
}

/** Undefined for an Event of somebody else, or of another form than ours. */
export function readSaid(event: KubeObject, component: string): Said | undefined {
  const { source, involvedObject: about, metadata } = event;
  const type = textAt(event, "type");
  if (!isObject(source) || textAt(source, "component") !== component || !isObject(about)) return undefined;
  if (type !== "Normal" && type !== "Warning") return undefined;
  return {
    occurrence: {
      subject: subjectOf(about),
      type,
      reason: textAt(event, "reason"),
      message: textAt(event, "message"),
    },
    name: metadata.name ?? "",
    count: numberAt(event, "count") ?? 1,
    firstTimestamp: textAt(event, "firstTimestamp"),
    lastTimestamp: textAt(event, "lastTimestamp"),
  };
}
