// Trace of a pod's packet to a destination: verdict, egress source IP and deciding rule.
import "./trace.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ManyTraces } from "../../ovn/trace/many.ts";
import type { Protocol } from "../../ovn/trace/packet-path.ts";
import type { Trace } from "../../ovn/trace/trace.ts";
import { type Answer, Asking, shownOf } from "../frame/answer.ts";
import { ask } from "../frame/ask.ts";
import { CopyButton } from "../frame/copy-button.tsx";
import { at, go, momentAsked } from "../frame/navigation.ts";
import { type Route, withQuery } from "../frame/route.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { ManyTable } from "./many-table.tsx";
import { OutcomeView } from "./outcome-view.tsx";
import {
  commandOf,
  fullName,
  isMany,
  PROTOCOLS,
  paramsOf,
  questionOf,
  requestOf,
  type TraceQuestion,
} from "./question.ts";

type Answered = { readonly one: Trace } | { readonly many: ManyTraces };

export function TraceView({ route }: { route: Route }) {
  const question = questionOf(route);
  const asking = useMemo(() => new Asking<Answered>(), []);
  const key = route.query.has("from") || route.query.has("to") ? commandOf(question) : "";
  useEffect(() => {
    if (key === "") asking.forget();
    else asking.ask((signal) => answerTo(question, signal));
  }, [key, at.value]);
  return (
    <div class="trace">
      <TraceForm key={key} question={question} onAsk={(asked) => go(withQuery(route, paramsOf(asked)))} />
      {key === "" ? <Hint /> : <Answers answer={asking.answer.value} question={question} />}
    </div>
  );
}

async function answerTo(question: TraceQuestion, signal: AbortSignal): Promise<Answered> {
  const { from, to, protocol } = question;
  const request = requestOf(question);
  if (request) return { one: await post("/egret/v1/trace", { ...request, ...momentAsked() }, signal) };
  const senders = from === "" ? [] : [from];
  const body = { from: senders, to: to === "" ? [] : to.split(/[\s,]+/), protocol, ...momentAsked() };
  return { many: await post("/egret/v1/trace/many", body, signal) };
}

const post = <T,>(path: string, body: unknown, signal: AbortSignal): Promise<T> =>
  ask<T>(path, { method: "POST", body, signal });

function TraceForm({ question, onAsk }: { question: TraceQuestion; onAsk: (asked: TraceQuestion) => void }) {
  const from = useSignal(question.from);
  const to = useSignal(question.to);
  const protocol = useSignal<Protocol>(question.protocol);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onAsk({ from: fullName(from.value), to: to.value.trim(), protocol: protocol.value });
  };
  return (
    <form class="trace-form" onSubmit={submit}>
      <label>
        From
        <input
          name="from"
          placeholder="pod/NAMESPACE/NAME or ns/NAME"
          value={from}
          onInput={({ currentTarget }) => (from.value = currentTarget.value)}
        />
      </label>
      <label>
        to
        <input
          name="to"
          placeholder="8.8.8.8:443, www.example.com, svc/NAMESPACE/NAME"
          value={to}
          onInput={({ currentTarget }) => (to.value = currentTarget.value)}
        />
      </label>
      <label>
        by
        <select
          value={protocol}
          onChange={({ currentTarget }) => (protocol.value = currentTarget.value as Protocol)}
        >
          {PROTOCOLS.map((one) => (
            <option key={one} value={one}>
              {one.toUpperCase()}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="main">
        Trace
      </button>
    </form>
  );
}

const Hint = () => (
  <p class="hint">
    Say which pod sends, and where to: what happens with the packet, and who decided it. A namespace instead
    of a pod tells it for all of its pods; without a destination it is the world outside.
  </p>
);

function Answers({ answer, question }: { answer: Answer<Answered>; question: TraceQuestion }) {
  if (answer.state === "refused") return <TellStatus status={answer.status} what="No trace" />;
  const value = shownOf(answer);
  const isOld = answer.state === "asking";
  return (
    <div aria-busy={isOld} class={isOld ? "old" : undefined}>
      {value && "one" in value && !isMany(question) && <OneTrace key={value.one.summary} trace={value.one} />}
      {value && "many" in value && <ManyTable many={value.many} question={question} />}
      {value && <Command question={question} />}
    </div>
  );
}

function Command({ question }: { question: TraceQuestion }) {
  const command = commandOf(question);
  return (
    <p class="command">
      <code>{command}</code>
      <CopyButton text={command} word="Copy command" />
      <CopyButton text={location.href} word="Copy link" />
    </p>
  );
}

function OneTrace({ trace }: { trace: Trace }) {
  const at = useSignal(0);
  const { outcomes, ambiguities, warnings, unusedEgressIps } = trace;
  const outcome = outcomes[at.value];
  return (
    <>
      <p class={`verdict ${trace.verdict === "allowed" ? "good" : "bad"}`} role="status">
        {trace.verdict === "allowed" ? "✓ " : trace.verdict === "several" ? "! " : "✕ "}
        {trace.summary}
      </p>
      {outcomes.length > 1 && (
        <div class="several">
          <ul>
            {ambiguities.map((why) => (
              <li key={why}>{why}</li>
            ))}
          </ul>
          <Chooser count={outcomes.length} at={at.value} onChoose={(index) => (at.value = index)} />
        </div>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="warning">
          ! {warning}
        </p>
      ))}
      {outcome && <OutcomeView key={at.value} trace={trace} outcome={outcome} />}
      {unusedEgressIps.length > 0 && <Unused trace={trace} />}
    </>
  );
}

function Chooser({ count, at, onChoose }: { count: number; at: number; onChoose: (index: number) => void }) {
  return (
    <fieldset class="chooser">
      <legend>
        Outcome {at + 1} of {count}
      </legend>
      <button type="button" disabled={at === 0} onClick={() => onChoose(at - 1)} aria-label="Outcome before">
        ◀
      </button>
      <button
        type="button"
        disabled={at === count - 1}
        onClick={() => onChoose(at + 1)}
        aria-label="Next outcome"
      >
        ▶
      </button>
    </fieldset>
  );
}

function Unused({ trace: { unusedEgressIps } }: { trace: Trace }) {
  return (
    <section aria-label="EgressIPs that are not used">
      <h2>EgressIPs of the namespace that are not used</h2>
      <ul>
        {unusedEgressIps.map(({ name, reasons }) => (
          <li key={name}>
            <b>{name}</b>: {reasons.map(({ text }) => text).join("; ")}
          </li>
        ))}
      </ul>
    </section>
  );
}
