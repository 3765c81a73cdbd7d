// Lines between two columns. A link connects two rows; a line is its visible form. A line to a row outside the visible
// part ends at the column's edge. Beyond LINES_MAX, lines are bundled. Pure.
import { type Known, MARKS, type Mark, namespaceKey, nodeKey, type Target } from "./facts.ts";
import { type Folded, podKey, type Row, type Rows } from "./fold.ts";
import { anchorIn, type Layout, type View } from "./layout.ts";

/**
 * "plain": bundle without problems; "old": to the node before a move. In a plan, "ghost": to the planned node; "lost": to
 * the present node of an address that would be unassigned.
 */
export type LineStyle = Mark | "plain" | "old" | "ghost" | "lost";

/** From a row of the left column to a row of the right one. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly fromY: number;
  readonly toY: number;
  readonly style: LineStyle;
  /** Number of objects it represents. */
  readonly count: number;
}

/** By severity, most severe first. */
const STYLES: readonly LineStyle[] = ["lost", ...MARKS, "ghost", "plain", "old"];
/** Separate lines per card; further addresses share the last one. */
const ADDRESSES_MAX = 64;

class Links {
  readonly #links = new Map<number, Link & { count: number }>();
  readonly #left: Rows;
  readonly #right: Rows;

  constructor(left: Rows, right: Rows) {
    this.#left = left;
    this.#right = right;
  }

  add(from: number | undefined, to: number | undefined, style: LineStyle, addressAt?: number): void {
    const [left, right] = [this.#left.rows[from ?? -1], this.#right.rows[to ?? -1]];
    if (from === undefined || to === undefined || !left || !right) return;
    const isBundle = left.kind === "group" || right.kind === "group";
    const drawn = isBundle && style === "ok" ? "plain" : style;
    const place = left.kind === "target" && addressAt !== undefined ? addressAt + 1 : 0;
    // A numeric key of the four values is cheaper than a string for each of 5,000 addresses.
    const pair = from * this.#right.rows.length + to;
    const key =
      (pair * STYLES.length + STYLES.indexOf(drawn)) * ADDRESSES_MAX + Math.min(place, ADDRESSES_MAX - 1);
    const known = this.#links.get(key);
    if (known) known.count++;
    else {
      const ends = { fromY: anchorIn(left, addressAt), toY: anchorIn(right) };
      this.#links.set(key, { from, to, ...ends, style: drawn, count: 1 });
    }
  }

  all(): Link[] {
    return [...this.#links.values()];
  }
}

/** Links from namespaces, or pods of expanded namespaces, to targets. */
export function linksOfUse(
  { who, leaves }: Pick<Folded, "who" | "leaves">,
  targets: readonly Target[],
  known: Pick<Known, "podsIn" | "egressIpsOf">,
): Link[] {
  const links = new Links(who, leaves);
  const openOnes = new Map<string, ReadonlyMap<string, readonly number[]>>();
  const namespaceAt = placesBy(who, namespaceKey);
  for (const target of targets) {
    const to = leaves.placeOf.get(target.key);
    for (const user of target.users) {
      const place = namespaceAt(user);
      const row = who.rows[place ?? -1];
      const isOpen = row?.kind === "namespace" && row.isOpen && target.kind === "EgressIP";
      if (isOpen && !openOnes.has(user)) openOnes.set(user, podPlaces(user, who, known));
      const pods = isOpen ? openOnes.get(user)?.get(target.name) : undefined;
      if (pods === undefined) links.add(place, to, target.mark);
      else for (const pod of pods) links.add(pod, to, styleOfPod(who.rows[pod], target));
    }
  }
  return links.all();
}

const styleOfPod = (row: Row | undefined, { mark }: Target): LineStyle =>
  row?.kind === "pod" && row.egressIps.length > 1 && mark !== "bad" ? "twice" : mark;

/** Rows of the pods in an expanded namespace, by the EgressIPs that select them. */
function podPlaces(
  namespace: string,
  who: Rows,
  known: Pick<Known, "podsIn" | "egressIpsOf">,
): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const pod of known.podsIn(namespace)) {
    const place = who.placeOf.get(podKey(pod));
    for (const name of place === undefined ? [] : known.egressIpsOf(pod))
      places.set(name, [...(places.get(name) ?? []), place ?? 0]);
  }
  return places;
}

/** Links from addresses to their nodes, and to the previous node during a move. */
export function linksOfPlace(
  { leaves, from }: Pick<Folded, "leaves" | "from">,
  targets: readonly Target[],
): Link[] {
  const links = new Links(leaves, from);
  const nodeAt = placesBy(from, nodeKey);
  for (const { key, addresses } of targets) {
    const place = leaves.placeOf.get(key);
    addresses.forEach(({ node, mark, move, ghost }, index) => {
      if (node !== "") links.add(place, nodeAt(node), ghost?.to === "" ? "lost" : mark, index);
      if (ghost && ghost.to !== "") links.add(place, nodeAt(ghost.to), "ghost", index);
      if (mark === "move" && move && move.from !== "") links.add(place, nodeAt(move.from), "old", index);
    });
  }
  return links.all();
}

