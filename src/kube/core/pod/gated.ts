// Mutable scheduling fields of a pod with scheduling gates: its node selection may only become stricter.

import { equalJson, type JsonObject, objectAt, objectsAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, invalid } from "../../../apimachinery/meta/field-error.ts";
import { invalidStruct, invalidStructs } from "../../../apiserver/registry/strategy/checks.ts";
import { structOf } from "../../../apiserver/registry/strategy/internal-struct.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const TERM = "io.k8s.api.core.v1.NodeSelectorTerm";

export const isGated = (spec: JsonObject): boolean => objectsAt(spec, "schedulingGates").length > 0;

export const validateGatedChange = (spec: JsonObject, old: JsonObject): FieldError[] => [
  ...selectorErrors(objectAt(spec, "nodeSelector"), objectAt(old, "nodeSelector")),
  ...affinityErrors(termsOf(spec), termsOf(old)),
];

function selectorErrors(selector: JsonObject | undefined, before: JsonObject = {}): FieldError[] {
  if (Object.keys(before).every((key) => selector?.[key] === before[key])) return [];
  const rule = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [invalid("spec.nodeSelector", selector ?? null, rule)];
}

const termsOf = (spec: JsonObject): JsonObject[] => {
  const affinity = objectAt(objectAt(spec, "affinity"), "nodeAffinity");
  return objectsAt(objectAt(affinity, REQUIRED), "nodeSelectorTerms");
};

/** Each existing term may only become stricter. */
function affinityErrors(terms: readonly JsonObject[], before: readonly JsonObject[]): FieldError[] {
  if (before.length === 0) return [];
  const field = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  const shown = terms.map((term) => structOf(TERM, term));
  if (terms.length !== before.length) {
    const rule = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [invalidStructs(field, shown.length > 0 ? shown : null, rule)];
  }
  const rule = "only additions are allowed (no mutations or deletions)";
  return before.flatMap((term, index) =>
    onlyAdds(terms[index] ?? {}, term) ? [] : [invalidStruct(`${field}[${index}]`, shown[index] ?? {}, rule)],
  );
}

function onlyAdds(term: JsonObject, before: JsonObject): boolean {
  const lists = ["matchExpressions", "matchFields"];
  const wasEmpty = lists.every((list) => objectsAt(before, list).length === 0);
  if (wasEmpty) return lists.every((list) => objectsAt(term, list).length === 0);
  return lists.every((list) => {
    const kept = objectsAt(before, list);
    return equalJson(objectsAt(term, list).slice(0, kept.length), kept);
  });
}

/** The affinity with the old node affinity. */
export function withNodeAffinityOf(
  old: JsonObject | undefined,
  affinity: JsonObject | undefined,
): JsonObject | undefined {
  const before = objectAt(old, "nodeAffinity");
  const { nodeAffinity, ...others } = affinity ?? {};
  if (equalJson(nodeAffinity ?? null, before ?? null)) return affinity;
  if (before !== undefined) return { ...others, nodeAffinity: before };
  return old === undefined && Object.keys(others).length === 0 ? undefined : others;
}
