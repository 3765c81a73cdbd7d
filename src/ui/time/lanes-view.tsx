// Lanes of the timeline on a canvas, which draws thousands of entries fast. The table below it has the same content as
// text.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Axis, axisOf, msAt, ticksOf, xOf } from "./axis.ts";
import { stampText } from "./clock-words.ts";
import { ENTRY_MARKS, type EntryMark, LANE_WORDS, type Lane, type Placed } from "./entries.ts";
import { countUntil, stateAt, timeOf } from "./line.ts";

const LANE_PX = 26;
const HEAD_PX = 20;
/** Margin at the right end, so that the last mark is not clipped. */
const REST_PX = 8;
/** Hit distance around an entry, in pixels. */
const NEAR_PX = 7;
const TICKS_APART_PX = 90;

interface LanesProps {
  /** Sorted; only entries of visible lanes. */
  readonly entries: readonly Placed[];
  readonly lanes: readonly Lane[];
  readonly from: number;
  readonly to: number;
  /** undefined: now. */
  readonly shown: number | undefined;
  readonly onState: (at: number) => void;
  readonly onEntry: (entry: Placed) => void;
}

export function LanesView({ entries, lanes, from, to, shown, onState, onEntry }: LanesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  const near = useSignal<Placed | undefined>(undefined);
  const axis = useMemo(
    () =>
      axisOf(
        entries.map(({ atMs }) => atMs),
        from,
        to,
        Math.max(0, width.value - REST_PX),
      ),
    [entries, from, to, width.value],
  );
  const scheme = useScheme();
  const cursorMs = shown === undefined ? undefined : timeOf(entries, shown);
  useLayoutEffect(() => {
    if (canvas.current && width.value > 0)
      draw(canvas.current, { entries, lanes, axis, cursorMs, near: near.value });
  }, [entries, lanes, axis, cursorMs, near.value, scheme]);
  useLayoutEffect(() => {
    const { current } = canvas;
    if (!current) return;
    const observer = new ResizeObserver(() => {
      width.value = current.clientWidth;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [width]);
  const pointed = (event: PointerEvent) => entryAt({ entries, lanes, axis }, event.offsetX, event.offsetY);
  const scrub = (event: PointerEvent) => {
    const state = stateAt(entries, msAt(axis, event.offsetX)) ?? entries[0]?.at;
    if (state !== undefined) onState(state);
  };
  return (
    <div class="lanes">
      <ul class="lane-names">
        {lanes.map((lane) => (
          <li key={lane}>{LANE_WORDS[lane]}</li>
        ))}
      </ul>
      <canvas
        ref={canvas}
        role="img"
        aria-label="Entries by lane and time; the table says the same"
        style={{ height: `${HEAD_PX + lanes.length * LANE_PX}px` }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const entry = pointed(event);
          if (entry) onEntry(entry);
          else scrub(event);
        }}
        onPointerMove={(event) => {
          if (event.buttons & 1) scrub(event);
          else near.value = pointed(event);
        }}
        onPointerLeave={() => {
          near.value = undefined;
        }}
      />
      <p class="near" aria-hidden="true">
        {near.value && `${stampText(near.value.atMs)} ${near.value.text}`}
      </p>
    </div>
  );
}

/** Subscribes to the colour scheme; a change triggers a redraw. */
function useScheme(): boolean {
  const isDark = useSignal(matchMedia("(prefers-color-scheme: dark)").matches);
  useLayoutEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const turn = () => {
      isDark.value = query.matches;
    };
    query.addEventListener("change", turn);
    return () => query.removeEventListener("change", turn);
  }, [isDark]);
  return isDark.value;
}

type Seen = Pick<LanesProps, "entries" | "lanes"> & { readonly axis: Axis };

/** The entry of a lane that is nearest to a point, within NEAR_PX. */
function entryAt({ entries, lanes, axis }: Seen, x: number, y: number): Placed | undefined {
  const lane = lanes[Math.floor((y - HEAD_PX) / LANE_PX)];
  let best: { entry: Placed; distance: number } | undefined;
  const [first, last] = [
    countUntil(entries, msAt(axis, x - NEAR_PX) - 1),
    countUntil(entries, msAt(axis, x + NEAR_PX)),
  ];
  for (const entry of entries.slice(first, last)) {
    if (entry.lane !== lane) continue;
    const distance = Math.abs(xOf(axis, entry.atMs) - x);
    if (distance <= NEAR_PX && (!best || distance < best.distance)) best = { entry, distance };
  }
  return best?.entry;
}

