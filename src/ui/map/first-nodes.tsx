// Actions of the map before any address can be assigned: create nodes, or label nodes as assignable.
import { useSignal } from "@preact/signals";
import { ask, Refused, type ToldStatus } from "../frame/ask.ts";
import { CopyButton } from "../frame/copy-button.tsx";
import type { ObjectRef } from "../frame/kinds.ts";
import { BASE } from "../frame/route.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { Can } from "../rights/can.tsx";
import { onControl, onObject } from "../rights/question.ts";
import type { NodeFact } from "./facts.ts";

const LABEL = "k8s.ovn.org/egress-assignable";
const NODES: ObjectRef = { group: "", version: "v1", resource: "nodes", namespace: "", name: "" };
const COUNT = 3;
/** Nodes offered as buttons; for others there is the command. */
const OFFERED_MAX = 6;
const nothing = () => null;

/** Runs an action, and keeps the Status of a rejection. */
function useAct() {
  const refusal = useSignal<ToldStatus | undefined>(undefined);
  const act = async (does: () => Promise<unknown>): Promise<void> => {
    refusal.value = undefined;
    try {
      await does();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusal.value = error.status;
    }
  };
  const told = refusal.value && <TellStatus status={refusal.value} what="The server did not take it." />;
  return { act, told };
}

export function NoNodes() {
  const { act, told } = useAct();
  const add = () =>
    ask("/egret/v1/nodes", { method: "POST", body: { count: COUNT, assignable: COUNT, zones: ["a", "b"] } });
  return (
    <div class="empty">
      <p>Nothing can leave yet: there is no node.</p>
      <Can all={[onControl("post", "nodes"), onObject("create", NODES)]} otherwise={nothing}>
        <button type="button" class="main" onClick={() => void act(add)}>
          Add {COUNT} nodes
        </button>{" "}
        <a href={`${BASE}lab`}>Others ›</a>
      </Can>
      {told}
    </div>
  );
}

/** Notice while no node is assignable. */
export function NoneAssignable({ nodes }: { nodes: readonly NodeFact[] }) {
  const { act, told } = useAct();
  const line = `kubectl --server ${location.origin} label node NAME ${LABEL}=`;
  const label = (name: string) => () =>
    ask(`/api/v1/nodes/${encodeURIComponent(name)}`, {
      ...{ method: "PATCH", type: "application/merge-patch+json" },
      body: { metadata: { labels: { [LABEL]: "" } } },
    });
  return (
    <div class="notice">
      No node carries the label <code>{LABEL}</code>. Give it to{" "}
      {nodes.slice(0, OFFERED_MAX).map(({ name }) => (
        <Can key={name} all={[onObject("patch", { ...NODES, name })]} otherwise={nothing}>
          <button type="button" class="quiet" onClick={() => void act(label(name))}>
            {name}
          </button>{" "}
        </Can>
      ))}
      <CopyButton text={line} word="Copy the command" />
      {told}
    </div>
  );
}
