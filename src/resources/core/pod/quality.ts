// The quality of service class of a pod, from what its containers ask for and may use of processor and memory.

import { quantityNanos } from "../../../go/quantity.ts";
import { type JsonObject, objectAt, objectsAt } from "../../../meta/json.ts";

const RESOURCES = ["cpu", "memory"] as const;
type Totals = Record<(typeof RESOURCES)[number], bigint>;

export type QosClass = "BestEffort" | "Burstable" | "Guaranteed";

/** Guaranteed: every container has limits for both, and requests equal limits. BestEffort: nobody asks for anything. */
export function qosClassOf(spec: JsonObject | undefined): QosClass {
  const containers = resourcesOf(spec);
  const requests: Totals = { cpu: 0n, memory: 0n };
  const limits: Totals = { cpu: 0n, memory: 0n };
  let limited = true;
  for (const resources of containers) {
    for (const name of RESOURCES) {
      requests[name] += quantityNanos(objectAt(resources, "requests")?.[name]);
      const limit = quantityNanos(objectAt(resources, "limits")?.[name]);
      limits[name] += limit;
      limited &&= limit > 0n;
    }
  }
  if (RESOURCES.every((name) => requests[name] === 0n && limits[name] === 0n)) return "BestEffort";
  return limited && RESOURCES.every((name) => requests[name] === limits[name]) ? "Guaranteed" : "Burstable";
}

/** The pod's own resources stand for all of its containers. */
function resourcesOf(spec: JsonObject | undefined): (JsonObject | undefined)[] {
  const own = objectAt(spec, "resources");
  if (own !== undefined) return [own];
  const containers = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  return containers.map((container) => objectAt(container, "resources"));
}
