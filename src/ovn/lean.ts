// Removes fields that no explanation and no trace reads, to save memory when a cluster is loaded for one request.
import { type JsonObject, objectAt, objectsAt } from "../apimachinery/json/json.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Removes managedFields and the last-applied annotation. Shares members with the original. */
function withoutPast(object: KubeObject): KubeObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  if (metadata.annotations?.[LAST_APPLIED] !== undefined) {
    const { [LAST_APPLIED]: _lastApplied, ...annotations } = metadata.annotations;
    metadata.annotations = annotations;
  }
  return { ...object, metadata };
}

/** Pods whose command lines contain cluster configuration. */
const CONTROL_PLANE = /^kube-(controller-manager|apiserver)-/;

/** Reduces a Pod to node, ports, addresses and conditions; others only lose managedFields and last-applied. */
export function leanObject(given: KubeObject): KubeObject {
  const object = withoutPast(given);
  const { apiVersion, kind, metadata } = object;
  if (apiVersion !== "v1" || kind !== "Pod") return object;
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  const told = CONTROL_PLANE.test(metadata.name ?? "")
    ? ["name", "ports", "command", "args"]
    : ["name", "ports"];
  const containers = objectsAt(spec, "containers").map((container) => pick(container, told));
  return {
    ...{ apiVersion, kind, metadata },
    spec: { ...pick(spec, ["nodeName", "hostNetwork"]), containers },
    status: pick(status, ["phase", "podIP", "podIPs", "conditions"]),
  };
}

/**
 * For a plan objects must stay valid: only optional fields are removed, which neither controllers nor verdicts read.
 * A Pod that a change applies is kept whole, because apply compares it with every stored field.
 */
export const leanForPlan =
  (isApplied: (object: KubeObject) => boolean) =>
  (given: KubeObject): KubeObject => {
    const object = withoutPast(given);
    if (object.apiVersion !== "v1") return object;
    const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
    if (object.kind === "Node" && status) return { ...object, status: omit(status, IDLE_IN_NODE_STATUS) };
    if (object.kind !== "Pod" || isApplied(object)) return object;
    const trimmed = (list: string) =>
      spec?.[list] === undefined
        ? {}
        : { [list]: objectsAt(spec, list).map((one) => omit(one, IDLE_IN_CONTAINERS)) };
    const containers = { ...trimmed("initContainers"), ...trimmed("containers") };
    return {
      ...object,
      ...(spec ? { spec: { ...omit(spec, IDLE_IN_POD_SPEC), ...containers } } : {}),
      ...(status ? { status: omit(status, IDLE_IN_POD_STATUS) } : {}),
    };
  };

const IDLE_IN_NODE_STATUS = ["images", "volumesInUse", "volumesAttached"];
const IDLE_IN_POD_SPEC = [
  "volumes",
  "ephemeralContainers",
  "affinity",
  "tolerations",
  "topologySpreadConstraints",
];
const IDLE_IN_CONTAINERS = [
  ...["command", "args", "env", "envFrom", "volumeMounts", "volumeDevices"],
  ...["livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "securityContext"],
];
const IDLE_IN_POD_STATUS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];

function omit(object: JsonObject, keys: readonly string[]): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(object)) if (!keys.includes(key)) rest[key] = object[key];
  return rest;
}

const pick = (object: JsonObject | undefined, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, object?.[key]]));
