// The entries as a table with virtual scrolling: only visible rows are rendered.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { linkTo } from "../frame/kinds.ts";
import { dayText, stampText } from "./clock-words.ts";
import { ENTRY_SIGNS, LANE_WORDS, type Placed } from "./entries.ts";

/** Row height; the style sheet has the same value. */
const ROW_REM = 1.75;
const AROUND = 8;

interface TableProps {
  /** Sorted. */
  readonly entries: readonly Placed[];
  /** The revision shown; undefined: now. */
  readonly shown: number | undefined;
  readonly chosen: string;
  readonly onEntry: (entry: Placed) => void;
}

export function EntryTable({ entries, shown, chosen, onEntry }: TableProps) {
  const frame = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 400 });
  const rowPx = ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const last =
    shown === undefined
      ? entries.length - 1
      : entries.findLastIndex(({ at, revision }) => revision !== undefined && at <= shown);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const top = last * rowPx;
    const isSeen = top >= current.scrollTop && top + 2 * rowPx <= current.scrollTop + current.clientHeight;
    // New entries do not scroll the table while the pointer or the focus is in it.
    if (!isSeen && !current.matches(":hover, :focus-within"))
      current.scrollTop = top - current.clientHeight / 2;
  }, [last, rowPx]);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const look = () => {
      seen.value = { top: current.scrollTop, height: current.clientHeight };
    };
    const observer = new ResizeObserver(look);
    observer.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, [seen]);
  const from = Math.max(0, Math.floor(seen.value.top / rowPx) - AROUND);
  const to = Math.min(entries.length, Math.ceil((seen.value.top + seen.value.height) / rowPx) + AROUND);
  return (
    <section class="entries" aria-label="Entries">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be scrolled by the keyboard, too */}
      <div class="entry-frame" ref={frame} tabIndex={0}>
        <table aria-rowcount={entries.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {["Time", "Lane", "What", "By", "Revision"].map((word) => (
                <th key={word} scope="col">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space rows={from} rowPx={rowPx} />
            {entries.slice(from, to).map((entry, index) => (
              <Row
                key={entry.key}
                entry={entry}
                index={from + index}
                state={
                  entry.key === chosen ? "chosen" : from + index === last && shown !== undefined ? "here" : ""
                }
                onEntry={onEntry}
              />
            ))}
            <Space rows={entries.length - to} rowPx={rowPx} />
          </tbody>
        </table>
      </div>
      {entries.length === 0 && <p class="empty">No entry passes: choose other lanes, or look for less.</p>}
    </section>
  );
}

const Space = ({ rows, rowPx }: { rows: number; rowPx: number }) =>
  rows > 0 ? (
    <tr>
      <td class="space" style={{ height: `${rows * rowPx}px` }} />
    </tr>
  ) : null;

interface RowProps {
  readonly entry: Placed;
  readonly index: number;
  readonly state: "chosen" | "here" | "";
  readonly onEntry: (entry: Placed) => void;
}

function Row({ entry, index, state, onEntry }: RowProps) {
  const { atMs, lane, mark, text, by, of, at, revision } = entry;
  return (
    <tr
      aria-rowindex={index + 2}
      class={`${mark} ${state}`}
      aria-current={state === "here" ? "true" : undefined}
    >
      <td>
        <button type="button" class="quiet" title={dayText(atMs)} onClick={() => onEntry(entry)}>
          <span class="unseen">Go to </span>
          {stampText(atMs)}
        </button>
      </td>
      <td>{LANE_WORDS[lane]}</td>
      <td class="what">
        <span class="mark">{ENTRY_SIGNS[mark]}</span> {of ? <a href={linkTo(of)}>{text}</a> : text}
      </td>
      <td>{by}</td>
      <td class="number">
        {revision === undefined ? <span class="hint">{at.toLocaleString()}</span> : at.toLocaleString()}
      </td>
    </tr>
  );
}
