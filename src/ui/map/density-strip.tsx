// One small cell for each EgressIP of a large cluster, by colour and by pattern. The table says the same in words.
import { useLayoutEffect, useRef } from "preact/hooks";
import { MARKS, type Mark, type Target } from "./facts.ts";

interface DensityStripProps {
  readonly targets: readonly Target[];
  readonly onPick: (target: Target) => void;
}

const LABEL = "States of all EgressIPs; the table says the same";
const CELL = 4;
/** What of a cell is filled: x, y, width, height. */
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
  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, targets);
  }, [targets]);
  const pick = (event: MouseEvent) => {
    const columns = Math.floor((canvas.current?.clientWidth ?? 0) / CELL);
    const target = targets[Math.floor(event.offsetY / CELL) * columns + Math.floor(event.offsetX / CELL)];
    if (target) onPick(target);
  };
  return <canvas class="density" ref={canvas} role="img" aria-label={LABEL} onClick={pick} />;
}

function draw(canvas: HTMLCanvasElement, targets: readonly Target[]): void {
  const columns = Math.max(1, Math.floor(canvas.clientWidth / CELL));
  const ratio = devicePixelRatio;
  const height = Math.ceil(targets.length / columns) * CELL;
  canvas.style.height = `${height}px`;
  canvas.width = columns * CELL * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${columns * CELL}px`;
  const paint = canvas.getContext("2d");
  if (!paint) return;
  paint.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colours = new Map(
    MARKS.map((mark) => [mark, style.getPropertyValue(`--${mark === "twice" ? "wait" : mark}`)]),
  );
  targets.forEach(({ mark }, index) => {
    paint.fillStyle = colours.get(mark) ?? "";
    const [left, top] = [(index % columns) * CELL, Math.floor(index / columns) * CELL];
    for (const [x, y, width, tall] of PATTERNS[mark]) paint.fillRect(left + x, top + y, width, tall);
  });
}
