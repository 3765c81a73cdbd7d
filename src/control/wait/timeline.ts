// What happened to the objects of a wait while their condition did not come true: the answer to "why not?".
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Verdict } from "./condition.ts";
import { describeChange } from "./describe-change.ts";
import type { ObjectChange } from "./watched-query.ts";

/** As many changes are kept; of a longer wait the newest. */
const ENTRIES_MAX = 200;

export interface TimelineEntry {
  /** Milliseconds since the wait began. */
  readonly afterMs: number;
  readonly revision: number;
  /** The name of the query that the object belongs to. */
  readonly query: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** "EgressIP web", "ConfigMap default/settings". */
  readonly object: string;
  /** The fields that changed: "spec.a: 1 → 2". */
  readonly changes: readonly string[];
  /** What the condition came to at this revision: "false", or why it could not be evaluated. */
  readonly condition: string;
}

export interface Timeline {
  /** What was there when the wait began. */
  readonly start: readonly string[];
  readonly entries: readonly TimelineEntry[];
  /** So many older entries are not kept. */
  readonly leftOut: number;
  /** What the condition came to at last: "false", or why it could not be evaluated. */
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

/** The timeline for people, a line for each change and one for each of its fields. */
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
