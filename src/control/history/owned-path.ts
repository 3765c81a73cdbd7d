// Where a field is, as text ("spec.ports[port=80].name") and in the trie of fields that an entry of managedFields holds
// (FieldsV1: f:name is a field, k:{…} an item of a list by its keys, v:… a value of a set).
import { equalJson, isObject, type JsonObject } from "../../meta/json.ts";

export type PathElement =
  | { readonly field: string }
  | { readonly keys: JsonObject }
  /** An item of a list that is one value to those who own it. */
  | { readonly index: number };

export type FieldPath = readonly PathElement[];

const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** As kubectl writes paths in its templates: "metadata.labels['app.kubernetes.io/name']". */
export function pathText(path: FieldPath): string {
  let text = "";
  for (const element of path) {
    if ("index" in element) text += `[${element.index}]`;
    else if ("keys" in element) text += `[${keysText(element.keys)}]`;
    else if (PLAIN.test(element.field)) text += text === "" ? element.field : `.${element.field}`;
    else text += `['${element.field}']`;
  }
  return text;
}

function keysText(keys: JsonObject): string {
  return Object.entries(keys)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(",");
}

/** Whether whoever has these fields has the one at the path, alone or with all that lies below a field above it. */
export function ownsField(fields: JsonObject, path: FieldPath): boolean {
  let at: JsonObject = fields;
  for (const element of path) {
    if ("index" in element) return true; // the list as a whole is what is owned
    const below = "keys" in element ? itemOf(at, element.keys) : at[`f:${element.field}`];
    if (!isObject(below)) return false;
    if (Object.keys(below).length === 0) return true;
    at = below;
  }
  return true;
}

function itemOf(fields: JsonObject, keys: JsonObject): unknown {
  const found = Object.keys(fields).find(
    (key) => key.startsWith("k:") && equalJson(parse(key.slice(2)), keys),
  );
  return found && fields[found];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a client has written what it likes
  }
}
