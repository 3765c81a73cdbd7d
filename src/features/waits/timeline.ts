// The changes of a wait's objects before its timeout, to explain why the condition did not become true.

import { equalJson, isObject } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { ObjectChange } from "./watched-query.ts";

/** True, or why the condition does not hold: false, or an evaluation error. */
export type Verdict = true | "false" | `error: ${string}`;

/** Maximum number of changes; older ones are evicted. */
const ENTRIES_MAX = 200;

export interface TimelineEntry {
  /** Milliseconds since the start of the wait. */
  readonly afterMs: number;
  readonly revision: number;
  /** The name of the query that selects the object. */
  readonly query: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** "EgressIP web", "ConfigMap default/settings". */
  readonly object: string;
  /** The changed fields: "spec.a: 1 → 2". */
  readonly changes: readonly string[];
  /** The result of the condition at this revision: "false", or its evaluation error. */
  readonly condition: string;
}

export interface Timeline {
  /** The values of the queries at the start of the wait. */
  readonly start: readonly string[];
  readonly entries: readonly TimelineEntry[];
  /** The number of evicted entries. */
  readonly leftOut: number;
  /** The last result of the condition: "false", or its evaluation error. */
  readonly condition: string;
}

export interface Seen extends ObjectChange {
  readonly query: string;
}

type Value = KubeObject | null | readonly KubeObject[];

export class TimelineRecorder {
  readonly #start: string[];
  readonly #entries: TimelineEntry[] = [];
  #leftOut = 0;
  #condition: string;

  constructor(values: readonly (readonly [query: string, value: Value])[], verdict: Verdict) {
    this.#start = values.map(([query, value]) => `${query}: ${describeValue(value)}`);
    this.#condition = String(verdict);
  }

  add(afterMs: number, revision: number, seen: readonly Seen[], verdict: Verdict): void {
    this.#condition = String(verdict);
    for (const change of seen) {
      this.#entries.push(entryOf(afterMs, revision, change, this.#condition));
      if (this.#entries.length <= ENTRIES_MAX) continue;
      this.#entries.shift();
      this.#leftOut++;
    }
  }

  get timeline(): Timeline {
    return {
      start: this.#start,
      entries: [...this.#entries],
      leftOut: this.#leftOut,
      condition: this.#condition,
    };
  }
}

function entryOf(
  afterMs: number,
  revision: number,
  { query, before, after }: Seen,
  condition: string,
): TimelineEntry {
  const type = before === undefined ? "ADDED" : after === undefined ? "DELETED" : "MODIFIED";
  const changes = before && after ? describeChange(before, after) : [];
  return {
    afterMs: Math.round(afterMs),
    revision,
    query,
    type,
    object: describeObject(after ?? before),
    changes,
    condition,
  };
}

function describeObject(object: Readonly<KubeObject> | undefined): string {
  const { namespace, name = "" } = object?.metadata ?? {};
  return `${object?.kind ?? ""} ${namespace ? `${namespace}/` : ""}${name}`;
}

const isList = (value: Value): value is readonly KubeObject[] => Array.isArray(value);

function describeValue(value: Value): string {
  if (value === null) return "there was none";
  if (!isList(value)) {
    return `${describeObject(value)} at resourceVersion ${value.metadata.resourceVersion}`;
  }
  const names = value.slice(0, 5).map(({ metadata }) => metadata.name ?? "");
  const more = value.length > names.length ? ", …" : "";
  return value.length === 0 ? "no objects" : `${value.length} objects (${names.join(", ")}${more})`;
}

/** Formats the timeline as text, one line for each change and for each of its fields. */
export function timelineText({ start, entries, leftOut, condition }: Timeline): string {
  const lines = start.map((line) => `  at the start  ${line}`);
  if (leftOut > 0) lines.push(`  (${leftOut} older changes are left out)`);
  for (const { afterMs, revision, type, object, changes } of entries) {
    lines.push(`  +${afterMs} ms  revision ${revision}  ${type} ${object}`);
    for (const change of changes) lines.push(`      ${change}`);
  }
  if (entries.length === 0) lines.push("  none of them changed");
  return [...lines, `  the condition was ${condition} at last`].join("\n");
}

const LINES_MAX = 12;
const VALUE_LENGTH_MAX = 160;
/** Fields that change with every write and are not reported. */
const UNSAID = new Set(["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"]);

/** The changed fields, "status.items: none → [{…}]", in the order of the newer state; at most LINES_MAX. */
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

/** A value as JSON; "none" if it is absent, shortened if it is too long. */
function textOf(value: unknown): string {
  if (value === undefined) return "none";
  const text = JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? String(item) : item)) ?? "";
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
