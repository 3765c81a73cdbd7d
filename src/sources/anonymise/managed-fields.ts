// Who owns which fields, under other names: below maps of people stand their keys, and lists are named by the values of their
// items.
import { isObject, type JsonObject, objectsOf, parsedJson, setOwn } from "../../meta/json.ts";
import type { Texts } from "./texts.ts";

/** Members whose own members are named by people. */
const MAPS = /^f:(labels|annotations|matchLabels|nodeSelector|selector|data|binaryData|parameters)$/;

export function managedFieldsUnder(entries: unknown, texts: Texts): JsonObject[] {
  return objectsOf(entries).map((entry) => ({
    ...entry,
    ...(typeof entry["manager"] === "string" ? { manager: texts.text(entry["manager"]) } : {}),
    ...(isObject(entry["fieldsV1"]) ? { fieldsV1: fieldsUnder(entry["fieldsV1"], false, texts) } : {}),
  }));
}

function fieldsUnder(fields: JsonObject, isMap: boolean, texts: Texts): JsonObject {
  const out: JsonObject = {};
  for (const name of Object.keys(fields)) {
    const below = fields[name];
    const changed = isObject(below) ? fieldsUnder(below, MAPS.test(name), texts) : below;
    setOwn(out, fieldUnder(name, isMap, texts), changed);
  }
  return out;
}

/** `f:app`, `k:{"ip":"10.0.0.1"}`, `v:"finalizer"`. */
function fieldUnder(name: string, isMap: boolean, texts: Texts): string {
  if (name.startsWith("f:")) return isMap ? `f:${texts.key(name.slice(2))}` : name;
  if (!/^[kv]:/.test(name)) return name;
  return `${name.slice(0, 2)}${JSON.stringify(valueUnder(parsedJson(name.slice(2)), texts))}`;
}

function valueUnder(value: unknown, texts: Texts): unknown {
  if (typeof value === "string") return /^[A-Z][A-Za-z]*$/.test(value) ? value : texts.key(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, valueUnder(item, texts)]));
}
