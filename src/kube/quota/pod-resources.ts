// Resource requests and limits of a Pod as a whole.
import { type Amount, quantityNanos } from "../../apimachinery/go/quantity.ts";
import { type JsonObject, objectAt, objectsAt } from "../../apimachinery/json/json.ts";
import { type Amounts, greatestOf, readAmounts, sumOf } from "./amounts.ts";

type Part = "requests" | "limits";

const amountsOf = (holder: JsonObject, part: Part): Amounts =>
  readAmounts(objectAt(objectAt(holder, "resources"), part));

/** Resources for which pod-level values apply, besides huge pages. */
const OF_WHOLE_POD = ["cpu", "memory"];

/** Peak demand of the containers: see podResources. */
export function containerResources(spec: JsonObject, part: Part): Map<string, Amount> {
  let together = sumOf(objectsAt(spec, "containers").map((container) => amountsOf(container, part)));
  let staying: Amounts = new Map();
  let atStart: Amounts = new Map();
  for (const container of objectsAt(spec, "initContainers")) {
    const own = amountsOf(container, part);
    const stays = container["restartPolicy"] === "Always";
    if (stays) {
      together = sumOf([together, own]);
      staying = sumOf([staying, own]);
    }
    atStart = greatestOf(atStart, stays ? staying : sumOf([own, staying]));
  }
  return greatestOf(together, atStart);
}

/**
 * Peak demand: containers run concurrently, init containers before them one after the other, except for restartable ones.
 * Pod-level values take precedence.
 */
export function podResources(spec: JsonObject, part: Part): Amounts {
  const needed = containerResources(spec, part);
  for (const [name, amount] of amountsOf(spec, part))
    if (OF_WHOLE_POD.includes(name) || name.startsWith("hugepages-")) needed.set(name, amount);
  return needed;
}

/** With the pod overhead, which is added to a limit only where one is set. */
export function podResourcesWithOverhead(spec: JsonObject, part: Part): Amounts {
  const own = podResources(spec, part);
  const overhead = readAmounts(objectAt(spec, "overhead"));
  if (part === "requests") return sumOf([own, overhead]);
  return sumOf([own, new Map([...overhead].filter(([name]) => (own.get(name)?.nanos ?? 0n) !== 0n))]);
}

const RESOURCES = ["cpu", "memory"] as const;
type Totals = Record<(typeof RESOURCES)[number], bigint>;

export type QosClass = "BestEffort" | "Burstable" | "Guaranteed";

/**
 * Guaranteed: every container has limits for both, and requests equal limits. BestEffort: no container has requests or
 * limits.
 */
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

/** Pod-level resources replace those of all containers. */
function resourcesOf(spec: JsonObject | undefined): (JsonObject | undefined)[] {
  const own = objectAt(spec, "resources");
  if (own !== undefined) return [own];
  const containers = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  return containers.map((container) => objectAt(container, "resources"));
}
