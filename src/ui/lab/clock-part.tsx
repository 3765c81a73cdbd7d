// Control of the server's clock: it runs, or it is frozen and advanced by steps.
import { useSignal } from "@preact/signals";
import type { ClockState } from "../../features/control-surface/clock.ts";
import { ask } from "../frame/ask.ts";
import { usePolled } from "../frame/polled.ts";
import { Moment } from "../object/moment.tsx";
import { Can } from "../rights/can.tsx";
import { EVERYTHING } from "../rights/question.ts";
import type { Act } from "./act.ts";

const CLOCK = "/egret/v1/clock";
const STEPS = ["1s", "10s", "1m", "1h"] as const;
const EVERY_MS = 2000;

export function ClockPart({ act }: { act: Act }) {
  const clock = useSignal<ClockState | undefined>(undefined);
  const { refused } = usePolled(async (signal) => {
    clock.value = await ask<ClockState>(CLOCK, { signal });
  }, EVERY_MS);
  const setMode = (mode: ClockState["mode"]) => async () => {
    clock.value = await ask<ClockState>(CLOCK, { method: "PUT", body: { mode } });
  };
  const advance = (duration: string) => async () => {
    await ask(`${CLOCK}/advance`, { method: "POST", body: { duration } });
    clock.value = await ask<ClockState>(CLOCK);
  };
  if (!clock.value || refused.value) return null;
  const { mode, now, timers = 0 } = clock.value;
  const stands = mode === "frozen";
  return (
    <section aria-labelledby="lab-clock">
      <h2 id="lab-clock">Clock</h2>
      <p>
        <Moment time={now} />: {stands ? "it stands" : "it runs"}; {timers.toLocaleString()} wait for time to
        pass.
      </p>
      <Can all={EVERYTHING}>
        {stands ? (
          <p class="acts">
            {STEPS.map((step) => (
              <button key={step} type="button" onClick={() => act(`Clock + ${step}`, advance(step))}>
                + {step}
              </button>
            ))}
            <button type="button" onClick={() => act("The clock runs", setMode("real"))}>
              Let it run
            </button>
          </p>
        ) : (
          <button type="button" onClick={() => act("The clock stands", setMode("frozen"))}>
            Freeze
          </button>
        )}
      </Can>
    </section>
  );
}
