// The columns of a resource and the function that fills them, made once per served version. Custom resources name
// JSONPaths; built-in kinds bring a printer, and those without one show their name and the time of their creation.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Column, ResourceView, RowPrinter } from "../definition/resource-definition.ts";
import { toCell } from "./cells.ts";
import { findFirst } from "./json-path.ts";
import { parseJsonPath, type Step } from "./json-path-parse.ts";

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

const NAME: ColumnDefinition = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object; no other object of its kind in the same namespace has it.",
  priority: 0,
};

const AGE: Column = {
  name: "Age",
  type: "date",
  description: "Time since the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

const CREATED_AT: ColumnDefinition = {
  name: "Created At",
  type: "date",
  format: "",
  description: "Time at which the object was created.",
  priority: 0,
};

const compiled = new WeakMap<ResourceView["version"], TableColumns>();

export function columnsOf(view: ResourceView): TableColumns {
  let columns = compiled.get(view.version);
  if (columns === undefined) {
    columns = compile(view);
    compiled.set(view.version, columns);
  }
  return columns;
}

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
  return { definitions: columns.map((column) => define(column, "")), print };
}

/** A path that does not parse ends the columns: it and those behind it are not shown. */
function customColumns(columns: readonly Column[]): TableColumns {
  const shown: { readonly column: Column; readonly path: readonly Step[] }[] = [];
  for (const column of columns) {
    const path = parseJsonPath(column.jsonPath ?? "");
    if (path === undefined) break;
    shown.push({ column, path });
  }
  return {
    definitions: [NAME, ...shown.map(({ column }) => define(column, `The value at ${column.jsonPath}.`))],
    print(object, nowMs) {
      const cells: unknown[] = [object.metadata.name ?? ""];
      for (const { column, path } of shown) {
        // A path that matches several values shows the first one.
        const found = findFirst(object, path);
        cells.push(found?.length ? toCell(column.type, found[0], nowMs) : null);
      }
      return { cells };
    },
  };
}

function define(column: Column, description: string): ColumnDefinition {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? "",
    description: column.description || description,
    priority: column.priority ?? 0,
  };
}
