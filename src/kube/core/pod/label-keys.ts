// matchLabelKeys and mismatchLabelKeys: the labels of a new pod at these keys are merged into the label selectors.
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";

const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

export function mergeLabelKeys(pod: KubeObject): void {
  const spec = objectAt(pod, "spec");
  const affinity = objectAt(spec, "affinity");
  const labels = pod.metadata.labels ?? {};
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const terms = objectAt(affinity, kind);
    const weighed = objectsAt(terms, PREFERRED).map((item) => objectAt(item, "podAffinityTerm"));
    for (const term of [...weighed, ...objectsAt(terms, REQUIRED)]) {
      merge(term, "matchLabelKeys", "In", labels);
      merge(term, "mismatchLabelKeys", "NotIn", labels);
    }
  }
  for (const constraint of objectsAt(spec, "topologySpreadConstraints")) {
    merge(constraint, "matchLabelKeys", "In", labels);
  }
}

/** Without a selector the keys are ignored. */
function merge(
  term: JsonObject | undefined,
  member: string,
  operator: string,
  labels: Readonly<JsonObject>,
): void {
  const selector = objectAt(term, "labelSelector");
  const keys = textsAt(term, member).filter((key) => labels[key] !== undefined);
  if (selector === undefined || keys.length === 0) return;
  const added = keys.map((key) => ({ key, operator, values: [textAt(labels, key)] }));
  selector["matchExpressions"] = [...objectsAt(selector, "matchExpressions"), ...added];
}
