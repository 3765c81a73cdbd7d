// Facts → rows. Each object that passes the filter is represented by exactly one row: its own, or that of its group. Pods
// are rows below expanded namespaces, and are counted in collapsed ones. Pure.
import type { PodRecord } from "../data/records.ts";
import {
  type Known,
  MARKS,
  type Mark,
  type NamespaceFact,
  type NodeFact,
  needsAttention,
  type Target,
  worst,
} from "./facts.ts";
import type { Passing } from "./filter.ts";
import { isLoser } from "./ghosts.ts";

/** How rows are grouped: "auto" depends on the number of objects. */
export const MANNERS = ["auto", "none", "all"] as const;
export type Manner = (typeof MANNERS)[number];

export type Row =
  | { readonly kind: "namespace"; readonly key: string; readonly of: NamespaceFact; readonly isOpen: boolean }
  | {
      readonly kind: "pod";
      readonly key: string;
      readonly of: PodRecord;
      readonly egressIps: readonly string[];
    }
  | { readonly kind: "target"; readonly key: string; readonly of: Target }
  | { readonly kind: "node"; readonly key: string; readonly of: NodeFact }
  | Group;

export interface Group {
  readonly kind: "group";
  readonly key: string;
  readonly title: string;
  readonly count: number;
  /** Pods of the namespaces in the group. */
  readonly pods: number;
  readonly mark: Mark;
  readonly isOpen: boolean;
}

/** A column: its rows, and the row index of each object, by the keys of the facts. */
export interface Rows {
  readonly rows: readonly Row[];
  readonly placeOf: ReadonlyMap<string, number>;
}

export interface Folded {
  readonly who: Rows;
  readonly leaves: Rows;
  readonly from: Rows;
}

export interface FoldOptions {
  readonly manner: Manner;
  /** Keys of rows whose expansion differs from the default. */
  readonly turned: ReadonlySet<string>;
  /** Keys of the rows at the top; by default those that need attention. */
  readonly first?: ReadonlySet<string>;
}

/** Up to this number of objects each one has its own row. */
const SINGLE_MAX = 100;
const GROUPS_MAX = 60;
const FIRST_MAX = 5;
const FULLEST = 10;
/** Up to this number of pods all namespaces are expanded by default. */
const OPEN_PODS_MAX = 10;

export function fold(
  passing: Passing,
  known: Pick<Known, "podsIn" | "egressIpsOf">,
  options: FoldOptions,
): Folded {
  const { targets, nodes, namespaces } = passing;
  const zoneOf = new Map(nodes.map(({ name, zone }) => [name, zone]));
  const total = targets.length + nodes.length + namespaces.length;
  const isSingle = options.manner === "none" || (options.manner === "auto" && total <= SINGLE_MAX);
  const pods = namespaces.reduce((sum, one) => sum + one.pods, 0);
  const column = { ...options, isSingle };
  return {
    who: openPods(
      foldColumn(namespaces, { ...column, name: "who", groupings: WHO, row: namespaceRow, always: NONE }),
      { known, turned: options.turned, isOpen: options.manner !== "all" && pods <= OPEN_PODS_MAX },
    ),
    leaves: foldColumn(targets, {
      ...{ ...column, name: "leaves", row: targetRow },
      groupings: [byUsers, byNode, (target) => byZone(target, zoneOf)],
      always: new Set(
        targets.filter((target) => target.mark === "move" || isLoser(target)).map(({ key }) => key),
      ),
    }),
    from: foldColumn(nodes, {
      ...{
        ...column,
        name: "from",
        row: nodeRow,
        groupings: [({ zone }) => `zone ${zone || "without a name"}`],
      },
      always: fullest(nodes),
    }),
  };
}

const NONE: ReadonlySet<string> = new Set();
const namespaceRow = (of: NamespaceFact): Row => ({ kind: "namespace", key: of.key, of, isOpen: false });
const targetRow = (of: Target): Row => ({ kind: "target", key: of.key, of });
const nodeRow = (of: NodeFact): Row => ({ kind: "node", key: of.key, of });

/** The group title of an object. */
type Grouping<T> = (item: T) => string;

/** Memoizes the title per fact; unchanged facts keep their identity. */
function kept<T extends object>(grouping: Grouping<T>): Grouping<T> {
  const titles = new WeakMap<T, string>();
  return (item) => {
    const known = titles.get(item);
    if (known !== undefined) return known;
    const title = grouping(item);
    titles.set(item, title);
    return title;
  };
}

/** Groupings from fine to coarse: by first label, by name prefix, all together. */
const WHO: readonly Grouping<NamespaceFact>[] = [
  (one) => withEgress(one, one.labels.split(", ")[0] || one.name),
  (one) => withEgress(one, `${one.name.replace(/[-.]?[^-.]*$/, "") || one.name}…`),
  (one) => withEgress(one, "namespaces"),
];
const withEgress = ({ hasEgress }: NamespaceFact, title: string): string =>
  hasEgress ? title : "namespaces without egress objects";

const NAMES_SHOWN = 3;
const byUsers = kept<Target>(({ users }) =>
  users.length === 0
    ? "for nobody"
    : `for ${users.slice(0, NAMES_SHOWN).join(", ")}${users.length > NAMES_SHOWN ? " and more" : ""}`,
);
const byNode = kept<Target>(({ addresses }) => {
  const nodes = addresses.map(({ node }) => node);
  return `on ${onlyOne(nodes, "node")}`;
});
const byZone = ({ addresses }: Target, zoneOf: ReadonlyMap<string, string>): string =>
  `in ${onlyOne(
    addresses.map(({ node }) => zoneOf.get(node) ?? ""),
    "zone",
  )}`;

