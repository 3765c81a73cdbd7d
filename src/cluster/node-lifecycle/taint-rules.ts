// The taints that follow from the state of a node, and the rate at which failed nodes may be evicted. Pure.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { isReady, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { zoneOf } from "../scheduler/node-info.ts";

const PREFIX = "node.kubernetes.io/";
const NOT_READY = `${PREFIX}not-ready`;
const UNREACHABLE = `${PREFIX}unreachable`;
const UNSCHEDULABLE = `${PREFIX}unschedulable`;
export const OUT_OF_SERVICE = `${PREFIX}out-of-service`;

/** Condition type and status → taint key. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ["Ready False", NOT_READY],
  ["Ready Unknown", UNREACHABLE],
  ["MemoryPressure True", `${PREFIX}memory-pressure`],
  ["DiskPressure True", `${PREFIX}disk-pressure`],
  ["PIDPressure True", `${PREFIX}pid-pressure`],
  ["NetworkUnavailable True", `${PREFIX}network-unavailable`],
]);

/** The taints managed by the node's state; other taints are kept. */
const OURS = new Set([...BY_CONDITION.values(), UNSCHEDULABLE]);

const statesOf = (node: KubeObject): string[] =>
  objectsAt(objectAt(node, "status"), "conditions").map(
    (condition) => `${textAt(condition, "type")} ${textAt(condition, "status")}`,
  );

/** Keys of the NoSchedule taints of the node. */
function closedFor(node: KubeObject): string[] {
  const keys = statesOf(node).flatMap((state) => BY_CONDITION.get(state) ?? []);
  // A node that has not reported its status keeps the taint that it was registered with.
  const begins = !statesOf(node).some((state) => state.startsWith("Ready "));
  return [
    ...keys,
    ...(begins ? [NOT_READY] : []),
    ...(specOf(node)["unschedulable"] === true ? [UNSCHEDULABLE] : []),
  ];
}

/** The key of the NoExecute taint that evicts the node's pods; undefined: none. */
export function emptiedFor(node: KubeObject): string | undefined {
  const state = statesOf(node).find((said) => said.startsWith("Ready "));
  return state === undefined ? undefined : BY_CONDITION.get(state);
}

/** The desired list of all taints; undefined if it is unchanged. `empties` permits the NoExecute taint. */
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

// Many simultaneous failures more likely mean a network partition than dead nodes. The more nodes have failed, the
// slower pods are evicted. If all nodes have failed, none are.

const EMPTIED_PER_MS = 0.1 / 1000;
const SLOW_PER_MS = 0.01 / 1000;
const LARGE_ZONE = 50;
const UNHEALTHY = 0.55;

/** The pause between the evictions of two nodes of the zone; undefined: no node may be evicted. */
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
