// What-if view: effects of planned changes. The cluster changes only when the user applies the plan.
import "./whatif.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { NodeLoss } from "../../features/analysis/verdicts.ts";
import type { Difference } from "../../ovn/compare.ts";
import { Asking, shownOf } from "../frame/answer.ts";
import { ask, Refused, type ToldStatus } from "../frame/ask.ts";
import { CopyButton } from "../frame/copy-button.tsx";
import { at, go, momentAsked } from "../frame/navigation.ts";
import { keepingAt, type Route } from "../frame/route.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { DifferenceView } from "./difference-view.tsx";
import { GhostMap } from "./ghost-map.tsx";
import { makeReal } from "./make-real.ts";
import { Ranking } from "./ranking.tsx";
import { StepForm } from "./step-form.tsx";
import { commandOf, formatStep, inWords, parseStep, planBody, type Step } from "./steps.ts";

/** sessionStorage key: manifests are too long for the URL. */
const MANIFESTS = "egret:whatif";

export function WhatIfView({ route }: { route: Route }) {
  const texts = route.query.getAll("do");
  const steps = texts.flatMap((text) => parseStep(text) ?? []);
  const manifests = useSignal(sessionStorage.getItem(MANIFESTS) ?? "");
  const asking = useMemo(() => new Asking<Difference>(), []);
  const every = useMemo(() => new Asking<readonly NodeLoss[]>(), []);
  const key = texts.join("\n");
  const isEmpty = steps.length === 0 && manifests.value.trim() === "";
  const plan = () => {
    if (isEmpty) asking.forget();
    else asking.ask((signal) => post("/egret/v1/plan", planBody(steps, manifests.value, at.value), signal));
  };
  useEffect(plan, [key, at.value]);
  const setSteps = (next: readonly Step[]) => {
    every.forget();
    const query = new URLSearchParams();
    for (const step of next) query.append("do", formatStep(step));
    go(keepingAt({ ...route, query }, route));
  };
  const setManifests = (text: string) => {
    manifests.value = text;
    sessionStorage.setItem(MANIFESTS, text);
  };
  const answer = asking.answer.value;
  const difference = shownOf(answer);
  const losses = shownOf(every.answer.value);
  return (
    <div class="whatif">
      <StepForm onStep={(step) => setSteps([...steps, step])} />
      <Manifests text={manifests.value} onText={setManifests} onTry={plan} />
      <Steps steps={steps} onSteps={setSteps} />
      {isEmpty && (
        <p class="hint">
          Say what would happen: what moves, who loses an address and how much room is left is worked out on a
          copy of the state that is shown.{" "}
          <button type="button" onClick={() => every.ask(everyNode)}>
            Which node hurts most?
          </button>
        </p>
      )}
      {answer.state === "asking" && <p role="status">The plan is worked out …</p>}
      {answer.state === "refused" && <TellStatus status={answer.status} what="No plan" />}
      {!isEmpty && difference && (
        <DifferenceView difference={difference}>
          <GhostMap route={route} difference={difference} steps={steps} />
        </DifferenceView>
      )}
      {!isEmpty && answer.state === "answered" && (
        <Acts
          steps={steps}
          manifests={manifests.value}
          onDone={() => {
            setManifests("");
            setSteps([]);
          }}
        />
      )}
      {isEmpty && every.answer.value.state === "asking" && <p role="status">Each node is tried in turn …</p>}
      {isEmpty && losses && <Ranking losses={losses} onNode={(node) => setSteps([deletionOf(node)])} />}
    </div>
  );
}

const deletionOf = (node: string): Step => ({ verb: "delete", object: `node/${node}`, label: "" });

const post = <T,>(path: string, body: string, signal: AbortSignal): Promise<T> =>
  ask<T>(path, { method: "POST", body, type: "application/yaml", signal });

const everyNode = async (signal: AbortSignal): Promise<readonly NodeLoss[]> =>
  (
    await ask<{ readonly items: readonly NodeLoss[] }>("/egret/v1/plan/nodes", {
      method: "POST",
      body: momentAsked(),
      signal,
    })
  ).items;

interface ManifestsProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onTry: () => void;
}

function Manifests({ text, onText, onTry }: ManifestsProps) {
  return (
    <details open={text !== ""}>
      <summary>Manifests that would be applied</summary>
      <textarea
        rows={8}
        spellcheck={false}
        aria-label="Manifests as YAML"
        placeholder={"apiVersion: k8s.ovn.org/v1\nkind: EgressIP\n…"}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <p>
        <button type="button" onClick={onTry}>
          Try them
        </button>{" "}
        <span class="hint">They stay in this tab: a link to the plan does not carry them.</span>
      </p>
    </details>
  );
}

function Steps({ steps, onSteps }: { steps: readonly Step[]; onSteps: (next: readonly Step[]) => void }) {
  if (steps.length === 0) return null;
  return (
    <ol class="steps" aria-label="Steps">
      {steps.map((step, index) => (
        <li key={formatStep(step)}>
          {inWords(step)}{" "}
          <button
            type="button"
            class="quiet"
            aria-label={`Without: ${inWords(step)}`}
            onClick={() => onSteps(steps.filter((_, other) => other !== index))}
          >
            ✕
          </button>
        </li>
      ))}
    </ol>
  );
}

function Acts({
  steps,
  manifests,
  onDone,
}: {
  steps: readonly Step[];
  manifests: string;
  onDone: () => void;
}) {
  const refused = useSignal<ToldStatus | undefined>(undefined);
  // The command always plans on the present state.
  const command = at.value === undefined && manifests.trim() === "" ? commandOf(steps) : undefined;
  const apply = async (): Promise<void> => {
    try {
      await makeReal(steps, manifests);
      onDone();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.value = error.status;
    }
  };
  return (
    <>
      {refused.value && <TellStatus status={refused.value} what="It was not done, or not all of it" />}
      <p class="command">
        {at.value === undefined ? (
          <button type="button" class="main" onClick={() => void apply()}>
            Make it real
          </button>
        ) : (
          <span class="hint">Go back to now to make it real.</span>
        )}
        <button type="button" onClick={onDone}>
          Throw away
        </button>
        {command !== undefined && <code>{command}</code>}
        {command !== undefined && <CopyButton text={command} word="Copy command" />}
        <CopyButton text={location.href} word="Copy link" />
      </p>
    </>
  );
}
