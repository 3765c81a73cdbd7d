// The revision in the URL: the model at that revision, and the state of loading it.
import { computed, effect, signal } from "@preact/signals";
import type { Touched } from "./data/model.ts";
import { Moment, type Shown } from "./data/moment.ts";
import { browserClock } from "./frame/browser-clock.ts";
import { at, goTo } from "./frame/navigation.ts";
import { clusters, link, model, past } from "./state.ts";

export type Standing =
  | { readonly state: "now" }
  | { readonly state: "asking" | "shown" | "forgotten"; readonly revision: number }
  | { readonly state: "failed"; readonly revision: number; readonly message: string };

export const standing = signal<Standing>({ state: "now" });

type Taker = (touched: Touched, isQuiet: boolean) => void;
let takers: readonly Taker[] = [];
let last = Number.POSITIVE_INFINITY;
let isStep = false;
let isQuiet = true;

const moment = new Moment(model, { past }, browserClock, onShown);

/** The model changes in place; `onMoment` notifies views of changes. */
export const pastModel = moment.model;

/**
 * Calls `taker` with what each step changes in the past model. isQuiet: the step is a jump and moves are not animated.
 */
export function onMoment(taker: Taker): void {
  takers = [...takers, taker];
}

/** Moves to a later revision during playback; moves of addresses are animated. */
export function stepTo(revision: number): void {
  isStep = true;
  goTo(revision);
  isStep = false;
}

function onShown(shown: Shown): void {
  if (shown.state === "shown") {
    for (const take of takers) take(shown.touched, isQuiet || shown.revision < last);
    last = shown.revision;
  }
  standing.value = shown;
}

const isReady = computed(() => link.value.state === "live" || link.value.state === "lost");
effect(() => {
  void clusters.value;
  moment.forget();
  last = Number.POSITIVE_INFINITY;
});
effect(() => {
  const revision = at.value;
  void clusters.value;
  if (revision === undefined) {
    moment.end();
    standing.value = { state: "now" };
    return;
  }
  isQuiet = !isStep;
  if (standing.peek().state !== "shown") standing.value = { state: "asking", revision };
  if (isReady.value) moment.goTo(revision);
});
