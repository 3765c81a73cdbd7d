// Strip below the top bar while an earlier revision is shown, and in the timeline view. It shows the revision and has
// controls for jumps, playback and the way back to now.
import type { ClockState } from "../../features/control-surface/clock.ts";
import { ask } from "../frame/ask.ts";
import { go, goTo, route } from "../frame/navigation.ts";
import { usePolled } from "../frame/polled.ts";
import { withQuery } from "../frame/route.ts";
import { type Standing, standing } from "../shown.ts";
import { revision } from "../state.ts";
import { agoText, stampText } from "./clock-words.ts";
import { moveFrom, timeOf } from "./line.ts";
import { SPEEDS, type Speed } from "./player.ts";
import "./time.css";
import { clock, entries, leap, player, serverNow, useTimeLine } from "./time-state.ts";

const CLOCK_EVERY_MS = 2_000;

export function MomentStrip() {
  useTimeLine();
  usePolled(async (signal) => {
    clock.value = await ask<ClockState>("/egret/v1/clock", { signal });
  }, CLOCK_EVERY_MS);
  const now = standing.value;
  const isNow = now.state === "now";
  const isPlaying = player.isPlaying.value;
  const last = entries.value.at(-1)?.at;
  return (
    <section class={`moment-strip ${isNow ? "" : "past"}`} aria-label="Moment">
      <p role="status" aria-live={isPlaying ? "off" : "polite"}>
        {isNow ? "● You see what is now." : <Told standing={now} />}
      </p>
      <div class="transport">
        <button
          type="button"
          disabled={!moveFrom(entries.value, isNow ? undefined : now.revision, -1)}
          aria-keyshortcuts="["
          onClick={() => leap(-1)}
        >
          ◀ move
        </button>
        <button
          type="button"
          disabled={last === undefined}
          aria-keyshortcuts="p"
          onClick={() => (isPlaying ? player.pause() : player.play())}
        >
          {isPlaying ? "❚❚ Pause" : "▶ Play"}
        </button>
        <button
          type="button"
          disabled={isNow || !moveFrom(entries.value, now.revision, 1)}
          aria-keyshortcuts="]"
          onClick={() => leap(1)}
        >
          move ▶
        </button>
        <label>
          <span class="unseen">Speed</span>
          <select
            value={String(player.speed.value)}
            onChange={({ currentTarget: { value } }) => {
              player.speed.value = Number(value) as Speed;
            }}
          >
            {SPEEDS.map((speed) => (
              <option key={speed} value={speed}>
                {speed}×
              </option>
            ))}
          </select>
        </label>
      </div>
      <Slider shown={isNow ? undefined : now.revision} />
      {!isNow && route.value.view !== "map" && (
        <button type="button" onClick={() => go({ ...withQuery(route.value, {}), view: "map", path: [] })}>
          See the map then
        </button>
      )}
      {!isNow && (
        <button type="button" class="main" aria-keyshortcuts="n" onClick={() => goTo(undefined, "push")}>
          Back to now
        </button>
      )}
    </section>
  );
}

function Told({ standing: now }: { standing: Exclude<Standing, { state: "now" }> }) {
  const ms = timeOf(entries.value, now.revision);
  const what = `revision ${now.revision.toLocaleString()}`;
  switch (now.state) {
    case "asking":
      return <>○ {what} is being read …</>;
    case "forgotten":
      return <>✕ The server has forgotten {what}: it keeps the past for a while only (--retain).</>;
    case "failed":
      return (
        <>
          ✕ {what} cannot be read. {now.message}
        </>
      );
    case "shown":
      return ms === undefined ? (
        <>You see {what}</>
      ) : (
        <>
          You see <time dateTime={new Date(ms).toISOString()}>{stampText(ms)}</time>,{" "}
          {agoText(ms, serverNow())} <span class="hint">({what})</span>
        </>
      );
  }
}

/** One step of the slider is one revision. */
function Slider({ shown }: { shown: number | undefined }) {
  const [first, newest] = [entries.value[0]?.at ?? 1, revision.value];
  const ms = timeOf(entries.value, shown ?? newest);
  return (
    <label class="scrub">
      <span class="unseen">Moment</span>
      <input
        type="range"
        min={Math.min(first, shown ?? first)}
        max={newest}
        value={shown ?? newest}
        aria-valuetext={`${shown === undefined ? "now" : `revision ${shown}`}${ms === undefined ? "" : `, ${stampText(ms)}`}`}
        onInput={({ currentTarget: { value } }) => {
          player.pause();
          goTo(Number(value) >= newest ? undefined : Number(value));
        }}
      />
    </label>
  );
}
