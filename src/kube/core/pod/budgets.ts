// PodDisruptionBudgets in evictions: the number of allowed disruptions, which the disruption controller computes.

import { type JsonObject, numberAt, objectAt, textAt } from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { conditionOf, setCondition } from "../../../apimachinery/meta/conditions.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { forbidden, type StatusError, tooManyRequests } from "../../../apimachinery/meta/status.ts";
import { decodeStored } from "../../../apiserver/registry/codec/object-codec.ts";
import type { ActionContext } from "../../../apiserver/registry/definition/resource-definition.ts";
import { ensureObject } from "../../../apiserver/registry/strategy/fields.ts";
import { selectorOrNone } from "../../../apiserver/registry/strategy/label-selectors.ts";

const VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget.";
const CAUSE = "DisruptionBudget";
const RETRY_SECONDS = 10;
/** Maximal number of evicted pods that the controller has not yet confirmed. */
const DISRUPTED_MAX = 2000;

/** Budgets that select a pod. */
export function budgetsOf({ metadata }: Readonly<KubeObject>, { resources }: ActionContext): KubeObject[] {
  const { labels = {}, namespace = "" } = metadata;
  const view = resources.viewOf("policy", "v1", "poddisruptionbudgets");
  if (view === undefined || Object.keys(labels).length === 0) return [];
  return resources
    .allIn(view, namespace)
    .map(decodeStored)
    .filter((budget) => {
      const selector = objectAt(objectAt(budget, "spec"), "selector");
      return selector !== undefined && selectorOrNone(selector)?.matches(labels) === true;
    });
}

/**
 * Decrements the allowed disruptions and records the pod as disrupted. Throws 403 and 429 where the eviction is not
 * allowed.
 */
export async function takeDisruption(
  budget: Readonly<KubeObject>,
  pod: Readonly<KubeObject>,
  context: ActionContext,
): Promise<void> {
  const { resources, clock } = context;
  const view = resources.viewOf("policy", "v1", "poddisruptionbudgets");
  if (view === undefined) return;
  const { namespace = "", name = "" } = budget.metadata;
  await resources.modify({ view, namespace, name }, context, {}, (live) => {
    const why = refusal(live);
    if (why !== undefined) throw why;
    const status = ensureObject(live, "status");
    const now = formatTime(clock.now());
    const left = (numberAt(status, "disruptionsAllowed") ?? 0) - 1;
    status["disruptionsAllowed"] = left;
    if (left === 0) tellNoMore(status, now);
    ensureObject(status, "disruptedPods")[pod.metadata.name ?? ""] = now;
  });
}

function refusal(budget: Readonly<KubeObject>): StatusError | undefined {
  const { name = "", generation = 0 } = budget.metadata;
  const status = objectAt(budget, "status");
  if ((numberAt(status, "observedGeneration") ?? 0) < generation) return stillCounting(name);
  const allowed = numberAt(status, "disruptionsAllowed") ?? 0;
  const because = (why: string): string =>
    `The disruption budget ${name} does not allow evicting pods currently: ${why}`;
  if (allowed < 0) {
    const why = "pdb disruptions allowed is negative";
    return refused(name, why, because(why));
  }
  if (Object.keys(objectAt(status, "disruptedPods") ?? {}).length > DISRUPTED_MAX) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    return refused(name, why, because("too many pending evictions not confirmed by PDB controller"));
  }
  return allowed > 0
    ? undefined
    : tooManyRequests(VIOLATES, 0, [{ reason: CAUSE, message: whyNone(name, status) }]);
}

const refused = (name: string, why: string, cause: string): StatusError =>
  forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, why, [
    { reason: CAUSE, message: cause },
  ]);

/** The controller has not observed the current generation of the budget. */
export const stillCounting = (name: string): StatusError =>
  tooManyRequests(VIOLATES, RETRY_SECONDS, [
    { reason: CAUSE, message: `The disruption budget ${name} is still being processed by the server.` },
  ]);

/** The reason of a failed sync, or that of the insufficient count. */
function whyNone(name: string, status: JsonObject | undefined): string {
  const condition = conditionOf(status, "DisruptionAllowed");
  const [reason, message] = [textAt(condition, "reason"), textAt(condition, "message")];
  const isTold = condition?.["status"] === "False" && message !== "";
  const [wanted, healthy] = [
    numberAt(status, "desiredHealthy") ?? 0,
    numberAt(status, "currentHealthy") ?? 0,
  ];
  const denied = `The disruption budget ${name} does not allow evicting pods currently`;
  if (isTold && reason === "SyncFailed") return `${denied} because it failed sync: ${message}`;
  if (healthy <= wanted) {
    return `The disruption budget ${name} needs ${wanted} healthy pods and has ${healthy} currently`;
  }
  return isTold ? `${denied} (${reason}): ${message}` : denied;
}

function tellNoMore(status: JsonObject, now: string): void {
  const { observedGeneration } = status;
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    reason: "InsufficientPods",
    message: "",
  };
  setCondition(status, condition, now);
}