interface Picture extends Seen {
  readonly cursorMs: number | undefined;
  readonly near: Placed | undefined;
}

/** Height of each mark in pixels: marks differ by form as well as by colour. */
const HEIGHTS: Readonly<Record<EntryMark, number>> = { bad: 20, move: 12, wait: 14, ok: 10, plain: 6 };

function draw(canvas: HTMLCanvasElement, { entries, lanes, axis, cursorMs, near }: Picture): void {
  const height = HEAD_PX + lanes.length * LANE_PX;
  canvas.width = Math.round((axis.width + REST_PX) * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  const paint = canvas.getContext("2d");
  if (!paint) return;
  paint.scale(devicePixelRatio, devicePixelRatio);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(`--${name}`);
  drawGround(paint, { axis, lanes, height, colour, font: style.fontFamily });
  const laneOf = new Map(lanes.map((lane, index) => [lane, index]));
  // Of several marks at one pixel the one with the highest precedence is drawn.
  const drawn = new Map<string, EntryMark>();
  for (const { lane, atMs, mark } of entries) {
    const x = Math.round(xOf(axis, atMs));
    if (x < 0 || x > axis.width) continue;
    const key = `${laneOf.get(lane)} ${x}`;
    const other = drawn.get(key);
    if (other === undefined || ENTRY_MARKS.indexOf(mark) < ENTRY_MARKS.indexOf(other)) drawn.set(key, mark);
  }
  for (const [key, mark] of drawn) {
    const [lane = 0, x = 0] = key.split(" ").map(Number);
    paint.fillStyle = colour(mark === "plain" ? "muted" : mark);
    drawMark(paint, x, HEAD_PX + lane * LANE_PX + LANE_PX / 2, mark);
  }
  if (near) {
    paint.strokeStyle = colour("text");
    const y = HEAD_PX + (laneOf.get(near.lane) ?? 0) * LANE_PX + LANE_PX / 2;
    paint.strokeRect(Math.round(xOf(axis, near.atMs)) - 5.5, y - 11.5, 11, 23);
  }
  const x = cursorMs === undefined ? axis.width - 1 : xOf(axis, cursorMs);
  paint.fillStyle = colour(cursorMs === undefined ? "ok" : "text");
  paint.fillRect(Math.round(x) - 1, 0, 2, height);
}

function drawMark(paint: CanvasRenderingContext2D, x: number, y: number, mark: EntryMark): void {
  const height = HEIGHTS[mark];
  if (mark === "move") {
    paint.beginPath();
    paint.moveTo(x, y - 7);
    paint.lineTo(x + 6, y);
    paint.lineTo(x, y + 7);
    paint.lineTo(x - 6, y);
    paint.fill();
  } else paint.fillRect(x - 1, y - height / 2, mark === "plain" ? 2 : 3, height);
}

interface Ground {
  readonly axis: Axis;
  readonly lanes: readonly Lane[];
  readonly height: number;
  readonly colour: (name: string) => string;
  readonly font: string;
}

function drawGround(paint: CanvasRenderingContext2D, { axis, lanes, height, colour, font }: Ground): void {
  paint.fillStyle = colour("surface");
  lanes.forEach((_, index) => {
    if (index % 2 === 0) paint.fillRect(0, HEAD_PX + index * LANE_PX, axis.width + REST_PX, LANE_PX);
  });
  paint.font = `11px ${font}`;
  paint.textBaseline = "middle";
  for (const { x, ms } of ticksOf(axis, TICKS_APART_PX)) {
    paint.fillStyle = colour("line");
    paint.fillRect(Math.round(x), HEAD_PX - 4, 1, 4);
    paint.fillStyle = colour("muted");
    const text = stampText(ms);
    const wide = paint.measureText(text).width;
    paint.fillText(text, Math.min(Math.max(0, x - wide / 2), axis.width - wide), HEAD_PX / 2 - 2);
  }
  paint.strokeStyle = colour("line");
  for (const { left, right, isFold } of axis.pieces) {
    if (!isFold) continue;
    const middle = Math.round((left + right) / 2);
    paint.beginPath();
    for (const shift of [-3, 3]) {
      paint.moveTo(middle + shift - 3, HEAD_PX + 6);
      paint.lineTo(middle + shift + 3, HEAD_PX - 6);
    }
    paint.stroke();
    paint.save();
    paint.setLineDash([2, 4]);
    paint.beginPath();
    paint.moveTo(middle, HEAD_PX + 8);
    paint.lineTo(middle, height);
    paint.stroke();
    paint.restore();
  }
}
