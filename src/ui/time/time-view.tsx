// The timeline view: changes, Events, decisions and requests on one time axis.
import { at, go, goTo, route } from "../frame/navigation.ts";
import { listAt, type Route, withQuery } from "../frame/route.ts";
import { refused } from "../state.ts";
import { Chosen } from "./chosen.tsx";
import { ClockControl } from "./clock-control.tsx";
import { dayText } from "./clock-words.ts";
import { ENTRY_SIGNS, LANE_WORDS, LANES, type Lane, type Placed } from "./entries.ts";
import { EntryTable } from "./entry-table.tsx";
import { LanesView } from "./lanes-view.tsx";
import { countUntil, isMove } from "./line.ts";
import { dropped, entries, news, player, useTimeLine } from "./time-state.ts";

/** Entries of the selected lanes that match the search text. */
function shownOf(all: readonly Placed[], of: Route): readonly Placed[] {
  const lanes = lanesOf(of);
  const text = (of.query.get("q") ?? "").trim().toLowerCase();
  if (lanes.length === LANES.length && text === "") return all;
  return all.filter(
    (entry) => lanes.includes(entry.lane) && `${entry.text} ${entry.by}`.toLowerCase().includes(text),
  );
}

/** The lanes in the URL; all if it names none. */
function lanesOf(of: Route): readonly Lane[] {
  const named = listAt(of, "lane");
  const lanes = LANES.filter((lane) => named.includes(lane));
  return lanes.length === 0 ? LANES : lanes;
}

export function TimeView() {
  useTimeLine();
  const here = route.value;
  const shown = shownOf(entries.value, here);
  const chosen = entries.value.find(({ key }) => key === here.query.get("sel"));
  const choose = (entry: Placed) => {
    player.pause();
    go(withQuery(here, { at: String(entry.at), sel: entry.key }), "replace");
  };
  const [from, to] = rangeOf(here, entries.value);
  return (
    <div class="time">
      <div class="time-head">
        <h1>Timeline</h1>
        <ClockControl />
      </div>
      <Notices />
      <Tools here={here} all={entries.value} from={from} to={to} />
      {entries.value.length === 0 ? (
        <p class="empty">{news.value ? "Nothing has happened yet." : "○ loading …"}</p>
      ) : (
        <>
          <LanesView
            entries={shown}
            lanes={lanesOf(here)}
            from={from}
            to={to}
            shown={at.value}
            onState={(state) => {
              player.pause();
              goTo(state);
            }}
            onEntry={choose}
          />
          <p class="legend">
            {(["move", "bad", "wait", "ok"] as const).map((mark) => (
              <span key={mark} class={mark}>
                {ENTRY_SIGNS[mark]} {MARK_WORDS[mark]}
              </span>
            ))}
            <span>Pauses in which nothing happened are folded: ⁄⁄</span>
          </p>
          {chosen && <Chosen key={chosen.key} entry={chosen} />}
          <EntryTable
            entries={between(shown, from, to)}
            shown={at.value}
            chosen={chosen?.key ?? ""}
            onEntry={choose}
          />
        </>
      )}
    </div>
  );
}

const MARK_WORDS = { move: "an address moved", bad: "lost, or failed", wait: "warns", ok: "done" } as const;

function between(all: readonly Placed[], from: number, to: number): readonly Placed[] {
  const [first, last] = [all[0]?.atMs ?? 0, all.at(-1)?.atMs ?? 0];
  return from <= first && to >= last ? all : all.slice(countUntil(all, from - 1), countUntil(all, to));
}

/** The range in the URL; by default from the first to the last entry. */
function rangeOf({ query }: Route, all: readonly Placed[]): [number, number] {
  const [from, to] = [Date.parse(query.get("from") ?? ""), Date.parse(query.get("to") ?? "")];
  const [first, last] = [all[0]?.atMs ?? 0, all.at(-1)?.atMs ?? 0];
  return [Number.isNaN(from) ? first : from, Number.isNaN(to) ? last + 1 : to];
}

/** What the timeline leaves out, and why. */
function Notices() {
  const told = news.value;
  if (!told) return null;
  const [first] = entries.value;
  const lines = [
    told.from > 1 &&
      `What was before revision ${told.from.toLocaleString()} is no longer kept by the server, or not shown.`,
    told.missed > 0 &&
      `${told.missed.toLocaleString()} earlier requests are no longer kept: the server keeps the last 1,000.`,
    dropped.value > 0 &&
      first &&
      `Of more than ${entries.value.length.toLocaleString()} entries the oldest are left out: the line begins at ${dayText(first.atMs)}.`,
    ...[...told.refused].map(([what, why]) => `${what}: ${why}`),
    ...refused.value
      .filter(({ kind }) => !told.refused.has(kind))
      .map(({ kind, message }) => `${kind}: ${message}`),
  ].filter((line): line is string => typeof line === "string");
  if (lines.length === 0) return null;
  return (
    <ul class="notices" aria-label="What the line does not show">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

interface ToolsProps {
  readonly here: Route;
  readonly all: readonly Placed[];
  readonly from: number;
  readonly to: number;
}

const ZOOM = 4;

function Tools({ here, all, from, to }: ToolsProps) {
  const lanes = lanesOf(here);
  const counts = new Map<Lane, number>();
  for (const { lane } of all) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  const toggle = (lane: Lane) => {
    const next = lanes.includes(lane) ? lanes.filter((other) => other !== lane) : [...lanes, lane];
    const isAll = next.length === LANES.length || next.length === 0;
    go(withQuery(here, { lane: isAll ? "" : next.join(",") }), "replace");
  };
  const zoom = (by: number) => {
    const shown = at.value === undefined ? undefined : all.findLast((entry) => entry.at <= (at.value ?? 0));
    const middle = shown ? shown.atMs : by < 1 ? to : (from + to) / 2;
    const span = Math.max(1_000, (to - from) * by);
    const begin = Math.min(Math.max(middle - span / 2, all[0]?.atMs ?? 0), Math.max(from, to - span));
    const iso = (ms: number) => new Date(ms).toISOString();
    go(withQuery(here, { from: iso(begin), to: iso(begin + span) }), "replace");
  };
  const isWhole = !here.query.has("from") && !here.query.has("to");
  return (
    <search class="time-tools" aria-label="What the line shows">
      <fieldset class="states">
        <legend class="unseen">Lanes</legend>
        {LANES.map((lane) => (
          <button
            key={lane}
            type="button"
            class="lane-toggle"
            aria-pressed={lanes.includes(lane)}
            onClick={() => toggle(lane)}
          >
            {LANE_WORDS[lane]} {(counts.get(lane) ?? 0).toLocaleString()}
          </button>
        ))}
      </fieldset>
      <input
        type="search"
        aria-label="Find in the entries"
        aria-keyshortcuts="/"
        placeholder="Find a name, an address …"
        value={here.query.get("q") ?? ""}
        onInput={({ currentTarget: { value } }) => go(withQuery(here, { q: value }), "replace")}
      />
      <span class="ways">
        <span class="hint">{all.filter(isMove).length.toLocaleString()} moves</span>
        <button type="button" class="zoom" aria-label="Zoom in" onClick={() => zoom(1 / ZOOM)}>
          +
        </button>
        <button
          type="button"
          class="zoom"
          aria-label="Zoom out"
          disabled={isWhole}
          onClick={() => zoom(ZOOM)}
        >
          −
        </button>
        <button
          type="button"
          disabled={isWhole}
          onClick={() => go(withQuery(here, { from: "", to: "" }), "replace")}
        >
          All
        </button>
      </span>
    </search>
  );
}
