// Jumps and playback by keys while the timeline is not loaded: the timeline is loaded first, then the action runs.
import { effect } from "@preact/signals";
import { browserClock } from "../frame/browser-clock.ts";
import { at } from "../frame/navigation.ts";
import { moveFrom } from "./line.ts";
import { entries, holdTimeLine, leap, player } from "./time-state.ts";

/** Limit for loading the timeline, in milliseconds. */
const WAIT_MS = 3_000;

function whenKnown(isKnown: () => boolean, act: () => void, otherwise: () => void): void {
  const release = holdTimeLine();
  let isOver = false;
  const end = () => {
    isOver = true;
    release();
    cancel();
  };
  const cancel = browserClock.after(WAIT_MS, () => {
    end();
    stop?.();
    otherwise();
  });
  let stop: (() => void) | undefined;
  stop = effect(() => {
    void entries.value;
    if (isOver || !isKnown()) return;
    end();
    // Deferred, because the action writes signals that the effect reads.
    queueMicrotask(() => {
      stop?.();
      act();
    });
  });
}

export const leapSoon = (by: 1 | -1, say: (text: string) => void): void =>
  whenKnown(
    () =>
      moveFrom(entries.peek(), at.peek(), by) !== undefined ||
      (by === 1 && at.peek() !== undefined && entries.peek().length > 0),
    () => leap(by),
    () => say(by === 1 ? "There is no later move." : "No earlier move is known."),
  );

export function playSoon(say: (text: string) => void): void {
  if (player.isPlaying.value) {
    player.pause();
    return;
  }
  whenKnown(
    () => entries.peek().length > 0,
    () => player.play(),
    () => say("Nothing is known that could be played."),
  );
}
