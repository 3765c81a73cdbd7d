// Below the bar while an earlier moment is shown: which one, and the way back to now.
import { goTo } from "../frame/navigation.ts";
import { standing } from "../shown.ts";
import "./time.css";

export function MomentStrip() {
  const now = standing.value;
  if (now.state === "now") return null;
  return (
    <section class="moment-strip" aria-label="The moment that is shown">
      <p role="status">
        You see revision {now.revision.toLocaleString()}
        {now.state === "asking" && ": it is being read …"}
        {now.state === "forgotten" && ": the server has forgotten what was then."}
        {now.state === "failed" && `: it cannot be read. ${now.message}`}
      </p>
      <button type="button" class="main" onClick={() => goTo(undefined, "push")}>
        Back to now
      </button>
    </section>
  );
}
