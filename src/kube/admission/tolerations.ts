// Taints of node conditions: default tolerations of Pods, and the initial taint of every node.
import { type JsonObject, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { specOf } from "../../apimachinery/meta/object-meta.ts";
import { type AdmittingPlugin, isAbout, type PluginDeps } from "./about.ts";

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const TOLERATION_SECONDS = { notReady: 300, unreachable: 300 };

/** Pods tolerate unreachable and not-ready nodes for a limited time, unless they have a toleration of their own. */
export const createDefaultTolerationSeconds = ({
  tolerationSeconds: { notReady, unreachable } = TOLERATION_SECONDS,
}: Pick<PluginDeps, "tolerationSeconds"> = {}): AdmittingPlugin => ({
  name: "DefaultTolerationSeconds",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation === "DELETE" || !isAbout(attributes, "", "pods") || !object) return;
    const spec = specOf(object);
    const given = objectsAt(spec, "tolerations");
    const missing = [within(NOT_READY, notReady), within(UNREACHABLE, unreachable)];
    const added = missing.filter(({ key }) => !given.some((toleration) => tolerates(toleration, key)));
    if (added.length === 0) return;
    object["spec"] = { ...spec, tolerations: [...given, ...added] };
  },
});

const within = (key: string, tolerationSeconds: number) => ({
  ...{ key, operator: "Exists", effect: "NoExecute" },
  tolerationSeconds,
});

function tolerates(toleration: JsonObject, taint: string): boolean {
  const key = textAt(toleration, "key");
  const effect = textAt(toleration, "effect");
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}

/** A new node accepts no Pods until it is ready. */
export const createTaintNodesByCondition = (): AdmittingPlugin => ({
  name: "TaintNodesByCondition",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, "", "nodes") || !object) return;
    const spec = specOf(object);
    const taints = objectsAt(spec, "taints");
    if (taints.some((taint) => taint["key"] === NOT_READY && taint["effect"] === "NoSchedule")) return;
    object["spec"] = { ...spec, taints: [...taints, { key: NOT_READY, effect: "NoSchedule" }] };
  },
});
