// One possible outcome of a trace: the packet path, the evaluated stages, and the deciding rule.
import { useSignal } from "@preact/signals";
import type { TracedOutcome } from "../../ovn/trace/outcome.ts";
import type { Trace } from "../../ovn/trace/trace.ts";
import { RuleView } from "./rule-view.tsx";
import { objectName, STAGES, stationsOf } from "./way.ts";

const MARKS = {
  passed: "○",
  skipped: "○",
  allowed: "✓",
  translated: "✓",
  marked: "✓",
  routed: "✓",
  denied: "✕",
} as const;

export function OutcomeView({ trace, outcome }: { trace: Trace; outcome: TracedOutcome }) {
  const deciding = outcome.steps.findLastIndex(({ by }) => by.length > 0);
  const chosen = useSignal(deciding);
  const step = outcome.steps[chosen.value];
  return (
    <>
      <ol class="stations" aria-label="The way">
        {stationsOf(trace, outcome).map(({ title, name, details, by, isEnd }) => (
          <li key={title} class={isEnd && outcome.verdict !== "allowed" ? "stop" : undefined}>
            {by !== "" && <span class="by">{by}</span>}
            <span class="title">{title}</span>
            <b>{name}</b>
            {details.map((detail) => (
              <span key={detail}>{detail}</span>
            ))}
          </li>
        ))}
      </ol>
      {outcome.likely && (
        <p class="likely">Likely: neither a test nor a document of ovn-kubernetes promises it.</p>
      )}
      <div class="stages-and-rule">
        <section aria-label="Stages">
          <h2>Stages, in the order in which they look at the packet</h2>
          <ol class="stages">
            {outcome.steps.map(({ stage, result, by, text, likely }, index) => (
              <li key={`${stage} ${text}`}>
                <button
                  type="button"
                  class={`stage ${result}`}
                  aria-pressed={index === chosen.value}
                  onClick={() => (chosen.value = index)}
                >
                  <span class="mark" aria-hidden="true">
                    {MARKS[result]}
                  </span>
                  <b>{by[0] ? objectName(by[0]) : STAGES[stage]}</b>
                  <span class="result">
                    {result}
                    {likely && ", likely"}
                  </span>
                  <span>{text}</span>
                </button>
              </li>
            ))}
          </ol>
        </section>
        {step?.by[0] && <RuleView key={objectName(step.by[0])} by={step.by} />}
      </div>
    </>
  );
}
