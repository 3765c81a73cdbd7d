// Anonymisation of field ownership (managedFields). Members are renamed as in the object, members left out of the
// object are left out here, and list items are identified by their anonymised values.
import {
  isObject,
  type JsonObject,
  objectsOf,
  parsedJson,
  setOwn,
  textAt,
} from "../../../../apimachinery/json/json.ts";
import type { Texts } from "./texts.ts";
import { isMapOfPeople, type Values } from "./values.ts";

/** The other members of an entry; none is free text. */
const KEPT = new Set(["operation", "apiVersion", "time", "fieldsType"]);
/** Subresources that field managers write. */
const SUBRESOURCES = new Set(["", "status", "scale", "binding", "ephemeralcontainers", "resize"]);

export function managedFieldsUnder(entries: unknown, texts: Texts, values: Values): JsonObject[] {
  return objectsOf(entries).map((entry) => {
    const [manager, subresource] = [textAt(entry, "manager"), textAt(entry, "subresource")];
    const out: JsonObject = {};
    for (const member of Object.keys(entry))
      if (KEPT.has(member)) setOwn(out, member, values.value(entry[member], member));
    const fields = entry["fieldsV1"];
    return {
      ...(manager === "" ? {} : { manager: texts.text(manager) }),
      ...out,
      ...(isObject(fields) ? { fieldsV1: fieldsUnder(fields, "", false, values) } : {}),
      ...(subresource === ""
        ? {}
        : { subresource: SUBRESOURCES.has(subresource) ? subresource : texts.text(subresource) }),
    };
  });
}

/** `parent` is the member that contains these fields. */
function fieldsUnder(fields: JsonObject, parent: string, isMap: boolean, values: Values): JsonObject {
  const out: JsonObject = {};
  for (const name of Object.keys(fields)) {
    const below = fields[name];
    const [changed, member] = fieldUnder(name, parent, isMap, values);
    if (changed === undefined) continue;
    const isMapBelow = isMapOfPeople(member) && isObject(below) && !isStruct(below);
    setOwn(out, changed, isObject(below) ? fieldsUnder(below, member, isMapBelow, values) : {});
  }
  return out;
}

const isStruct = (fields: JsonObject): boolean => "f:matchLabels" in fields || "f:matchExpressions" in fields;

/** `f:app`, `k:{"ip":"10.0.0.1"}`, `v:"finalizer"`, `i:3`, `.`; and the member that its children belong to. */
function fieldUnder(
  name: string,
  parent: string,
  isMap: boolean,
  values: Values,
): [string | undefined, string] {
  const rest = name.slice(2);
  if (name.startsWith("f:")) {
    const changed = values.name(rest, parent, isMap);
    return [changed === undefined ? undefined : `f:${changed}`, isMap ? "" : rest];
  }
  if (/^i:\d+$/.test(name) || name === ".") return [name, parent];
  if (!/^[kv]:/.test(name)) return [undefined, parent];
  const value = values.value(parsedJson(rest), parent);
  return [value === undefined ? undefined : `${name.slice(0, 2)}${JSON.stringify(value)}`, parent];
}
