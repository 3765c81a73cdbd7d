// A canvas with one cell per EgressIP, for large clusters. Colour and pattern show the state; the table has the same
// content as text.
import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { MARKS, type Mark, type Target } from "./facts.ts";

interface DensityStripProps {
  readonly targets: readonly Target[];
  readonly onPick: (target: Target) => void;
}

const LABEL = "States of all EgressIPs; the table says the same";
const CELL = 4;
/** Filled rectangles of a cell: x, y, width, height. */
const PATTERNS: Readonly<Record<Mark, readonly (readonly [number, number, number, number])[]>> = {
  bad: [[0, 0, 4, 4]],
  twice: [
    [0, 0, 3, 1],
    [0, 2, 3, 1],
  ],
  wait: [
    [0, 0, 1, 3],
    [2, 0, 1, 3],
  ],
  move: [
    [0, 0, 2, 2],
    [2, 2, 2, 2],
  ],
  ok: [[1, 1, 2, 2]],
};

export function DensityStrip({ targets, onPick }: DensityStripProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<Drawn | undefined>(undefined);
  const width = useSignal(0);
  const isDark = useSignal(false);
  useLayoutEffect(() => {
    if (canvas.current) drawn.current = draw(canvas.current, targets, drawn.current, width.value);
  }, [targets, width.value, isDark.value]);
  useLayoutEffect(() => followFrame(canvas.current?.parentElement, width, isDark), []);
  const pick = (event: MouseEvent) => {
    const columns = Math.floor((canvas.current?.clientWidth ?? 0) / CELL);
    const target = targets[Math.floor(event.offsetY / CELL) * columns + Math.floor(event.offsetX / CELL)];
    if (target) onPick(target);
  };
  return <canvas class="density" ref={canvas} role="img" aria-label={LABEL} onClick={pick} />;
}

interface Drawn {
  /** Columns, height, pixel ratio and colour scheme: a change requires a complete redraw. */
  readonly frame: string;
  readonly marks: readonly Mark[];
  readonly colours: readonly string[];
}

/** Reports width and colour scheme. Reading them at each redraw would force a layout. */
function followFrame(
  place: Element | null | undefined,
  width: Signal<number>,
  isDark: Signal<boolean>,
): () => void {
  const observer = new ResizeObserver(([entry]) => {
    const marginPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    width.value = (entry?.contentRect.width ?? 0) - 2 * marginPx;
  });
  if (place) observer.observe(place);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const turn = () => {
    isDark.value = scheme.matches;
  };
  turn();
  scheme.addEventListener("change", turn);
  return () => {
    observer.disconnect();
    scheme.removeEventListener("change", turn);
  };
}

/** Draws only changed cells, usually few of 5,000. */
function draw(
  canvas: HTMLCanvasElement,
  targets: readonly Target[],
  before: Drawn | undefined,
  width: number,
): Drawn {
  const columns = Math.max(1, Math.floor(width / CELL));
  const height = Math.ceil(targets.length / columns) * CELL;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const frame = [columns, height, devicePixelRatio, isDark].join(" ");
  const marks = targets.map(({ mark }) => mark);
  const isAnew = before?.frame !== frame;
  const colours = isAnew ? coloursOf(canvas) : before.colours;
  if (isAnew) resize(canvas, columns * CELL, height);
  const paint = canvas.getContext("2d");
  const cells = Math.max(marks.length, before?.marks.length ?? 0);
  for (let index = 0; paint && index < cells; index++) {
    const mark = marks[index];
    if (!isAnew && mark === before?.marks[index]) continue;
    const [left, top] = [(index % columns) * CELL, Math.floor(index / columns) * CELL];
    paint.clearRect(left, top, CELL, CELL);
    if (mark === undefined) continue;
    paint.fillStyle = colours[MARKS.indexOf(mark)] ?? "";
    for (const [x, y, width, tall] of PATTERNS[mark]) paint.fillRect(left + x, top + y, width, tall);
  }
  return { frame, marks, colours };
}

const coloursOf = (canvas: HTMLCanvasElement): readonly string[] => {
  const style = getComputedStyle(canvas);
  return MARKS.map((mark) => style.getPropertyValue(`--${mark === "twice" ? "wait" : mark}`));
};

/** Resizing also clears the canvas. */
function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  canvas.getContext("2d")?.scale(devicePixelRatio, devicePixelRatio);
}
