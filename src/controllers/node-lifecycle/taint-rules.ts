// Which taints a node is to have because of its state, and how fast nodes that are not ready may be emptied. Pure.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { isReady, type KubeObject, specOf } from "../../meta/object-meta.ts";
import { zoneOf } from "../scheduler/node-info.ts";

const PREFIX = "node.kubernetes.io/";
const NOT_READY = `${PREFIX}not-ready`;
const UNREACHABLE = `${PREFIX}unreachable`;
const UNSCHEDULABLE = `${PREFIX}unschedulable`;
export const OUT_OF_SERVICE = `${PREFIX}out-of-service`;

/** By the condition's type and status. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ["Ready False", NOT_READY],
  ["Ready Unknown", UNREACHABLE],
  ["MemoryPressure True", `${PREFIX}memory-pressure`],
  ["DiskPressure True", `${PREFIX}disk-pressure`],
  ["PIDPressure True", `${PREFIX}pid-pressure`],
  ["NetworkUnavailable True", `${PREFIX}network-unavailable`],
]);

/** These come and go with the node's state; nobody else's are touched. */
const OURS = new Set([...BY_CONDITION.values(), UNSCHEDULABLE]);

const statesOf = (node: KubeObject): string[] =>
  objectsAt(objectAt(node, "status"), "conditions").map(
    (condition) => `${textAt(condition, "type")} ${textAt(condition, "status")}`,
  );

/** Keys of the taints NoSchedule that the node is to have. */
function closedFor(node: KubeObject): string[] {
  const keys = statesOf(node).flatMap((state) => BY_CONDITION.get(state) ?? []);
  // A node that has not said anything yet keeps the taint with which it began.
  const begins = !statesOf(node).some((state) => state.startsWith("Ready "));
  return [
    ...keys,
    ...(begins ? [NOT_READY] : []),
    ...(specOf(node)["unschedulable"] === true ? [UNSCHEDULABLE] : []),
  ];
}

/** The key of the taint NoExecute that empties the node; undefined: it is not to be emptied. */
export function emptiedFor(node: KubeObject): string | undefined {
  const state = statesOf(node).find((said) => said.startsWith("Ready "));
  return state === undefined ? undefined : BY_CONDITION.get(state);
}

/** The list of all taints as it is to be; undefined: it is so. `empties`: the taint NoExecute may be there. */
export function wantedTaints(node: KubeObject, empties: boolean, nowText: string): JsonObject[] | undefined {
  const present = objectsAt(specOf(node), "taints");
  const emptied = empties ? emptiedFor(node) : undefined;
  const wanted = [
    ...closedFor(node).map((key) => ({ key, effect: "NoSchedule" })),
    ...(emptied === undefined ? [] : [{ key: emptied, effect: "NoExecute" }]),
  ];
  const isIn = (list: readonly JsonObject[], taint: JsonObject): boolean =>
    list.some(({ key, effect }) => key === taint["key"] && effect === taint["effect"]);
  const isOurs = ({ key, effect }: JsonObject): boolean =>
    effect === "NoExecute"
      ? key === NOT_READY || key === UNREACHABLE
      : effect === "NoSchedule" && OURS.has(String(key));
  const kept = present.filter((taint) => !isOurs(taint) || isIn(wanted, taint));
  const missing = wanted.filter((taint) => !isIn(present, taint));
  if (missing.length === 0 && kept.length === present.length) return undefined;
  return [...kept, ...missing.map((taint) => ({ ...taint, timeAdded: nowText }))];
}

export const isEmptied = (node: KubeObject): boolean =>
  objectsAt(specOf(node), "taints").some(
    ({ key, effect }) => effect === "NoExecute" && key === emptiedFor(node),
  );

// A cluster in which much has failed at once is more likely cut off than dead: the more has failed, the slower its pods are
// moved away, and not at all when nobody answers.

const EMPTIED_PER_MS = 0.1 / 1000;
const SLOW_PER_MS = 0.01 / 1000;
const LARGE_ZONE = 50;
const UNHEALTHY = 0.55;

/** How long after one node of the zone the next may be emptied; undefined: none may be. */
export function pauseInZone(nodes: Iterable<KubeObject>, zone: string): number | undefined {
  const zones = new Map<string, { ready: number; all: number }>();
  for (const node of nodes) {
    const name = zoneOf(node.metadata.labels ?? {});
    const counts = zones.get(name) ?? { ready: 0, all: 0 };
    counts.all++;
    if (isReady(node)) counts.ready++;
    zones.set(name, counts);
  }
  if ([...zones.values()].every(({ ready }) => ready === 0)) return undefined;
  const { ready = 0, all = 0 } = zones.get(zone) ?? {};
  const failed = all - ready;
  const isPartly = ready > 0 && failed > 2 && failed / all >= UNHEALTHY;
  if (!isPartly) return 1 / EMPTIED_PER_MS;
  return all > LARGE_ZONE ? 1 / SLOW_PER_MS : undefined;
}
