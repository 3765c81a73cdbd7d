// Validates values in files by a schema: reports position, error and a suggested spelling.

import { isObject, type JsonObject } from "../../apimachinery/json/json.ts";
import type { ControlSchema } from "../../features/control-surface/control-route.ts";
import { didYouMean } from "../../server/options/read-command-line.ts";

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const schemaAt = (schema: ControlSchema, key: string): ControlSchema | undefined => {
  const value = schema[key];
  return isObject(value) ? value : undefined;
};

/** One text for each error: "steps[0].do[1].lable: is unknown; did you mean label?". */
export function findingsOf(schema: ControlSchema, value: unknown, path = ""): string[] {
  const told = (text: string): string[] => [`${path === "" ? "the file" : path}: ${text}`];
  if (value === null && schema["nullable"] === true) return [];
  const alternatives = schema["anyOf"];
  if (Array.isArray(alternatives)) return findingsOfSome(alternatives.filter(isObject), value, path, told);
  const type = schema["type"];
  if (type !== undefined && !isOfType(value, type)) {
    return told(`is ${nameOf(value)}, and has to be ${TYPE_NAMES.get(String(type)) ?? String(type)}`);
  }
  if (isObject(value)) return findingsOfObject(schema, value, path);
  if (Array.isArray(value)) {
    const items = schemaAt(schema, "items");
    return items === undefined
      ? []
      : value.flatMap((item: unknown, index) => findingsOf(items, item, `${path}[${index}]`));
  }
  return typeof value === "string" ? findingsOfText(schema, value).flatMap(told) : [];
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["object", "a map"],
  ["array", "a list"],
  ["string", "a text (in quotes where it looks like something else)"],
  ["integer", "a whole number"],
  ["boolean", "true or false"],
]);

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "a map" : JSON.stringify(value);
}

function findingsOfText(schema: ControlSchema, text: string): string[] {
  const choices = listOf(schema["enum"]);
  if (choices.length > 0 && !choices.includes(text)) {
    return [`${text} is none of ${choices.join(", ")}${didYouMean(text, choices)}`];
  }
  const pattern = schema["pattern"];
  if (typeof pattern === "string" && !new RegExp(pattern).test(text)) {
    return [`${JSON.stringify(text)} is no ${String(schema["title"] ?? "such text")}`];
  }
  return [];
}

function findingsOfObject(schema: ControlSchema, value: JsonObject, path: string): string[] {
  const properties = schemaAt(schema, "properties") ?? {};
  const further = schemaAt(schema, "additionalProperties");
  const known = Object.keys(properties);
  const missing = listOf(schema["required"]).filter((key) => value[key] === undefined);
  const inside = Object.entries(value).flatMap(([key, member]) => {
    const at = path === "" ? key : `${path}.${key}`;
    const own = schemaAt(properties, key) ?? further;
    if (own !== undefined) return findingsOf(own, member, at);
    if (schema["additionalProperties"] !== false) return [];
    const hint = didYouMean(key, known);
    return [`${at}: is unknown${hint === "" ? `; there are ${known.join(", ")}` : hint}`];
  });
  return [...missing.map((key) => `${path === "" ? key : `${path}.${key}`}: is missing`), ...inside];
}

/** Alternatives are distinguished by type; maps by the first member that each alternative requires. */
function findingsOfSome(
  alternatives: readonly ControlSchema[],
  value: unknown,
  path: string,
  told: (text: string) => string[],
): string[] {
  if (!isObject(value)) {
    const fitting = alternatives.find(({ type }) => isOfType(value, type));
    if (fitting !== undefined) return findingsOf(fitting, value, path);
    const names = alternatives.map(({ type }) => TYPE_NAMES.get(String(type)) ?? "");
    return told(`is ${nameOf(value)}, and has to be ${[...new Set(names)].join(" or ")}`);
  }
  const leads = alternatives.map(({ required }) => listOf(required)[0] ?? "");
  const chosen = alternatives.find((_, index) => Object.hasOwn(value, leads[index] ?? ""));
  if (chosen !== undefined) return findingsOf(chosen, value, path);
  const hint = Object.keys(value)
    .map((key) => didYouMean(key, leads))
    .find((text) => text !== "");
  return told(`says none of ${leads.join(", ")}${hint ?? ""}`);
}
