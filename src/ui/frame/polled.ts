// Polling of state that has no watch: one request at a time, only while the tab is visible.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Refused, type ToldStatus } from "./ask.ts";
import { browserClock } from "./browser-clock.ts";

export interface Polled {
  readonly refused: Signal<ToldStatus | undefined>;
}

/** Requests at once and then at the interval, while the component is mounted and the tab is visible. */
export function usePolled(question: (signal: AbortSignal) => Promise<void>, everyMs: number): Polled {
  const refused = useSignal<ToldStatus | undefined>(undefined);
  useEffect(() => {
    const running = new AbortController();
    let cancel = () => {};
    const round = async (): Promise<void> => {
      try {
        if (!document.hidden) await question(running.signal);
        refused.value = undefined;
      } catch (error) {
        if (running.signal.aborted) return;
        if (!(error instanceof Refused)) throw error;
        refused.value = error.status;
      }
      if (!running.signal.aborted) cancel = browserClock.after(everyMs, () => void round());
    };
    void round();
    return () => {
      running.abort();
      cancel();
    };
  }, []);
  return { refused };
}
