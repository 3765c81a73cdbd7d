// Maintains the status of PodDisruptionBudgets: healthy pods, required healthy pods and allowed disruptions. An
// eviction records its pod in the status, so that the pod no longer counts while it terminates.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { InvalidSelectorError } from "../../../apimachinery/meta/label-requirement.ts";
import {
  formatSelectorStruct,
  type LabelSelector,
  readLabelSelector,
} from "../../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import { isReady, type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { ignoring, isGoing, keyOfObject, PODS, resourceIn, subjectOf } from "../../../controller/api.ts";
import type { ResourceName } from "../../../controller/client.ts";
import { Complaint, type Condition, conditionFor, timed } from "../../../controller/conditions.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { Change, Keys, KitWith, Requeue } from "../../../controller/definition.ts";
import { expectedScale } from "./scale.ts";

const BUDGETS: ResourceName = resourceIn("policy", "v1", "poddisruptionbudgets");
/** How long an evicted pod counts as disrupted while its deletion has not begun. */
const DELETION_MS = 120_000;

/**
 * The resources that define the expected number of pods. Both they and the pods are watched lazily: not before a budget
 * exists.
 */
const workloads = (group: string, resource: string) => ({
  resource: resourceIn(group, "v1", resource),
  lazy: true,
  toKeys: () => [],
});

export const disruption = defineController({
  name: "disruption",
  summary: "how many pods of each PodDisruptionBudget may be evicted now",
  fieldManager: "kube-controller-manager",
  events: "controllermanager",
  watches: {
    replicaSets: workloads("apps", "replicasets"),
    deployments: workloads("apps", "deployments"),
    statefulSets: workloads("apps", "statefulsets"),
    replicationControllers: workloads("", "replicationcontrollers"),
    budgets: { resource: BUDGETS, on: ["add", "update"] },
    pods: { resource: PODS, lazy: true, facts: podFacts, toKeys: budgetsOfChange },
  },
  async reconcile(key, kit) {
    if (kit.budgets.get(key) === undefined) return undefined;
    await Promise.all(COUNTED.map((name) => kit.follow(name)));
    const budget = kit.budgets.get(key);
    if (budget === undefined) return undefined;
    try {
      return await keepStatus(budget, kit);
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      await failSafe(budget, error.message, kit);
      return undefined;
    }
  },
});

const COUNTED = ["pods", "replicaSets", "deployments", "statefulSets", "replicationControllers"] as const;
type World = KitWith<"budgets" | (typeof COUNTED)[number]>;

/** The fields of a pod that affect budgets. */
function podFacts(pod: KubeObject): unknown {
  const { labels, ownerReferences, deletionTimestamp } = pod.metadata;
  return [labels, ownerReferences, deletionTimestamp, isReady(pod)];
}

/**
 * A label change can move a pod from one budget to another, so both states are matched. Before the first list of pods
 * nothing is enqueued: each waiting reconcile reads the whole list.
 */
function budgetsOfChange({ object, old }: Change, { budgets, pods }: Pick<World, "budgets" | "pods">): Keys {
  if (!pods.hasSynced) return [];
  const concerned = [object, ...(old ? [old] : [])];
  return [...budgets.list()]
    .filter((budget) => concerned.some((pod) => selects(budget, pod)))
    .map(keyOfObject);
}

/** undefined: it selects nothing. */
const selectorOf = memoize((budget: KubeObject): LabelSelector | undefined => {
  const selector = objectAt(specOf(budget), "selector");
  const read = selector && readLabelSelector(selector);
  return read instanceof InvalidSelectorError ? undefined : read;
});

const selects = (budget: KubeObject, { metadata }: KubeObject): boolean =>
  budget.metadata.namespace === metadata.namespace &&
  selectorOf(budget)?.matches(metadata.labels ?? {}) === true;

async function keepStatus(budget: KubeObject, kit: World): Promise<Requeue | undefined> {
  const pods = [...kit.pods.list()].filter((pod) => selects(budget, pod));
  if (pods.length === 0) tell(kit, budget, "Normal", "NoPods", "No matching pods found");
  const { expectedPods, desiredHealthy } = expectationOf(budget, pods, kit);
  const now = kit.clock.now();
  const { disruptedPods, againAt } = stillGoing(budget, pods, kit);
  const currentHealthy = pods.filter(
    (pod) => !isGoing(pod) && !Object.hasOwn(disruptedPods, pod.metadata.name ?? "") && isReady(pod),
  ).length;
  const spare = currentHealthy - desiredHealthy;
  const disruptionsAllowed = expectedPods > 0 && spare > 0 ? spare : 0;
  const isAny = Object.keys(disruptedPods).length > 0;
  const counts = { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods };
  await write(
    budget,
    { ...counts, ...(isAny ? { disruptedPods } : {}) },
    allowedCondition(disruptionsAllowed),
    kit,
  );
  return againAt === undefined ? undefined : { requeueAfterMs: Math.max(againAt - now, 0) };
}

