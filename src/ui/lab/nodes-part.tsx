// List of nodes with actions: fail, recover, drain, change assignability.
import { useComputed } from "@preact/signals";
import type { ObjectRef } from "../frame/kinds.ts";
import { Can, NotAllowed, standingOf } from "../rights/can.tsx";
import { onControl, onObject } from "../rights/question.ts";
import { model, refused, touched } from "../state.ts";
import { ASSIGNABLE } from "../whatif/steps.ts";
import type { Act } from "./act.ts";
import { AddNodes } from "./add-nodes.tsx";
import { drain, drainedText, nodeLink } from "./drain.ts";
import { patchNode, recover, setFailed } from "./fail-node.ts";

const setAssignable = (name: string, assignable: boolean): Promise<void> =>
  patchNode(name, { metadata: { labels: { [ASSIGNABLE]: assignable ? "" : null } } });

const NODES: ObjectRef = { group: "", version: "v1", resource: "nodes", namespace: "", name: "" };
const mayPatch = (name: string) => onObject("patch", { ...NODES, name });

/** Nodes in the list; for others there is the command. */
const NODES_MAX = 50;

export function NodesPart({ act }: { act: Act }) {
  const nodes = useComputed(() => {
    void touched.value; // subscribes: the model changes in place
    return [...model.nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }).value;
  const notListed = refused.value.find(({ kind }) => kind === "nodes");
  const shown = nodes.slice(0, NODES_MAX);
  const [first, ...others] = shown.map(({ name }) => standingOf([mayPatch(name)]));
  const isClosed = first?.right === "refused" && others.every(({ right }) => right === "refused");
  return (
    <section aria-labelledby="lab-nodes">
      <h2 id="lab-nodes">Nodes</h2>
      <Can all={[onControl("post", "nodes"), onObject("create", NODES)]} otherwise={() => null}>
        <AddNodes act={act} />
      </Can>
      {notListed && <NotAllowed why={notListed.message} />}
      {nodes.length === 0 && !notListed && <p class="hint">There is none yet.</p>}
      <ul class="nodes">
        {shown.map(({ uid, name, isReady, isAssignable }) => (
          <li key={uid}>
            <a href={nodeLink(name)}>{name}</a>
            <span class={isReady ? "ok" : "bad"}>{isReady ? "✓ Ready" : "✕ not Ready"}</span>
            <Can all={[mayPatch(name)]} otherwise={() => null}>
              <button
                type="button"
                aria-label={`Fail ${name}`}
                onClick={() => act(`${name} fails`, () => setFailed(name, true))}
              >
                Fail
              </button>
              <button
                type="button"
                aria-label={`Recover ${name}`}
                onClick={() => act(`${name} recovers`, () => recover(name))}
              >
                Recover
              </button>
              <button
                type="button"
                aria-label={`Drain ${name}`}
                onClick={() => act(`${name} is drained`, async () => drainedText(await drain(name)))}
              >
                Drain
              </button>
              <label>
                <input
                  type="checkbox"
                  checked={isAssignable}
                  onChange={() => act(`${name}`, () => setAssignable(name, !isAssignable))}
                />
                assignable
              </label>
            </Can>
          </li>
        ))}
      </ul>
      {isClosed && <NotAllowed why={first.why} />}
      {nodes.length > NODES_MAX && (
        <p class="hint">
          {(nodes.length - NODES_MAX).toLocaleString()} more. Try: <code>egret nodes fail NAME</code>
        </p>
      )}
    </section>
  );
}
