// What happened, and when: changes, Events, decisions and requests on one line of time.
import { at, goTo } from "../frame/navigation.ts";
import { stepTo } from "../shown.ts";
import { revision } from "../state.ts";

/** Where all is shown that there is, that is now. */
function scrub(to: number): void {
  if (to >= revision.value) goTo(undefined);
  else if (to === (at.value ?? 0) + 1) stepTo(to);
  else goTo(to);
}

export function TimeView() {
  const newest = revision.value;
  return (
    <div class="time">
      <h1>Timeline</h1>
      <label>
        Revision{" "}
        <input
          type="range"
          min={1}
          max={newest}
          value={at.value ?? newest}
          onInput={({ currentTarget: { value } }) => scrub(Number(value))}
        />
      </label>
    </div>
  );
}
