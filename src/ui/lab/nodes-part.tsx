// Nodes fail and come back.
import { useComputed } from "@preact/signals";
import { ask } from "../frame/ask.ts";
import { model, touched } from "../state.ts";
import { ASSIGNABLE } from "../whatif/steps.ts";
import type { Act } from "./lab-view.tsx";

/** A node that bears it is dead, for those who play its part. */
const FAILED = "egret.dev/failed";
const MERGE = "application/merge-patch+json";

const patchNode = (name: string, metadata: unknown): Promise<unknown> =>
  ask(`/api/v1/nodes/${encodeURIComponent(name)}`, { method: "PATCH", type: MERGE, body: { metadata } });

const setFailed = (name: string, failed: boolean): Promise<unknown> =>
  patchNode(name, { annotations: { [FAILED]: failed ? "true" : null } });

const setAssignable = (name: string, assignable: boolean): Promise<unknown> =>
  patchNode(name, { labels: { [ASSIGNABLE]: assignable ? "" : null } });

/** More are not listed: whoever has so many fails them by a command. */
const NODES_MAX = 50;

export function NodesPart({ act }: { act: Act }) {
  const nodes = useComputed(() => {
    void touched.value; // the model changes in place
    return [...model.nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }).value;
  return (
    <section aria-labelledby="lab-nodes">
      <h2 id="lab-nodes">Nodes</h2>
      {nodes.length === 0 && (
        <p class="hint">
          There is none. Try: <code>egret nodes add 6 --assignable 4</code>
        </p>
      )}
      <ul class="nodes">
        {nodes.slice(0, NODES_MAX).map(({ uid, name, isReady, isAssignable }) => (
          <li key={uid}>
            <b>{name}</b>
            <span class={isReady ? "ok" : "bad"}>{isReady ? "✓ Ready" : "✕ not Ready"}</span>
            <button type="button" onClick={() => act(`${name} fails`, () => setFailed(name, true))}>
              Fail
            </button>
            <button type="button" onClick={() => act(`${name} recovers`, () => setFailed(name, false))}>
              Recover
            </button>
            <label>
              <input
                type="checkbox"
                checked={isAssignable}
                onChange={() => act(`${name}`, () => setAssignable(name, !isAssignable))}
              />
              assignable
            </label>
          </li>
        ))}
      </ul>
      {nodes.length > NODES_MAX && (
        <p class="hint">
          {(nodes.length - NODES_MAX).toLocaleString()} more. Try: <code>egret nodes fail NAME</code>
        </p>
      )}
    </section>
  );
}
