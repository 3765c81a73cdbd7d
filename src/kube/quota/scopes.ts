// Scopes of a ResourceQuota: the objects of a namespace that it applies to.
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { qosClassOf } from "./pod-resources.ts";

export interface ScopeSelector {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Scope selectors of a ResourceQuota. All must match. */
export function scopesOf(quota: Readonly<KubeObject>): ScopeSelector[] {
  const spec = specOf(quota);
  return [
    ...textsAt(spec, "scopes").map((scope) => ({ scope, operator: "Exists", values: [] })),
    ...objectsAt(objectAt(spec, "scopeSelector"), "matchExpressions").map((expression) => ({
      scope: textAt(expression, "scopeName"),
      operator: textAt(expression, "operator"),
      values: textsAt(expression, "values"),
    })),
  ];
}

/** Reports whether a name, "" for none, matches the selector. */
function matchesName({ operator, values }: ScopeSelector, name: string): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    case "NotIn":
      return name === "" || !values.includes(name);
    default:
      return false;
  }
}

export function podInScope(selector: ScopeSelector, pod: Readonly<KubeObject>): boolean {
  const spec = specOf(pod);
  switch (selector.scope) {
    case "Terminating":
      return isTerminating(spec);
    case "NotTerminating":
      return !isTerminating(spec);
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort";
    case "PriorityClass":
      return matchesName(selector, textAt(spec, "priorityClassName"));
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(spec);
    default:
      return false;
  }
}

/** A Pod with an active deadline. */
const isTerminating = (spec: JsonObject): boolean => (numberAt(spec, "activeDeadlineSeconds") ?? -1) >= 0;

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

const reachesOtherNamespaces = (spec: JsonObject): boolean =>
  ["podAffinity", "podAntiAffinity"]
    .map((kind) => objectAt(objectAt(spec, "affinity"), kind))
    .flatMap((affinity) => [
      ...objectsAt(affinity, REQUIRED),
      ...objectsAt(affinity, PREFERRED).map((term) => objectAt(term, "podAffinityTerm")),
    ])
    .some((term) => textsAt(term, "namespaces").length > 0 || objectAt(term, "namespaceSelector"));

/** Matches the current and the desired class. */
export function claimInScope(selector: ScopeSelector, claim: Readonly<KubeObject>): boolean {
  if (selector.scope !== "VolumeAttributesClass") return false;
  const status = objectAt(claim, "status");
  const names = [
    textAt(specOf(claim), "volumeAttributesClassName"),
    textAt(status, "currentVolumeAttributesClassName"),
    textAt(objectAt(status, "modifyVolumeStatus"), "targetVolumeAttributesClassName"),
  ];
  const named = names.filter((name) => name !== "");
  return (named.length > 0 ? named : [""]).some((name) => matchesName(selector, name));
}
