// The selected entry; for an assignment also the explanation.
import type { MovedExplanation } from "../../features/analysis/verdicts.ts";
import { ask } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import { linkTo } from "../frame/kinds.ts";
import { dayText } from "./clock-words.ts";
import { ENTRY_SIGNS, LANE_WORDS, type Placed } from "./entries.ts";

/** Tolerance when an entry is matched with an explanation, whose times have whole seconds. */
const NEAR_MS = 3_000;

export function Chosen({ entry }: { entry: Placed }) {
  const { atMs, lane, mark, text, by, of, move, at } = entry;
  return (
    <section class="chosen-entry" aria-label="Chosen entry">
      <p>
        <time dateTime={new Date(atMs).toISOString()}>{dayText(atMs)}</time> · {LANE_WORDS[lane]} · revision{" "}
        {at.toLocaleString()}
        {by !== "" && ` · by ${by}`}
      </p>
      <p class={mark}>
        <b>
          {ENTRY_SIGNS[mark]} {text}
        </b>{" "}
        {move && <Why entry={entry} move={move} />}{" "}
        {of && (
          <a href={`${linkTo(of)}?tab=${move ? "explain" : "history"}`}>{move ? "why ›" : "history ›"}</a>
        )}
      </p>
    </section>
  );
}

function Why({ entry: { atMs, at }, move }: { entry: Placed; move: NonNullable<Placed["move"]> }) {
  const body = { kind: "EgressIP", name: move.egressIp, since: "87600h", resourceVersion: String(at) };
  return (
    <Asked
      question={(signal) => ask<MovedExplanation>("/egret/v1/explain", { method: "POST", body, signal })}
      otherwise="It cannot be told why"
    >
      {({ moves }) => {
        const found = moves.findLast(
          ({ address, to = "", time }) =>
            address === move.address && to === move.to && Math.abs(Date.parse(time) - atMs) < NEAR_MS,
        );
        return found ? <span>{found.why}.</span> : null;
      }}
    </Asked>
  );
}
