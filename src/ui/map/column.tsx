// A column with virtual scrolling: only visible rows are rendered. It scrolls independently and has a single tab stop
// (roving tabindex); arrow keys move within it.
import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "./fold.ts";
import { heightOf, type Layout, scrollTo, type View, visibleRows } from "./layout.ts";
import { type RowTools, RowView } from "./rows.tsx";
import { isStep, keptStop, rowKeyOf, stepFrom } from "./stops.ts";

export interface ColumnProps {
  readonly title: string;
  /** Text after the title in the heading. */
  readonly told: string;
  readonly rows: readonly Row[];
  readonly layout: Layout;
  readonly scale: number;
  readonly view: Signal<View>;
  readonly stop: Signal<string>;
  readonly tools: Omit<RowTools, "stop">;
  /** Rows whose move to the top is deferred while the column is held. */
  readonly late: number;
  readonly onRelease: () => void;
  /** Called when the pointer or the focus enters or leaves the column. */
  readonly onHold: (isHeld: boolean) => void;
  /** Called with the key of the row under the pointer or focus, or "". */
  readonly onNear: (key: string) => void;
  /** Moves the focus to the linked row in the next column. */
  readonly onAcross: (from: string, by: -1 | 1) => void;
  readonly empty: preact.ComponentChildren;
}

export function Column(props: ColumnProps) {
  const { title, told, rows, layout, view, stop, late } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const place = useRef(0);
  const wantsFocus = useSignal(false);
  const hadFocus = scroller.current?.contains(document.activeElement) ?? false;
  const kept = keptStop(rows, stop.value, place.current);
  const at = rows.findIndex(({ key }) => key === rowKeyOf(kept));
  useLayoutEffect(() => {
    place.current = Math.max(0, at);
    if (kept !== stop.value) stop.value = kept;
    const lost = hadFocus && !scroller.current?.contains(document.activeElement);
    if (!wantsFocus.value && !lost) return;
    wantsFocus.value = false;
    scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });
  useSeen(scroller, view);
  const goTo = (next: string) => {
    const index = rows.findIndex(({ key }) => key === rowKeyOf(next));
    if (scroller.current && index >= 0) scroller.current.scrollTop = scrollTo(layout, index, view.value);
    wantsFocus.value = true;
    stop.value = next;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (isStep(event.key)) goTo(stepFrom(rows, kept, event.key));
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      props.onAcross(kept, event.key === "ArrowLeft" ? -1 : 1);
    else return;
    event.preventDefault();
  };
  return (
    <section class="column" aria-label={title}>
      <h2>
        {title} <span class="hint">· {told}</span>
        {late > 0 && (
          <button type="button" class="late" onClick={props.onRelease}>
            {late} moved up · show
          </button>
        )}
      </h2>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and the pointer are heard here for all buttons within */}
      <div
        class="scroller"
        ref={scroller}
        onScroll={({ currentTarget: { scrollTop } }) => {
          view.value = { ...view.value, scroll: scrollTop };
        }}
        onKeyDown={onKeyDown}
        onPointerEnter={() => props.onHold(true)}
        onPointerLeave={() => {
          props.onHold(false);
          props.onNear("");
        }}
        onFocusIn={() => props.onHold(true)}
        onFocusOut={() => {
          props.onHold(false);
          props.onNear("");
        }}
      >
        {rows.length === 0 && props.empty}
        <BuiltRows {...props} kept={kept} at={at} />
      </div>
    </section>
  );
}

interface BuiltRowsProps extends ColumnProps {
  /** The tab stop. */
  readonly kept: string;
  /** Index of the row with the tab stop; -1: none. */
  readonly at: number;
}

/** The visible rows, and the row with the tab stop, which would lose the focus otherwise. */
function BuiltRows({ rows, layout, scale, view, stop, tools, onNear, kept, at }: BuiltRowsProps) {
  const [from, to] = visibleRows(layout, view.value);
  const built = rows.slice(from, to).map((row, index) => ({ row, index: from + index }));
  const focused = rows[at];
  if (focused && (at < from || at >= to)) built.push({ row: focused, index: at });
  return (
    <ul class="rows" style={{ height: `${layout.height}px` }}>
      {built.map(({ row, index }) => (
        <li
          key={row.key}
          data-key={row.key}
          class={`place ${row.kind === "pod" ? "within" : ""}`}
          aria-setsize={rows.length}
          aria-posinset={index + 1}
          style={{ top: `${layout.tops[index] ?? 0}px`, height: `${heightOf(row) * scale}px` }}
          onPointerEnter={() => onNear(row.key)}
          onFocusIn={(event) => {
            onNear(row.key);
            stop.value = stopAt(event.target, row, kept);
          }}
        >
          <RowView row={row} tools={{ ...tools, stop: kept }} />
        </li>
      ))}
    </ul>
  );
}

/** The stop that received the focus. */
function stopAt(target: EventTarget | null, row: Row, kept: string): string {
  if (row.kind !== "target" || !(target instanceof HTMLElement))
    return row.kind === "target" ? kept : row.key;
  const buttons = [...(target.parentElement?.querySelectorAll("button.address") ?? [])];
  return `${row.key}#${Math.max(0, buttons.indexOf(target))}`;
}

/** Tracks the height of the visible area. */
function useSeen(scroller: { readonly current: HTMLDivElement | null }, view: Signal<View>): void {
  useLayoutEffect(() => {
    const { current } = scroller;
    if (!current) return;
    const observer = new ResizeObserver(() => {
      if (current.clientHeight !== view.value.height)
        view.value = { ...view.value, height: current.clientHeight };
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [scroller, view]);
}
