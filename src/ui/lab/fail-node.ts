// A node fails, or comes back.
import { ask } from "../frame/ask.ts";
import { nodePath } from "./drain.ts";

/** A node that bears it is dead, for those who play its part. */
const FAILED = "egret.dev/failed";
const MERGE = "application/merge-patch+json";

export const patchNode = async (name: string, body: unknown): Promise<void> => {
  await ask(nodePath(name), { method: "PATCH", type: MERGE, body });
};

export const setFailed = (name: string, failed: boolean): Promise<void> =>
  patchNode(name, { metadata: { annotations: { [FAILED]: failed ? "true" : null } } });

/** It takes pods again, too, if it was drained. */
export const recover = (name: string): Promise<void> =>
  patchNode(name, { metadata: { annotations: { [FAILED]: null } }, spec: { unschedulable: null } });
