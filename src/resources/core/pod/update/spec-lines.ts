// A pod's spec in the form in which a real server shows it to people: JSON of its structs, each member in a line, with
// all that is not set.

import { isObject, type JsonObject, objectAt } from "../../../../meta/json.ts";
import { escapeHtml } from "../../../../meta/json-encode.ts";
import { type GoMember, isUnknown, membersOf, OF_HOST, POD_SPEC } from "./go-types.ts";

/** The spec holds something of which the struct is not known here. */
class UnknownStruct extends Error {}

/** undefined where something in it cannot be shown. */
export function specLines(spec: JsonObject): string[] | undefined {
  try {
    const shown = JSON.stringify(structOf(POD_SPEC, withHostContext(spec)), withoutBigInts, 1);
    return shown.split("\n").map(escapeHtml);
  } catch (error) {
    if (error instanceof UnknownStruct) return undefined;
    throw error;
  }
}

/** JSON.stringify cannot write the largest numbers. */
const withoutBigInts = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? Number(value) : value;

function withHostContext(spec: JsonObject): JsonObject {
  const host = Object.fromEntries(
    OF_HOST.filter((key) => spec[key] !== undefined).map((key) => [key, spec[key]]),
  );
  const context = objectAt(spec, "securityContext");
  if (context === undefined && Object.keys(host).length === 0) return spec;
  return { ...spec, securityContext: { ...context, ...host } };
}

function structOf(type: string, value: JsonObject): JsonObject {
  if (isUnknown(type)) throw new UnknownStruct();
  return Object.fromEntries(
    membersOf(type).map((member) => [member.name, memberOf(member, value[member.key])]),
  );
}

function memberOf({ form, type }: GoMember, value: unknown): unknown {
  switch (form) {
    case "text":
      return value ?? "";
    case "quantity":
      return value ?? "0";
    case "number":
      return value ?? 0;
    case "truth":
      return value ?? false;
    case "list":
      return listOf(type, value);
    case "map":
      return isObject(value) && Object.keys(value).length > 0 ? sorted(value) : null;
    case "object":
      return structOf(type ?? "", isObject(value) ? value : {});
    case "nullable":
      if (value === undefined || value === null) return null;
      return type !== undefined && isObject(value) ? structOf(type, value) : value;
  }
}

function listOf(type: string | undefined, value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return null;
  return type === undefined ? value : value.map((item) => structOf(type, isObject(item) ? item : {}));
}

const sorted = (map: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