function tell(
  { recordEvent }: World,
  budget: KubeObject,
  type: "Normal" | "Warning",
  reason: string,
  message: string,
) {
  recordEvent({ subject: subjectOf(budget), type, reason, message }, keyOfObject(budget));
}

interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Throws a Complaint if the expected number of pods is unknown. */
function expectationOf(budget: KubeObject, pods: readonly KubeObject[], kit: World): Expectation {
  const { minAvailable, maxUnavailable } = specOf(budget);
  if (maxUnavailable === undefined && typeof minAvailable !== "string") {
    const isAsked = minAvailable !== undefined;
    return { expectedPods: isAsked ? pods.length : 0, desiredHealthy: Number(minAvailable ?? 0) };
  }
  const expectedPods = wantedPods(budget, pods, kit);
  if (maxUnavailable === undefined)
    return { expectedPods, desiredHealthy: amount(minAvailable, expectedPods) };
  return { expectedPods, desiredHealthy: Math.max(expectedPods - amount(maxUnavailable, expectedPods), 0) };
}

/** Percentages are rounded up. */
const amount = (value: unknown, whole: number): number =>
  typeof value === "string" ? Math.ceil((Number.parseInt(value, 10) * whole) / 100) : Number(value);

function wantedPods(budget: KubeObject, pods: readonly KubeObject[], kit: World): number {
  const { expected, unmanaged } = complaining(kit, budget, () => expectedScale(pods, kit));
  if (unmanaged.length > 0) {
    const selector = formatSelectorStruct(objectAt(specOf(budget), "selector") ?? {});
    const message = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
    tell(kit, budget, "Warning", "UnmanagedPods", message);
  }
  return expected;
}

function complaining<T>(kit: World, budget: KubeObject, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Complaint) {
      const message = `Failed to calculate the number of expected pods: ${error.message}`;
      tell(kit, budget, "Warning", "CalculateExpectedPodCountFailed", message);
    }
    throw error;
  }
}

/** Evicted pods whose deletion has not begun, and the time when the first of them counts again. */
function stillGoing(
  budget: KubeObject,
  pods: readonly KubeObject[],
  { clock, recordEvent }: World,
): { readonly disruptedPods: Record<string, string>; readonly againAt: number | undefined } {
  const noted = objectAt(objectAt(budget, "status"), "disruptedPods") ?? {};
  const disruptedPods: Record<string, string> = {};
  let againAt: number | undefined;
  for (const pod of pods.filter((item) => !isGoing(item))) {
    const { name = "" } = pod.metadata;
    const since = Object.hasOwn(noted, name) ? textAt(noted, name) : "";
    if (since === "") continue;
    const until = Date.parse(since) + DELETION_MS;
    if (until < clock.now()) {
      const { namespace = "" } = budget.metadata;
      // As in kube-controller-manager, the namespace appears also where the name belongs.
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      recordEvent({ subject: subjectOf(pod), type: "Warning", reason: "NotDeleted", message });
      continue;
    }
    disruptedPods[name] = since;
    againAt = Math.min(againAt ?? until, until);
  }
  return { disruptedPods, againAt };
}

const ALLOWED = "DisruptionAllowed";

const allowedCondition = (allowed: number): Condition => {
  const problem = allowed > 0 ? undefined : { reason: "InsufficientPods", message: "" };
  return conditionFor(ALLOWED, problem, { reason: "SufficientPods", message: "" });
};

/** Allows no disruptions while the expected number of pods is unknown. */
function failSafe(budget: KubeObject, message: string, kit: World): Promise<void> {
  const status = { ...objectAt(budget, "status"), disruptionsAllowed: 0 };
  return write(budget, status, { type: ALLOWED, status: "False", reason: "SyncFailed", message }, kit, false);
}

/** Writes only a changed status. A deleted object is ignored. */
async function write(
  budget: KubeObject,
  counts: JsonObject,
  condition: Condition,
  { client, clock }: World,
  isSeen = true,
): Promise<void> {
  const before = objectAt(budget, "status") ?? {};
  const { generation } = budget.metadata;
  const observedGeneration = isSeen ? generation : numberAt(before, "observedGeneration");
  const observed = observedGeneration === undefined ? {} : { observedGeneration };
  const others = objectsAt(before, "conditions").filter((item) => item["type"] !== ALLOWED);
  const said = timed(budget, { ...condition, ...observed }, formatTime(clock.now()));
  const status = { ...counts, ...observed, conditions: [...others, said] };
  if (equalJson(status, before)) return;
  await ignoring([404], client.update(BUDGETS, { ...budget, status }, "status"));
}