/** Memoized lookup of rows by name: each key is built once, not for each of 5,000 addresses. */
function placesBy({ placeOf }: Rows, keyOf: (name: string) => string): (name: string) => number | undefined {
  const places = new Map<string, number | undefined>();
  return (name) => {
    const known = places.get(name);
    if (known !== undefined || places.has(name)) return known;
    const place = placeOf.get(keyOf(name));
    places.set(name, place);
    return place;
  };
}

/** End of a line: a row, an edge of the column beyond which the row is, or the whole column. */
export type End = number | "above" | "below" | "column";

export interface Line {
  readonly from: End;
  readonly to: End;
  readonly fromY: number;
  readonly toY: number;
  readonly style: LineStyle;
  readonly count: number;
}

export interface Side {
  readonly layout: Layout;
  readonly view: View;
  readonly scale: number;
}

/** Number of lines that end beyond the edges of a column. */
export interface Beyond {
  readonly above: number;
  readonly below: number;
}

export const LINES_MAX = 200;

/** Bundling keys, from fine to coarse; the first that yields at most LINES_MAX lines is used. */
const BUNDLES: readonly ((line: Line) => string)[] = [
  ({ from, to, style, fromY }) => `${from} ${to} ${style} ${fromY}`,
  ({ from, to, style }) => `${from} ${to} ${style}`,
  (line) => (isQuiet(line) ? `${line.from} ${line.style}` : `${line.from} ${line.to} ${line.style}`),
  ({ from, style }) => `${from} ${style}`,
  ({ from }) => `${from}`,
  () => "",
];
const isQuiet = ({ style }: Line): boolean => style === "ok" || style === "plain";

export function linesOf(
  links: readonly Link[],
  left: Side,
  right: Side,
): { readonly lines: Line[]; readonly beyond: readonly [left: Beyond, right: Beyond] } {
  const seen = links
    .map((link): Line => {
      const [from, fromY] = endOf(link.from, link.fromY, left);
      const [to, toY] = endOf(link.to, link.toY, right);
      return { from, to, fromY, toY, style: link.style, count: link.count };
    })
    .filter(({ from, to }) => typeof from === "number" || typeof to === "number");
  let lines: Line[] = seen;
  for (const key of BUNDLES) {
    lines = bundled(seen, key);
    if (lines.length <= LINES_MAX) break;
  }
  return { lines, beyond: [beyond(seen, "from"), beyond(seen, "to")] };
}

function endOf(row: number, offset: number, { layout, view, scale }: Side): [End, number] {
  const y = (layout.tops[row] ?? 0) + offset * scale - view.scroll;
  if (y < 0) return ["above", 0];
  return y > view.height ? ["below", view.height] : [row, y];
}

function bundled(lines: readonly Line[], keyOf: (line: Line) => string): Line[] {
  const found = new Map<string, Line>();
  for (const line of lines) {
    const key = keyOf(line);
    const other = found.get(key);
    found.set(key, other ? joined(other, line) : line);
  }
  return [...found.values()];
}

/** Merges two lines; different ends become their weighted mean. */
function joined(a: Line, b: Line): Line {
  const isAside = a.to !== b.to;
  return {
    from: a.from === b.from ? a.from : "column",
    to: isAside ? "column" : a.to,
    fromY: (a.fromY * a.count + b.fromY * b.count) / (a.count + b.count),
    toY: (a.toY * a.count + b.toY * b.count) / (a.count + b.count),
    style: a.style === b.style ? a.style : worstStyle(a.style, b.style),
    count: a.count + b.count,
  };
}

const worstStyle = (a: LineStyle, b: LineStyle): LineStyle => (STYLES.indexOf(a) < STYLES.indexOf(b) ? a : b);

function beyond(lines: readonly Line[], end: "from" | "to"): Beyond {
  const counts = { above: 0, below: 0 };
  for (const line of lines) {
    const at = line[end];
    if (at === "above" || at === "below") counts[at] += line.count;
  }
  return counts;
}

const WIDTH_MAX = 8;
/** In pixels. */
export const widthOf = ({ count, style }: Line): number =>
  Math.min((style === "move" ? 2.5 : 1.5) + Math.log2(count), WIDTH_MAX);

/** SVG path of a curve across the width. */
export function curve({ fromY, toY }: Line, width: number): string {
  const [y0, y1] = [Math.round(fromY), Math.round(toY)];
  return `M0 ${y0}C${width / 2} ${y0} ${width / 2} ${y1} ${width} ${y1}`;
}
