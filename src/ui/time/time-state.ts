// State of the timeline and its player. The sources run while a view uses them, and KEPT_MS longer.
import { batch, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ClockState } from "../../features/control-surface/clock.ts";
import { get, openWatch, PATHS } from "../data/http-transport.ts";
import { browserClock } from "../frame/browser-clock.ts";
import { at, goTo } from "../frame/navigation.ts";
import { stepTo } from "../shown.ts";
import { clusters, link, revision } from "../state.ts";
import type { Placed } from "./entries.ts";
import { ENTRIES_MAX, moveFrom, placed } from "./line.ts";
import { Player } from "./player.ts";
import { type News, TimeSource } from "./source.ts";

/** Sorted. */
export const entries = signal<readonly Placed[]>([]);
/** Number of entries dropped because of ENTRIES_MAX. */
export const dropped = signal(0);
/** The state of the server's clock at the last answer. */
export const clock = signal<ClockState | undefined>(undefined);

/** Time by the server's clock. */
export const serverNow = (): number =>
  clock.value?.mode === "frozen" ? Date.parse(clock.value.now) : browserClock.now();

export const news = signal<News | undefined>(undefined);

function told(more: News): void {
  const all = placed(more.isAnew ? more.entries : [...entries.value, ...more.entries]);
  batch(() => {
    dropped.value = (more.isAnew ? 0 : dropped.value) + Math.max(0, all.length - ENTRIES_MAX);
    entries.value = all.slice(-ENTRIES_MAX);
    news.value = more;
  });
}

const source = new TimeSource({
  ...{ clock: browserClock, get, watch: openWatch, told },
  pathOf: (stream) => (stream === "events" ? "/api/v1/events" : PATHS[stream]),
  newest: () => revision.value,
});

/** Grace period: switching views does not restart the sources. */
const KEPT_MS = 5_000;
const users = signal(0);
let cancel = () => {};
let begunFor: number | undefined;

effect(() => {
  const isWanted = users.value > 0 && link.value.state === "live";
  const cluster = clusters.value;
  if (isWanted && begunFor !== cluster) {
    begunFor = cluster;
    source.start();
  }
});

function stop(): void {
  if (users.value > 0) return;
  begunFor = undefined;
  source.stop();
}

/** Keeps the timeline loaded until the returned function is called. */
export function holdTimeLine(): () => void {
  cancel();
  users.value++;
  return () => {
    users.value--;
    if (users.value === 0) cancel = browserClock.after(KEPT_MS, stop);
  };
}

/** Keeps the timeline loaded while the component is mounted. */
export const useTimeLine = (): void => useEffect(holdTimeLine, []);

export const player = new Player({
  clock: browserClock,
  entries: () => entries.value,
  shown: () => at.value,
  show: (to, isSeen) => {
    if (to !== undefined && isSeen) stepTo(to);
    else goTo(to);
  },
});

/** Jumps to the next or the previous move; after the last move, to now. */
export function leap(by: 1 | -1): void {
  player.pause();
  const found = moveFrom(entries.value, at.value, by);
  if (!found) {
    if (by === 1 && at.value !== undefined) goTo(undefined);
  } else if (by === 1) stepTo(found.at);
  else goTo(found.at);
}
