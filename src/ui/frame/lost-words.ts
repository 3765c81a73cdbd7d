// Texts for the duration of a connection loss and the time of the next attempt.
import type { Link } from "../data/feed.ts";

const SECOND_MS = 1_000;
const MINUTE_S = 60;

export function lostWords({ sinceMs, againAtMs }: Extract<Link, { state: "lost" }>, nowMs: number) {
  return {
    since: `for ${spanWords(nowMs - sinceMs)}`,
    again: againAtMs > nowMs ? `trying again in ${spanWords(againAtMs - nowMs)}` : "trying again",
  };
}

function spanWords(spanMs: number): string {
  const seconds = Math.max(0, Math.ceil(spanMs / SECOND_MS));
  return seconds < 2 * MINUTE_S ? `${seconds} s` : `${Math.floor(seconds / MINUTE_S)} min`;
}
