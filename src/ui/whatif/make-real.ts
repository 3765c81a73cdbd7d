// Applies a plan to the cluster as ordinary writes, one after the other. The first rejected write stops it.
import { ask } from "../frame/ask.ts";
import { type KindInfo, kinds, type ObjectRef, pathOf } from "../frame/kinds.ts";
import { changeOf, type Step } from "./steps.ts";

const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";

/** Rejects with Refused. */
export async function makeReal(steps: readonly Step[], manifests: string): Promise<void> {
  if (manifests.trim() !== "") {
    await ask("/egret/v1/import", { method: "POST", body: manifests, type: "application/yaml" });
  }
  const known = await kinds();
  for (const step of steps) await makeStep(step, refOf(step.object, known));
}

function refOf(object: string, known: readonly KindInfo[]): ObjectRef {
  const [word = "", ...names] = object.toLowerCase().split("/");
  const kind = known.find((one) => [one.resource, one.kind.toLowerCase()].includes(word));
  if (!kind) throw new Error(`The server has no kind ${word}.`);
  const [name = "", namespace = ""] = names.reverse();
  return { ...kind, namespace, name };
}

async function makeStep(step: Step, ref: ObjectRef): Promise<void> {
  const path = pathOf(ref);
  const change = changeOf(step);
  if ("patch" in change) {
    await ask(path, { method: "PATCH", type: JSON_PATCH, body: change.with });
    return;
  }
  if ("delete" in change) await ask(path, { method: "DELETE" });
  else if ("label" in change) {
    await ask(path, { method: "PATCH", type: MERGE, body: { metadata: { labels: change.labels } } });
  } else {
    const status = "ready" in change ? "True" : "False";
    const conditions = [{ type: "Ready", status, reason: "SetByHand", message: "by a plan of the page" }];
    await ask(`${path}/status`, { method: "PATCH", type: STRATEGIC, body: { status: { conditions } } });
  }
}
