// Table columns of a resource and the function that fills them, built once per served version. Custom resources name
// JSONPaths. Built-in kinds have a printer; those without one show name and creation time.

import { goShortest } from "../../../apimachinery/go/strconv.ts";
import { encodeJson, escapeHtml } from "../../../apimachinery/json/json-encode.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import type { Column, ResourceView, RowPrinter } from "../definition/resource-definition.ts";
import { findFirst, parseJsonPath } from "./json-path.ts";

/** metav1.TableColumnDefinition. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[];
  print(object: Readonly<KubeObject>, nowMs: number): ReturnType<RowPrinter>;
}

const NAME = define({
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object; no other object of its kind in the same namespace has it.",
});

const AGE: Column = {
  name: "Age",
  type: "date",
  description: "Time since the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

const CREATED_AT = define({
  name: "Created At",
  type: "date",
  description: "Time at which the object was created.",
});

export const columnsOf = memoize(compile, ({ version }) => version);

function compile({ definition, version }: ResourceView): TableColumns {
  if (definition.custom) return customColumns(version.columns.length === 0 ? [AGE] : version.columns);
  const { printRow } = definition;
  return printRow === undefined ? PLAIN_COLUMNS : printedColumns(version.columns, printRow);
}

const PLAIN_COLUMNS: TableColumns = {
  definitions: [NAME, CREATED_AT],
  print: ({ metadata }) => ({ cells: [metadata.name ?? "", metadata.creationTimestamp ?? null] }),
};

function printedColumns(columns: readonly Column[], print: RowPrinter): TableColumns {
  return { definitions: columns.map((column) => define(column)), print };
}

/** The first path that does not parse ends the columns: it and all later ones are omitted. */
function customColumns(columns: readonly Column[]): TableColumns {
  const all = columns.map(cellOf);
  const cells = all.slice(0, all.includes(undefined) ? all.indexOf(undefined) : all.length);
  const shown = columns.slice(0, cells.length);
  return {
    definitions: [NAME, ...shown.map((column) => define(column, `The value at ${column.jsonPath}.`))],
    print: (object, nowMs) => ({
      cells: [object.metadata.name ?? "", ...cells.map((cell) => cell?.(object, nowMs))],
    }),
  };
}

/** Cell function of a column: the first of several values at its path. undefined: its path does not parse. */
export function cellOf({
  type,
  jsonPath = "",
}: Column): ((object: object, nowMs: number) => unknown) | undefined {
  const path = parseJsonPath(jsonPath);
  return (
    path &&
    ((object, nowMs) => {
      const found = findFirst(object, path);
      return found?.length ? toCell(type, found[0], nowMs) : null;
    })
  );
}

function define(column: Column, description = ""): ColumnDefinition {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? "",
    description: column.description || description,
    priority: column.priority ?? 0,
  };
}

// Converts a value to a cell of a custom column by the column's type. A value that does not fit is null.

/** The cell of a value at the column's path. */
function toCell(columnType: string, value: unknown, nowMs: number): unknown {
  switch (columnType) {
    case "string":
      return toText(value);
    case "integer":
      if (typeof value === "number") return Math.trunc(value);
      return typeof value === "bigint" ? value : null;
    case "number":
      if (typeof value === "bigint") return Number(value);
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? ageSince(value, nowMs) : null;
    default:
      return null;
  }
}

/** Objects and lists as JSON, other values as Go prints them; whole numbers with all their digits. */
function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "<no value>";
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : goShortest(value);
  return typeof value === "object" ? escapeHtml(encodeJson(value)) : String(value);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Text for a time that was never set. */
const UNKNOWN_AGE = "<unknown>";
/** Text for a value that is no time. */
const INVALID_AGE = "<invalid>";

/** Formats a duration in milliseconds. Up to two seconds in the future count as now. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return INVALID_AGE;
  if (seconds < 0) return "0s";
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return pair(seconds, MINUTE, "m", 1, "s");
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return pair(seconds, HOUR, "h", MINUTE, "m");
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return pair(seconds, DAY, "d", HOUR, "h");
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return pair(seconds, YEAR, "y", DAY, "d");
  return `${Math.floor(seconds / YEAR)}y`;
}

function pair(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small);
  const head = `${Math.floor(seconds / large)}${largeUnit}`;
  return rest === 0 ? head : `${head}${rest}${smallUnit}`;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const ZERO_TIME_MS = Date.parse("0001-01-01T00:00:00Z");

/** Time since an RFC 3339 timestamp; absent, empty and zero times are unknown. */
export function ageSince(timestamp: string | null | undefined, nowMs: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === "" || timestamp === "null")
    return UNKNOWN_AGE;
  const then = RFC3339.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(then)) return INVALID_AGE;
  return then === ZERO_TIME_MS ? UNKNOWN_AGE : humanDuration(nowMs - then);
}
