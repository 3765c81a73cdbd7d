// What the EgressService controller wants to know of a Node.
import type { KubeObject } from "../../meta/object-meta.ts";
import { isReady } from "../kit/api.ts";
import { answers } from "../kit/reachability.ts";

export interface NodeState {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Only a ready node has services. */
  readonly ready: boolean;
  /** It would answer if it were asked now. */
  readonly answers: boolean;
}

export function readNodeState(node: KubeObject): NodeState {
  const { name = "", labels = {} } = node.metadata;
  return { name, labels, ready: isReady(node), answers: answers(node) };
}
