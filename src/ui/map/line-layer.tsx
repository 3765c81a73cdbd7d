// Lines between two columns, and the chips that animate moves. Hidden from screen readers, because the rows have the same
// content as text.
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Rows } from "./fold.ts";
import { anchorIn, type Layout, type View } from "./layout.ts";
import { type Beyond, curve, type Line, type Link, linesOf, widthOf } from "./lines.ts";
import type { Move } from "./moves.ts";
import { numberText, shortAddress } from "./words.ts";

export interface LineSide {
  readonly rows: Rows;
  readonly layout: Layout;
  readonly view: Signal<View>;
}

interface LineLayerProps {
  readonly links: readonly Link[];
  readonly left: LineSide;
  readonly right: LineSide;
  readonly scale: number;
  /** Rows whose lines are highlighted; undefined: none. */
  readonly near: { readonly left: number | undefined; readonly right: number | undefined };
  readonly children?: preact.ComponentChildren;
}

/** Width of the viewBox; the SVG is stretched to the actual width. */
const WIDTH = 100;

export function LineLayer({ links, left, right, scale, near, children }: LineLayerProps) {
  const sideOf = ({ layout, view }: LineSide) => ({ layout, view: view.value, scale });
  const { lines, beyond } = linesOf(links, sideOf(left), sideOf(right));
  const isAny = near.left !== undefined || near.right !== undefined;
  const isNear = (line: Line) => line.from === near.left || line.to === near.right;
  const { height } = left.view.value;
  return (
    <div class="gutter" aria-hidden="true">
      <svg
        aria-hidden="true"
        class={isAny ? "lines picked" : "lines"}
        viewBox={`0 0 ${WIDTH} ${Math.max(1, height)}`}
        preserveAspectRatio="none"
      >
        {lines.map((line) => (
          <path
            key={`${line.from} ${line.to} ${line.style} ${line.fromY}`}
            class={`line ${line.style} ${isAny && isNear(line) ? "near" : ""}`}
            d={curve(line, WIDTH)}
            stroke-width={widthOf(line)}
            vector-effect="non-scaling-stroke"
          >
            {line.count > 1 && <title>{numberText(line.count)}</title>}
          </path>
        ))}
      </svg>
      <Edges side="left" counts={beyond[0]} />
      <Edges side="right" counts={beyond[1]} />
      {children}
    </div>
  );
}

function Edges({ side, counts: { above, below } }: { side: "left" | "right"; counts: Beyond }) {
  return (
    <>
      {above > 0 && <span class={`edge ${side} above`}>↑ {numberText(above)}</span>}
      {below > 0 && <span class={`edge ${side} below`}>↓ {numberText(below)}</span>}
    </>
  );
}

interface Chip {
  readonly key: string;
  readonly text: string;
  readonly from: string;
  readonly to: string;
}

/** Up to this number of moves each one has a chip; beyond it there is one chip per pair of nodes. */
const CHIPS_MAX = 12;
const TRAVEL_MS = 600;

function chipsOf(moves: readonly Move[]): Chip[] {
  const placed = moves.filter(({ from, to }) => from !== "" && to !== "");
  if (placed.length <= CHIPS_MAX)
    return placed.map(({ address, from, to, egressIp }) => ({
      ...{ key: `${egressIp} ${address}`, text: `${shortAddress(address)} ⇢`, from, to },
    }));
  const pairs = new Map<string, Chip & { count: number }>();
  for (const { from, to } of placed) {
    const key = `${from} ${to}`;
    const count = (pairs.get(key)?.count ?? 0) + 1;
    pairs.set(key, { key, text: `${count} ⇢`, from, to, count });
  }
  return [...pairs.values()];
}

interface MoveLayerProps {
  readonly moves: readonly Move[];
  readonly nodes: LineSide;
  readonly scale: number;
  readonly placeOf: (node: string) => number | undefined;
}

/** Animates chips from the old node to the new one, once. With prefers-reduced-motion only the rows are tinted. */
export function MoveLayer({ moves, nodes, scale, placeOf }: MoveLayerProps) {
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = layer;
    if (!current || moves.length === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const yOf = (node: string): number => {
      const place = placeOf(node) ?? 0;
      const row = nodes.rows.rows[place];
      const { scroll, height } = nodes.view.value;
      const y = (nodes.layout.tops[place] ?? 0) + (row ? anchorIn(row) * scale : 0) - scroll;
      return Math.max(0, Math.min(height, y));
    };
    chipsOf(moves).forEach(({ from, to }, index) => {
      const chip = current.children[index];
      const [start, end] = [`translateY(${yOf(from)}px)`, `translateY(${yOf(to)}px)`];
      chip?.animate(
        [
          { transform: start, opacity: 1 },
          { transform: end, opacity: 1 },
          { transform: end, opacity: 0 },
        ],
        {
          ...{ duration: TRAVEL_MS * 1.5, easing: "ease-in-out" },
        },
      );
    });
    // Positions are taken once at arrival: scrolling does not restart the animation.
  }, [moves]);
  return (
    <div class="chips" ref={layer}>
      {chipsOf(moves).map(({ key, text }) => (
        <span key={key} class="chip">
          {text}
        </span>
      ))}
    </div>
  );
}
