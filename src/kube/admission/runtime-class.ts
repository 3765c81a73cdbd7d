// RuntimeClass: a new Pod gets the overhead and the scheduling constraints of its RuntimeClass.
import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { KeyValueReader } from "../../storage/store.ts";
import { type FullPlugin, isAbout, type PluginDeps } from "./about.ts";

const RUNTIME_CLASSES = "/registry/runtimeclasses/";
const NO_MATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const NO_CLASS = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";

export const createRuntimeClass = ({ store }: PluginDeps): FullPlugin => ({
  name: "RuntimeClass",
  admit(attributes) {
    const spec = newPodSpec(attributes);
    const runtimeClass = spec && classOf(store, spec, attributes);
    if (spec === undefined || runtimeClass === undefined) return;
    const overhead = overheadOf(runtimeClass);
    if (overhead !== undefined) {
      if (spec["overhead"] !== undefined && !equalJson(spec["overhead"], overhead))
        throw refuse(attributes, NO_MATCH);
      spec["overhead"] = { ...overhead };
    }
    setScheduling(spec, objectAt(runtimeClass, "scheduling"), attributes);
  },
  validate(attributes) {
    const spec = newPodSpec(attributes);
    if (spec === undefined) return;
    const runtimeClass = classOf(store, spec, attributes);
    const overhead = runtimeClass && overheadOf(runtimeClass);
    const given = objectAt(spec, "overhead");
    if (overhead === undefined && given !== undefined) throw refuse(attributes, NO_CLASS);
    if (overhead !== undefined && !equalJson(given, overhead)) throw refuse(attributes, NO_MATCH);
  },
});

const newPodSpec = (attributes: AdmissionAttributes): JsonObject | undefined =>
  attributes.operation === "CREATE" && isAbout(attributes, "", "pods")
    ? objectAt(attributes.object, "spec")
    : undefined;

/** undefined: the Pod names no RuntimeClass. */
function classOf(
  store: KeyValueReader,
  spec: JsonObject,
  attributes: AdmissionAttributes,
): Readonly<KubeObject> | undefined {
  const name = spec["runtimeClassName"];
  if (typeof name !== "string") return undefined;
  const kv = store.get(RUNTIME_CLASSES + name);
  if (kv !== undefined) return decodeStored(kv);
  throw refuse(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

/** The overhead of the class; {} for an overhead without podFixed. */
const overheadOf = (runtimeClass: Readonly<KubeObject>): JsonObject | undefined => {
  const overhead = objectAt(runtimeClass, "overhead");
  return overhead && objectAt(overhead, "podFixed");
};

/** Combines the scheduling constraints of the Pod and the class. */
function setScheduling(
  spec: JsonObject,
  scheduling: JsonObject | undefined,
  attributes: AdmissionAttributes,
): void {
  if (scheduling === undefined) return;
  const wanted = objectAt(scheduling, "nodeSelector") ?? {};
  const given = objectAt(spec, "nodeSelector") ?? {};
  for (const [key, value] of Object.entries(wanted)) {
    if (given[key] === undefined || given[key] === value) continue;
    const rule = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given[key]}`;
    throw refuse(attributes, rule);
  }
  const selector = { ...given, ...wanted };
  if (Object.keys(selector).length > 0) spec["nodeSelector"] = selector;
  const merged = mergeTolerations([
    ...objectsAt(spec, "tolerations"),
    ...objectsAt(scheduling, "tolerations"),
  ]);
  if (merged.length > 0) spec["tolerations"] = merged;
}

/** Removes tolerations that another one covers; of equal ones the first stays. */
function mergeTolerations(all: readonly JsonObject[]): JsonObject[] {
  const merged: JsonObject[] = [];
  for (const [index, toleration] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, toleration)) ||
      all.slice(index + 1).some((other) => !equalJson(other, toleration) && covers(other, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

function covers(other: JsonObject, toleration: JsonObject): boolean {
  if (equalJson(other, toleration)) return true;
  const [operator, effect] = [textAt(other, "operator"), textAt(other, "effect")];
  const isForAllKeys = textAt(other, "key") === "" && operator === "Exists";
  if (textAt(other, "key") !== textAt(toleration, "key") && !isForAllKeys) return false;
  if (effect !== "" && effect !== textAt(toleration, "effect")) return false;
  const seconds = numberAt(other, "tolerationSeconds");
  if (effect === "NoExecute" && seconds !== undefined) {
    if ((numberAt(toleration, "tolerationSeconds") ?? Number.POSITIVE_INFINITY) > seconds) return false;
  }
  if (operator === "Exists") return true;
  if (operator !== "" && operator !== "Equal") return false;
  return textAt(toleration, "operator") === "Equal" && textAt(toleration, "value") === textAt(other, "value");
}
