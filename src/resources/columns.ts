// What the columns of the built-in kinds have in common.
import { textAt } from "../meta/json.ts";
import type { Column } from "../registry/definition/resource-definition.ts";
import { ageSince } from "../registry/table/cells.ts";

type Source = Readonly<Record<string, unknown>> | undefined;

export const NAME: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object.",
};

export const AGE: Column = {
  name: "Age",
  type: "string",
  description: "Time since the object was created.",
};

export const column = (name: string, description: string): Column => ({ name, type: "string", description });

export const integerColumn = (name: string, description: string): Column => ({
  name,
  type: "integer",
  description,
});

/** Shown with -o wide only. */
export const wideColumn = (name: string, description: string): Column => ({
  name,
  type: "string",
  description,
  priority: 1,
});

/** The time since the moment that stands at the key, or <unknown>. */
export const timeSince = (source: Source, key: string, nowMs: number): string =>
  ageSince(textAt(source, key), nowMs);

/** name=value pairs in the order of their names, or <none>. */
export function formatLabels(labels: Source): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

/** At most so many texts, then how many more there are. */
export function listWithMore(texts: readonly string[], shownMax: number, whenEmpty: string): string {
  if (texts.length > shownMax) {
    return `${texts.slice(0, shownMax).join(",")} + ${texts.length - shownMax} more...`;
  }
  return texts.join(",") || whenEmpty;
}
