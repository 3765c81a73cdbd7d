// Hints after loading the demo: one at a time, each shown once.
import { signal } from "@preact/signals";
import { Refused, type ToldStatus } from "../frame/ask.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { setFailed } from "../lab/fail-node.ts";
import { Can } from "../rights/can.tsx";
import { onObject } from "../rights/question.ts";
import type { Facts, Known, NodeFact } from "./facts.ts";

const KEPT = "egret:hints";

/** Progress of the hints; "done" is kept in localStorage. */
type Step =
  | { readonly state: "off" | "done" }
  | { readonly state: "first" }
  | { readonly state: "undo"; readonly node: string };

const step = signal<Step>({ state: localStorage.getItem(KEPT) === null ? "off" : "done" });
const refused = signal<ToldStatus | undefined>(undefined);

/** Starts the hints after the demo is loaded. */
export function beginHints(): void {
  if (step.value.state === "off") step.value = { state: "first" };
}

function end(): void {
  localStorage.setItem(KEPT, "done");
  step.value = { state: "done" };
}

/** The Ready node with the most assigned addresses. */
const busiest = (nodes: readonly NodeFact[]): NodeFact | undefined =>
  nodes
    .filter(({ mark, used }) => mark === "ok" && used > 0)
    .sort((a, b) => b.used - a.used || (a.name < b.name ? -1 : 1))[0];

const ofNode = (name: string) => ({ group: "", version: "v1", resource: "nodes", namespace: "", name });

async function act(node: string, isFailed: boolean): Promise<void> {
  try {
    await setFailed(node, isFailed);
    refused.value = undefined;
    if (isFailed) step.value = { state: "undo", node };
    else end();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    refused.value = error.status;
  }
}

export function Hints({ facts, known }: { facts: Facts; known: Known }) {
  const now = step.value;
  if (now.state === "off" || now.state === "done") return null;
  const node = busiest(facts.nodes);
  return (
    <Can all={[onObject("patch", ofNode(now.state === "undo" ? now.node : (node?.name ?? "")))]}>
      <section class="hints" aria-label="What to try">
        {now.state === "first" && node && (
          <>
            <span>{node.name} holds most addresses. See what becomes of them:</span>
            <button type="button" onClick={() => void act(node.name, true)}>
              Switch {node.name} off
            </button>
          </>
        )}
        {now.state === "undo" && (
          <>
            <span>Its addresses went elsewhere; “why” below says who decided it.</span>
            <button type="button" onClick={() => void act(now.node, false)}>
              Undo: switch {now.node} on
            </button>
            <a href={traceLink(facts, known)} onClick={end}>
              Trace a pod
            </a>
          </>
        )}
        <button type="button" class="quiet" onClick={end}>
          No more hints
        </button>
        {refused.value && <TellStatus status={refused.value} what="It was not done" />}
      </section>
    </Can>
  );
}

/** Link to the trace of a pod in a namespace with egress objects. */
function traceLink({ namespaces }: Facts, known: Known): string {
  const home = namespaces.find(({ hasEgress, pods }) => hasEgress && pods > 0);
  const pod = home && known.podsIn(home.name)[0];
  return pod ? `/egret/ui/trace?from=pod/${pod.namespace}/${pod.name}&to=8.8.8.8:443` : "/egret/ui/trace";
}
