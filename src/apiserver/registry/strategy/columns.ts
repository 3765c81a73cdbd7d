// Helpers for table columns of built-in kinds.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import type { Column, RowPrinter } from "../definition/resource-definition.ts";
import { ageSince } from "../table/columns.ts";

type Source = Readonly<JsonObject> | undefined;

type Cell = (object: Readonly<JsonObject>, nowMs: number) => unknown;

/** A column and its cell function. */
export interface PrintedColumn extends Column {
  readonly cell: Cell;
}

/** Reader for a path ("status.phase"): it gets the struct that has the member, and the member's name. */
function readAt(path: string, read: (source: Source, key: string) => unknown): Cell {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  return (object) => read(keys.reduce<Source>(objectAt, object), last);
}

const textIn = (path: string): Cell => readAt(path, textAt);
/** The number at a path; 0 for any other value. */
export const numberIn = (path: string): Cell => readAt(path, (source, key) => numberAt(source, key) ?? 0);

export const itemsIn = (path: string): Cell => readAt(path, (source, key) => objectsAt(source, key).length);

/** The cell is computed, or is the text at a path. */
export const column = (name: string, description: string, cell: Cell | string = ""): PrintedColumn => ({
  name,
  type: "string",
  description,
  cell: typeof cell === "string" ? textIn(cell) : cell,
});

export const NAME: PrintedColumn = {
  ...column("Name", "Name of the object.", "metadata.name"),
  format: "name",
};

export const AGE = column("Age", "Time since the object was created.", (object, nowMs) =>
  timeSince(objectAt(object, "metadata"), "creationTimestamp", nowMs),
);

/** The cell is computed, or is the number at a path. */
export const integerColumn = (name: string, description: string, cell: Cell | string): PrintedColumn => ({
  ...column(name, description, typeof cell === "string" ? numberIn(cell) : cell),
  type: "integer",
});

export const booleanColumn = (name: string, description: string, cell: Cell): PrintedColumn => ({
  ...column(name, description, cell),
  type: "boolean",
});

/** Shown with -o wide only. */
export const wideColumn = (name: string, description: string, cell?: Cell | string): PrintedColumn => ({
  ...column(name, description, cell),
  priority: 1,
});

/** Row printer of these columns. */
export const rowPrinter =
  (columns: readonly PrintedColumn[]): RowPrinter =>
  (object, nowMs) => ({ cells: columns.map(({ cell }) => cell(object, nowMs)) });

/** Time since the timestamp at the key, or <unknown>. */
export const timeSince = (source: Source, key: string, nowMs: number): string =>
  ageSince(textAt(source, key), nowMs);

/** name=value pairs sorted by name, or <none>. */
export function formatLabels(labels: Source): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

/** At most shownMax texts, then the number of further ones. */
export function listWithMore(texts: readonly string[], shownMax: number, whenEmpty: string): string {
  if (texts.length > shownMax) {
    return `${texts.slice(0, shownMax).join(",")} + ${texts.length - shownMax} more...`;
  }
  return texts.join(",") || whenEmpty;
}
