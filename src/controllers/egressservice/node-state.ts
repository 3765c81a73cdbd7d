// What the EgressService controller wants to know of a Node.
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export interface NodeState {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Ready, and reachable as far as that is watched; only such a node has services. */
  readonly usable: boolean;
}

export function readNodeState(node: KubeObject, isReachable: (node: KubeObject) => boolean): NodeState {
  const { name = "", labels = {} } = node.metadata;
  return { name, labels, usable: isReady(node) && isReachable(node) };
}

function isReady(node: KubeObject): boolean {
  const status = isObject(node["status"]) ? node["status"] : {};
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"] : [];
  return conditions.some(
    (condition) => isObject(condition) && condition["type"] === "Ready" && condition["status"] === "True",
  );
}
