// What has to be asked again and again, because nothing tells of it: only while somebody looks, and one question at a time.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Refused, type ToldStatus } from "./ask.ts";
import { browserClock } from "./browser-clock.ts";

export interface Polled {
  readonly refused: Signal<ToldStatus | undefined>;
}

/** Asks at once and then at that interval, for as long as the component and its tab are seen. */
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
