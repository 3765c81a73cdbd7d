// Node failure and recovery.
import { ask } from "../frame/ask.ts";
import { nodePath } from "./drain.ts";

/** A node with this annotation counts as failed: its agent and its simulated kubelet stop reporting. */
const FAILED = "egret.dev/failed";
const MERGE = "application/merge-patch+json";

export const patchNode = async (name: string, body: unknown): Promise<void> => {
  await ask(nodePath(name), { method: "PATCH", type: MERGE, body });
};

export const setFailed = (name: string, failed: boolean): Promise<void> =>
  patchNode(name, { metadata: { annotations: { [FAILED]: failed ? "true" : null } } });

/** Recovers the node, and uncordons it after a drain. */
export const recover = (name: string): Promise<void> =>
  patchNode(name, { metadata: { annotations: { [FAILED]: null } }, spec: { unschedulable: null } });