function onlyOne(names: readonly string[], what: string): string {
  const [first = ""] = names;
  return names.some((name) => name !== first) ? `several ${what}s` : first || `no ${what}`;
}

function fullest(nodes: readonly NodeFact[]): ReadonlySet<string> {
  const used = nodes.filter((node) => node.used > 0).sort((a, b) => b.used - a.used);
  return new Set(used.slice(0, FULLEST).map(({ key }) => key));
}

interface ColumnOptions<T> extends FoldOptions {
  readonly name: string;
  readonly isSingle: boolean;
  /** From fine to coarse. */
  readonly groupings: readonly Grouping<T>[];
  readonly row: (item: T) => Row;
  /** Keys that are never grouped. */
  readonly always: ReadonlySet<string>;
}

type Item = { readonly key: string; readonly mark: Mark; readonly pods?: number };

function foldColumn<T extends Item>(items: readonly T[], options: ColumnOptions<T>): Rows {
  const { first, isSingle, name, row, always } = options;
  const isFirst = ({ key, mark }: T) => (first ? first.has(key) : needsAttention(mark));
  const [ahead, singles, folded]: [T[], T[], T[]] = [[], [], []];
  for (const item of items)
    (isFirst(item) ? ahead : isSingle || always.has(item.key) ? singles : folded).push(item);
  ahead.sort((a, b) => MARKS.indexOf(a.mark) - MARKS.indexOf(b.mark));
  const rows: Row[] = [];
  const placeOf = new Map<string, number>();
  const single = (item: T) => {
    placeOf.set(item.key, rows.length);
    rows.push(row(item));
  };
  const group = (members: readonly T[], title: string, key: string) => {
    const [only] = members;
    if (members.length === 1 && only) return single(only);
    const isOpen = options.turned.has(key);
    for (const member of isOpen ? [] : members) placeOf.set(member.key, rows.length);
    rows.push(groupRow(members, { key, title, isOpen }));
    if (isOpen) for (const member of members) single(member);
  };
  const shownAhead = isSingle ? ahead.length : FIRST_MAX;
  for (const item of ahead.slice(0, shownAhead)) single(item);
  if (ahead.length > shownAhead) group(ahead.slice(shownAhead), "need attention, too", `${name}/attention`);
  for (const item of singles) single(item);
  for (const [title, members] of groupsOf(folded, options)) group(members, title, `${name}/${title}`);
  return { rows, placeOf };
}

/** Uses the finest grouping with at most GROUPS_MAX groups. */
function groupsOf<T>(
  items: readonly T[],
  { groupings, manner }: Pick<ColumnOptions<T>, "groupings" | "manner">,
): ReadonlyMap<string, readonly T[]> {
  const tried = manner === "all" ? groupings.slice(-1) : groupings;
  for (const grouping of tried.slice(0, -1)) {
    const found = groupedBy(items, grouping, GROUPS_MAX);
    if (found) return found;
  }
  const [last] = tried.slice(-1);
  return (last && groupedBy(items, last, Number.POSITIVE_INFINITY)) ?? new Map();
}

/** undefined: more than groupsMax groups. */
function groupedBy<T>(
  items: readonly T[],
  grouping: Grouping<T>,
  groupsMax: number,
): Map<string, T[]> | undefined {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const title = grouping(item);
    const members = found.get(title);
    if (members) members.push(item);
    else if (found.size === groupsMax) return undefined;
    else found.set(title, [item]);
  }
  return found;
}

const groupRow = (
  members: readonly Item[],
  is: { readonly key: string; readonly title: string; readonly isOpen: boolean },
): Group => ({
  ...{ kind: "group", ...is, count: members.length, mark: worst(members.map(({ mark }) => mark)) },
  pods: members.reduce((sum, { pods = 0 }) => sum + pods, 0),
});

interface PodOptions {
  readonly known: Pick<Known, "podsIn" | "egressIpsOf">;
  readonly turned: ReadonlySet<string>;
  /** Default expansion of namespaces. */
  readonly isOpen: boolean;
}

export const podKey = ({ namespace, name }: PodRecord): string => `pod/${namespace}/${name}`;

/** Inserts pods below expanded namespaces, and shifts the indexes of later rows. */
function openPods(closed: Rows, { known, turned, isOpen }: PodOptions): Rows {
  const rows: Row[] = [];
  const placeOf = new Map<string, number>();
  const newPlaces: number[] = [];
  for (const row of closed.rows) {
    newPlaces.push(rows.length);
    const isOpened = row.kind === "namespace" && turned.has(row.key) !== isOpen;
    rows.push(row.kind === "namespace" ? { ...row, isOpen: isOpened } : row);
    if (row.kind !== "namespace" || !isOpened) continue;
    for (const of of known.podsIn(row.of.name)) {
      placeOf.set(podKey(of), rows.length);
      rows.push({ kind: "pod", key: podKey(of), of, egressIps: known.egressIpsOf(of) });
    }
  }
  for (const [key, place] of closed.placeOf) placeOf.set(key, newPlaces[place] ?? 0);
  return { rows, placeOf };
}
