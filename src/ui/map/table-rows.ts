// The map as a table: one line for each address, sorted by the selected column. Pure.
import { type AddressFact, MARKS, type Target } from "./facts.ts";
import { titleOf } from "./words.ts";

export interface TableLine {
  readonly target: Target;
  readonly fact: AddressFact;
}

export const COLUMNS = ["eip", "address", "state", "node", "for", "since"] as const;
export type TableColumn = (typeof COLUMNS)[number];

/** Sort key of each column. */
const ORDER: Readonly<Record<TableColumn, (line: TableLine) => string | number>> = {
  eip: ({ target }) => titleOf(target),
  address: ({ fact }) => fact.address,
  state: ({ fact }) => MARKS.indexOf(fact.mark),
  node: ({ fact }) => fact.node,
  for: ({ target }) => target.users.join(", "),
  since: ({ fact }) => fact.move?.atMs ?? 0,
};

export interface Sort {
  readonly column: TableColumn;
  readonly isDown: boolean;
}

/** "-since" sorts by newest first. The default is by state, most severe first. */
export function sortOf(text: string): Sort {
  const isDown = text.startsWith("-");
  const column = COLUMNS.find((known) => known === text.replace("-", "")) ?? "state";
  return { column, isDown };
}

export function tableLines(targets: readonly Target[], { column, isDown }: Sort): TableLine[] {
  const lines = targets.flatMap((target) => target.addresses.map((fact) => ({ target, fact })));
  const sortKey = ORDER[column];
  const sign = isDown ? -1 : 1;
  return lines
    .map((line) => ({ line, value: sortKey(line) }))
    .sort((a, b) => sign * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0))
    .map(({ line }) => line);
}
