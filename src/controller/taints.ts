// Taints of nodes and tolerations of pods.
import { type JsonObject, numberAt, objectsAt, textAt } from "../apimachinery/json/json.ts";

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** The timeAdded of the taint; "" if it has none. */
  readonly timeAdded: string;
}

export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  /** undefined: without limit. */
  readonly seconds: number | undefined;
}

export const taintsOf = (spec: JsonObject): Taint[] =>
  objectsAt(spec, "taints").map((taint) => ({
    key: textAt(taint, "key"),
    value: textAt(taint, "value"),
    effect: textAt(taint, "effect"),
    timeAdded: textAt(taint, "timeAdded"),
  }));

export const tolerationsOf = (spec: JsonObject): Toleration[] =>
  objectsAt(spec, "tolerations").map((toleration) => ({
    key: textAt(toleration, "key"),
    operator: textAt(toleration, "operator"),
    value: textAt(toleration, "value"),
    effect: textAt(toleration, "effect"),
    seconds: numberAt(toleration, "tolerationSeconds"),
  }));

/** An empty effect or key matches any. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== "" && toleration.effect !== taint.effect) return false;
  if (toleration.key !== "" && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return (toleration.operator === "" || toleration.operator === "Equal") && toleration.value === taint.value;
}

export const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some((toleration) => tolerates(toleration, taint));

/** Reports whether an untolerated NoSchedule or NoExecute taint excludes the pod from the node. */
export const keepsAway = (taints: readonly Taint[], tolerations: readonly Toleration[]): boolean =>
  taints.some(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") && !isTolerated(taint, tolerations),
  );
