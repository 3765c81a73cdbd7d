// What the subresources that change one thing of a pod do with all others.
import { cloneJson, type JsonObject } from "../../../../meta/json.ts";
import type { KubeObject } from "../../../../meta/object-meta.ts";

const KEPT_METADATA = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/** Everything stays as it was, and then the one change is made. */
export function keepAllBut(object: KubeObject, old: Readonly<KubeObject>, change: () => void): void {
  const { metadata } = object;
  const before: JsonObject = { ...cloneJson(old.metadata) };
  for (const member of KEPT_METADATA) delete metadata[member];
  for (const member of KEPT_METADATA) {
    if (before[member] !== undefined) Object.assign(metadata, { [member]: before[member] });
  }
  for (const part of ["spec", "status"]) object[part] = cloneJson(old[part]);
  change();
}

/** The picture of a pod that a node runs on its own account. */
export const isStaticPod = (pod: Readonly<KubeObject>): boolean =>
  pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
