// State of the three columns, and the memoized computations that they share. Requires a browser.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { listAt, type Route } from "../frame/route.ts";
import type { Known } from "./facts.ts";
import type { Passing } from "./filter.ts";
import { type Folded, fold, MANNERS, type Rows } from "./fold.ts";
import { layoutOf, scrollTo, type View } from "./layout.ts";
import { type Link, linksOfPlace, linksOfUse } from "./lines.ts";
import { rowKeyOf, stopsOf } from "./stops.ts";

export const COLUMNS = ["who", "leaves", "from"] as const;
export type ColumnName = (typeof COLUMNS)[number];

export const TITLES: Readonly<Record<ColumnName, string>> = {
  who: "Who",
  leaves: "Leaves by",
  from: "From node",
};
interface ColumnState {
  readonly view: Signal<View>;
  readonly stop: Signal<string>;
  /** Keys at the top when the pointer or the focus entered the column; undefined: the column is not held. */
  readonly held: Signal<ReadonlySet<string> | undefined>;
}

type ColumnStates = Readonly<Record<ColumnName, ColumnState>>;

export const useColumnStates = (): ColumnStates => ({
  who: useColumnState(),
  leaves: useColumnState(),
  from: useColumnState(),
});

function useColumnState(): ColumnState {
  return {
    view: useSignal<View>({ scroll: 0, height: 0 }),
    stop: useSignal(""),
    held: useSignal<ReadonlySet<string> | undefined>(undefined),
  };
}

/** Keys of the rows at the top of the columns: those that need attention. A held column keeps its order. */
export function useFirst(
  states: ColumnStates,
  attention: (name: ColumnName) => ReadonlySet<string>,
  passed: Passing,
): ReadonlySet<string> {
  const held = COLUMNS.map((name) => states[name].held.value);
  return useMemo(
    () => new Set(COLUMNS.flatMap((name, index) => [...(held[index] ?? attention(name))])),
    [passed, ...held],
  );
}

interface PictureOf {
  readonly route: Route;
  readonly passed: Passing;
  readonly known: Known;
  readonly first: ReadonlySet<string>;
}

/** Rows, layouts and links, memoized by their inputs. */
export function usePicture({ route, passed, known, first }: PictureOf) {
  const scale = useMemo(
    () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16,
    [],
  );
  const folded = useMemo(() => {
    const manner = MANNERS.find((known) => known === route.query.get("fold")) ?? "auto";
    return fold(passed, known, { manner, turned: new Set(listAt(route, "open")), first });
  }, [passed, known, route, first]);
  const links = useMemo(
    () => ({ use: linksOfUse(folded, passed.targets, known), place: linksOfPlace(folded, passed.targets) }),
    [folded, passed, known],
  );
  const layouts = useMemo(
    () => ({
      who: layoutOf(folded.who.rows, scale),
      leaves: layoutOf(folded.leaves.rows, scale),
      from: layoutOf(folded.from.rows, scale),
    }),
    [folded, scale],
  );
  return { folded, links, layouts, scale };
}

/** Scrolls to a row that was selected in another view or by a link. */
export function useShown(
  chosen: string,
  { placeOf }: Rows,
  layout: ReturnType<typeof layoutOf>,
  { view, stop }: ColumnState,
): void {
  useEffect(() => {
    const place = placeOf.get(chosen);
    if (place === undefined) return;
    stop.value = `${chosen}#0`;
    view.value = { ...view.value, scroll: scrollTo(layout, place, view.value) };
  }, [chosen]);
}

interface Across {
  readonly from: string;
  readonly by: -1 | 1;
  readonly name: ColumnName;
  readonly folded: Folded;
  readonly links: { readonly use: readonly Link[]; readonly place: readonly Link[] };
  readonly states: ColumnStates;
}

/** Follows the first link of a row to its partner in the next column. */
export function across({ from, by, name, folded, links, states }: Across): void {
  const next = COLUMNS[COLUMNS.indexOf(name) + by];
  if (next === undefined) return;
  const place = folded[name].rows.findIndex(({ key }) => key === rowKeyOf(from));
  const between = name === "from" || next === "from" ? links.place : links.use;
  const link = between.find((one) => (by === 1 ? one.from : one.to) === place);
  const row = folded[next].rows[(by === 1 ? link?.to : link?.from) ?? 0];
  if (!row) return;
  states[next].stop.value = stopsOf(row)[0] ?? "";
  // The tab stop of the column is rendered in the next frame.
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`.column[aria-label="${TITLES[next]}"] [tabindex="0"]`)?.focus(),
  );
}
