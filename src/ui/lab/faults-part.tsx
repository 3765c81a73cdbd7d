// Fault injection for clients: armed faults, and how often each one has fired.
import { useSignal } from "@preact/signals";
import { ask } from "../frame/ask.ts";
import { usePolled } from "../frame/polled.ts";
import type { Act } from "./act.ts";

interface Fault {
  readonly id: string;
  readonly matched: number;
  readonly fired: number;
  readonly [member: string]: unknown;
}

const FAULTS = "/egret/v1/faults";
const EVERY_MS = 1000;

/** Templates for the editor. */
const EXAMPLES: readonly { readonly word: string; readonly text: string }[] = [
  { word: "Conflicts", text: "match: {verb: [update, patch]}\ncount: 3\nerror: {code: 409}\n" },
  {
    word: "Too many requests",
    text: "match: {}\nprobability: 0.2\nerror: {code: 429, retryAfterSeconds: 2}\n",
  },
  { word: "Slow answers", text: "match: {}\ndelay: {milliseconds: {min: 200, max: 1500}}\n" },
  { word: "Watches expire", text: "match: {verb: watch}\ncount: 5\nwatchEnd: {how: expired}\n" },
  { word: "Stale reads", text: "match: {verb: [get, list]}\nstaleRead: {revisions: 5}\n" },
  { word: "Connections break", text: "match: {}\nprobability: 0.1\ndisconnect: {how: reset}\n" },
];

export function FaultsPart({ act }: { act: Act }) {
  const faults = useSignal<readonly Fault[]>([]);
  const text = useSignal(EXAMPLES[0]?.text ?? "");
  const read = async (signal?: AbortSignal): Promise<void> => {
    faults.value = (await ask<{ readonly items: readonly Fault[] }>(FAULTS, { signal })).items;
  };
  const { refused } = usePolled(read, EVERY_MS);
  if (refused.value) return null;
  const arm = async (): Promise<void> => {
    await ask(FAULTS, { method: "POST", body: text.value, type: "application/yaml" });
    await read();
  };
  const remove = (id: string) => async () => {
    await ask(`${FAULTS}/${encodeURIComponent(id)}`, { method: "DELETE" });
    await read();
  };
  return (
    <section aria-labelledby="lab-faults">
      <h2 id="lab-faults">Faults for clients</h2>
      <p class="acts">
        {EXAMPLES.map((example) => (
          <button key={example.word} type="button" class="quiet" onClick={() => (text.value = example.text)}>
            {example.word}
          </button>
        ))}
      </p>
      <textarea
        rows={5}
        spellcheck={false}
        aria-label="Fault as YAML"
        value={text}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <p class="acts">
        <button type="button" onClick={() => act("Fault armed", arm)}>
          Arm
        </button>
      </p>
      <ul>
        {faults.value.map((fault) => (
          <li key={fault.id} class={fault.fired > 0 ? "fired" : undefined}>
            <b>{fault.id}</b> <code>{actionOf(fault)}</code> matched {fault.matched.toLocaleString()}, struck{" "}
            {fault.fired.toLocaleString()}{" "}
            <button
              type="button"
              class="quiet"
              aria-label={`Take ${fault.id} away`}
              onClick={() => act(`${fault.id} away`, remove(fault.id))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The fault's specification, without id and counters. */
function actionOf({ id: _id, matched: _matched, fired: _fired, ...rest }: Fault): string {
  return JSON.stringify(rest);
}
