// What is different between two states of an object, in lines that a person reads: "status.items: none → [{…}]".
import { equalJson, isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

const LINES_MAX = 12;
const VALUE_LENGTH_MAX = 160;
/** They change with every write and say nothing about what was written. */
const UNSAID = new Set(["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"]);

/** The fields that differ, in the order of the newer state; at most a dozen of them. */
export function describeChange(before: Readonly<KubeObject>, after: Readonly<KubeObject>): string[] {
  const lines: string[] = [];
  compare(before, after, "", lines);
  const more = lines.length - LINES_MAX;
  return more > 0 ? [...lines.slice(0, LINES_MAX), `and ${more} more fields`] : lines;
}

function compare(before: unknown, after: unknown, path: string, lines: string[]): void {
  if (equalJson(before, after) || UNSAID.has(path)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(after), ...Object.keys(before)])) {
      compare(before[key], after[key], path === "" ? key : `${path}.${key}`, lines);
    }
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of after.entries()) compare(before[index], item, `${path}[${index}]`, lines);
  } else {
    lines.push(`${path}: ${textOf(before)} → ${textOf(after)}`);
  }
}

/** A value as JSON; one that is absent, or too long to be read, says so. */
function textOf(value: unknown): string {
  if (value === undefined) return "none";
  const text = JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? String(item) : item)) ?? "";
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
