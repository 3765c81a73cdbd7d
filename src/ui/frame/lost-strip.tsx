// Notice below the top bar while the server does not answer: the age of the state shown, and the time of the next
// attempt.
import { useEffect, useState } from "preact/hooks";
import type { Link } from "../data/feed.ts";
import type { PageClock } from "./browser-clock.ts";
import { lostWords } from "./lost-words.ts";

const TICK_MS = 1_000;

export interface LostStripProps {
  readonly link: Extract<Link, { state: "lost" }>;
  readonly clock: PageClock;
  readonly onNow: () => void;
}

export function LostStrip({ link, clock, onNow }: LostStripProps) {
  const nowMs = useSeconds(clock);
  const { since, again } = lostWords(link, nowMs);
  return (
    <div class="lost-strip">
      {/* Screen readers announce the loss once; the running seconds are visual only. */}
      <span role="alert">Not connected</span>
      <span aria-live="off">{`${since}, ${again}`}</span>
      <button type="button" class="quiet" onClick={onNow}>
        Now
      </button>
    </div>
  );
}

/** The present time, updated every second. */
function useSeconds(clock: PageClock): number {
  const [nowMs, setNow] = useState(clock.now());
  useEffect(() => clock.after(TICK_MS, () => setNow(clock.now())), [clock, nowMs]);
  return nowMs;
}
