// Control of the server's clock: it runs, or it is frozen and advanced by a step or a span.
import { useSignal } from "@preact/signals";
import type { ClockState } from "../../features/control-surface/clock.ts";
import { ask, Refused, type ToldStatus } from "../frame/ask.ts";
import { at } from "../frame/navigation.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { Can } from "../rights/can.tsx";
import { EVERYTHING } from "../rights/question.ts";
import { dayText } from "./clock-words.ts";
import { clock } from "./time-state.ts";

const CLOCK = "/egret/v1/clock";
const STEPS = ["1s", "10s", "1m", "1h"] as const;

const setMode = (mode: ClockState["mode"]) => () => ask<ClockState>(CLOCK, { method: "PUT", body: { mode } });
const advance = (duration: string) => () =>
  ask<ClockState>(`${CLOCK}/advance`, { method: "POST", body: { duration } });

export function ClockControl() {
  const refusal = useSignal<ToldStatus | undefined>(undefined);
  const isBusy = useSignal(false);
  const act = async (question: () => Promise<ClockState>): Promise<void> => {
    isBusy.value = true;
    try {
      clock.value = await question();
      refusal.value = undefined;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusal.value = error.status;
    } finally {
      isBusy.value = false;
    }
  };
  if (!clock.value) return null;
  const { mode, now, timers } = clock.value;
  const stands = mode === "frozen";
  // Disabled while an earlier revision is shown.
  const isHeld = isBusy.value || at.value !== undefined;
  return (
    <section class="clock-control" aria-label="The server's clock">
      <span role="status">
        {stands ? "❚❚ It stands at " : "The server's clock runs: "}
        <time dateTime={now}>{dayText(Date.parse(now))}</time>
        {stands && <span class="hint"> · {timers.toLocaleString()} wait for time to pass</span>}
      </span>
      <Can all={EVERYTHING}>
        {stands ? (
          <FrozenControls isHeld={isHeld} act={act} />
        ) : (
          <button type="button" disabled={isHeld} onClick={() => void act(setMode("frozen"))}>
            Freeze
          </button>
        )}
      </Can>
      {at.value !== undefined && <span class="hint">Go back to now to move it.</span>}
      {refusal.value && <TellStatus status={refusal.value} what="The clock was not moved" />}
    </section>
  );
}

interface FrozenControlsProps {
  readonly isHeld: boolean;
  readonly act: (question: () => Promise<ClockState>) => Promise<void>;
}

/** Advances a frozen clock, or starts it again. */
function FrozenControls({ isHeld, act }: FrozenControlsProps) {
  const span = useSignal("5m");
  return (
    <>
      {STEPS.map((step) => (
        <button key={step} type="button" disabled={isHeld} onClick={() => void act(advance(step))}>
          + {step}
        </button>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act(advance(span.value.trim()));
        }}
      >
        <input
          aria-label="Advance by"
          size={5}
          value={span}
          onInput={({ currentTarget }) => (span.value = currentTarget.value)}
        />
        <button type="submit" disabled={isHeld}>
          Advance
        </button>
      </form>
      <button type="button" disabled={isHeld} onClick={() => void act(setMode("real"))}>
        Let it run
      </button>
    </>
  );
}
