// What a Pod asks for and may use of processor, memory and other resources, as a whole.
import { type Amount, quantityNanos } from "../go/quantity.ts";
import { type JsonObject, objectAt, objectsAt } from "../meta/json.ts";
import { type Amounts, greatestOf, readAmounts, sumOf } from "./amounts.ts";

type Part = "requests" | "limits";

const amountsOf = (holder: JsonObject, part: Part): Amounts =>
  readAmounts(objectAt(objectAt(holder, "resources"), part));

/** What the Pod says of itself as a whole counts for these, and for huge pages. */
const OF_WHOLE_POD = ["cpu", "memory"];

/** What is needed at the worst moment: see podResources. */
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
 * Containers run together, and those of the start one after the other before them, but for the ones that stay: what is
 * needed at the worst moment, or what the Pod says of itself.
 */
export function podResources(spec: JsonObject, part: Part): Amounts {
  const needed = containerResources(spec, part);
  for (const [name, amount] of amountsOf(spec, part))
    if (OF_WHOLE_POD.includes(name) || name.startsWith("hugepages-")) needed.set(name, amount);
  return needed;
}

/** With what it costs to run the Pod at all, which is limited only where there is a limit. */
export function podResourcesWithOverhead(spec: JsonObject, part: Part): Amounts {
  const own = podResources(spec, part);
  const overhead = readAmounts(objectAt(spec, "overhead"));
  if (part === "requests") return sumOf([own, overhead]);
  return sumOf([own, new Map([...overhead].filter(([name]) => (own.get(name)?.nanos ?? 0n) !== 0n))]);
}

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
