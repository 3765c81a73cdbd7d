// Objects without what no explanation and no trace reads, for clusters that are held in memory for the sake of one answer.
import { type JsonObject, objectAt, objectsAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Who owns which field, and what was applied last, say nothing of the present. Mutates. */
export function withoutPast(object: KubeObject): KubeObject {
  delete object.metadata.managedFields;
  delete object.metadata.annotations?.[LAST_APPLIED];
  return object;
}

/** Of a Pod where it runs and what reaches it; other objects are as they were. Mutates. */
export function leanObject(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = withoutPast(object);
  if (apiVersion !== "v1" || kind !== "Pod") return object;
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  const containers = objectsAt(spec, "containers").map(({ name, ports }) => ({ name, ports }));
  return {
    ...{ apiVersion, kind, metadata },
    spec: { ...pick(spec, ["nodeName", "hostNetwork"]), containers },
    status: pick(status, ["phase", "podIP", "podIPs", "conditions"]),
  };
}

const pick = (object: JsonObject | undefined, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, object?.[key]]));
