// Eviction: deletes a pod unless a PodDisruptionBudget prevents it. A pod that is pending or has terminated is always
// evicted.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { formatTime } from "../../../apimachinery/meta/clock.ts";
import { setCondition } from "../../../apimachinery/meta/conditions.ts";
import { isReady, type KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  badRequest,
  plainError,
  type Status,
  StatusError,
  success,
} from "../../../apimachinery/meta/status.ts";
import { decodeStored } from "../../../apiserver/registry/codec/object-codec.ts";
import type { DeleteOptions } from "../../../apiserver/registry/definition/request-context.ts";
import {
  type ActionContext,
  actionSubresource,
  type ObjectAddress,
} from "../../../apiserver/registry/definition/resource-definition.ts";
import { builtIn } from "../../../apiserver/registry/strategy/define.ts";
import { ensureObject } from "../../../apiserver/registry/strategy/fields.ts";
import { checkPreconditions, validateDeleteOptions } from "../../../apiserver/registry/write/delete.ts";
import { budgetsOf, stillCounting, takeDisruption } from "./budgets.ts";

const evictions = builtIn("policy/v1", "Eviction", {
  verbs: ["create"],
});

export const EVICTION_SUBRESOURCE = actionSubresource("eviction", {
  posted: evictions,
  acceptsVersions: ["policy/v1beta1"],
  check: checkEviction,
  run: evict,
});

const TWO_BUDGETS =
  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const TRIES_MAX = 20;

/**
 * A dry run of the request sets dryRun in the Eviction's deleteOptions, if there are any; another value there is
 * rejected.
 */
function checkEviction(eviction: KubeObject, target: ObjectAddress, context: ActionContext): void {
  if (eviction.metadata.name !== target.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const asked = objectAt(eviction, "deleteOptions");
  const dryRun = textsAt(asked, "dryRun");
  if (!context.dryRun || asked === undefined) return;
  if (dryRun.length === 0) asked["dryRun"] = ["All"];
  else if (!equalJson(dryRun, ["All"]))
    throw plainError(`Non-matching dry-run options in request and content: [All] and [${dryRun.join(" ")}]`);
}

async function evict(eviction: KubeObject, target: ObjectAddress, context: ActionContext): Promise<Status> {
  const asked = objectAt(eviction, "deleteOptions") ?? {};
  const dryRun = textsAt(asked, "dryRun");
  const options = { ...readOptions(asked), dryRun };
  validateDeleteOptions(options);
  const within = { ...context, dryRun: context.dryRun || dryRun.length > 0 };
  return evictOnce({ target, options, context: within });
}

interface Wish {
  readonly target: ObjectAddress;
  readonly options: DeleteOptions;
  readonly context: ActionContext;
}

/** Retries when the pod has changed, unless the client's preconditions have a resourceVersion. */
async function evictOnce(wish: Wish): Promise<Status> {
  for (let tries = 1; ; tries++) {
    const pod = decodeStored(wish.context.resources.get(wish.target));
    if (!needsNoBudget(pod)) return evictByBudget(wish, pod);
    try {
      return await remove(hasEnded(pod) ? wish : pinned(wish, pod));
    } catch (error) {
      if (!isConflict(error) || isPinned(wish) || tries >= TRIES_MAX) throw error;
    }
  }
}

/**
 * With several budgets the error is returned as a Status, not thrown: its code is in the body only, not in the HTTP
 * status.
 */
async function evictByBudget(wish: Wish, pod: Readonly<KubeObject>): Promise<Status> {
  const [budget, ...others] = budgetsOf(pod, wish.context);
  if (budget === undefined) return remove(wish);
  if (others.length > 0) return plainError(TWO_BUDGETS).status;
  if (isReady(pod) || !mayGoUnready(budget)) {
    await takeDisruption(budget, pod, wish.context);
    return remove(wish);
  }
  try {
    return await remove(pinned(wish, pod));
  } catch (error) {
    throw isConflict(error) && !isPinned(wish) ? stillCounting(budget.metadata.name ?? "") : error;
  }
}

const isConflict = (error: unknown): boolean => error instanceof StatusError && error.reason === "Conflict";

const isPinned = ({ options }: Wish): boolean => options.preconditions?.resourceVersion !== undefined;

/** Adds the pod's resourceVersion as a precondition. */
function pinned(wish: Wish, { metadata: { resourceVersion } }: Readonly<KubeObject>): Wish {
  if (isPinned(wish) || resourceVersion === undefined) return wish;
  const preconditions = { ...wish.options.preconditions, resourceVersion };
  return { ...wish, options: { ...wish.options, preconditions } };
}

/** Sets the DisruptionTarget condition, then deletes the pod. */
async function remove({ target, options, context }: Wish): Promise<Status> {
  const { resources, clock, dryRun } = context;
  const now = formatTime(clock.now());
  await resources.modify(target, context, {}, (pod) => {
    checkPreconditions(target.view.definition, pod, options.preconditions);
    markDisrupted(pod, now);
  });
  const { preconditions } = options;
  const isMeant = preconditions?.resourceVersion !== undefined && !dryRun;
  const resourceVersion = decodeStored(resources.get(target)).metadata.resourceVersion ?? "";
  const meant = isMeant ? { ...preconditions, resourceVersion } : preconditions;
  const wanted = { ...options, ...(meant ? { preconditions: meant } : {}) };
  await resources.deleteAdmitted(target, wanted, context);
  return success(201);
}

function markDisrupted(pod: KubeObject, now: string): void {
  const condition = {
    type: "DisruptionTarget",
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    status: "True",
    lastProbeTime: null,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  setCondition(ensureObject(pod, "status"), condition, now);
}

const phaseOf = (pod: Readonly<KubeObject>): string => textAt(objectAt(pod, "status"), "phase");

const hasEnded = (pod: Readonly<KubeObject>): boolean =>
  ["Succeeded", "Failed"].includes(phaseOf(pod)) || pod.metadata.deletionTimestamp !== undefined;

const needsNoBudget = (pod: Readonly<KubeObject>): boolean => hasEnded(pod) || phaseOf(pod) === "Pending";

/** An unready pod can be evicted if the budget says AlwaysAllow, or if enough other pods are healthy. */
function mayGoUnready(budget: Readonly<KubeObject>): boolean {
  if (objectAt(budget, "spec")?.["unhealthyPodEvictionPolicy"] === "AlwaysAllow") return true;
  const status = objectAt(budget, "status");
  const desired = numberAt(status, "desiredHealthy") ?? 0;
  return desired > 0 && (numberAt(status, "currentHealthy") ?? 0) >= desired;
}

function readOptions(asked: JsonObject): DeleteOptions {
  const seconds = numberAt(asked, "gracePeriodSeconds");
  const orphan = asked["orphanDependents"];
  const policy = textAt(asked, "propagationPolicy");
  const preconditions = objectAt(asked, "preconditions");
  const uid = textAt(preconditions, "uid");
  const resourceVersion = textAt(preconditions, "resourceVersion");
  return {
    ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }),
    ...(typeof orphan === "boolean" ? { orphanDependents: orphan } : {}),
    ...(policy === "" ? {} : { propagationPolicy: policy }),
    preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) },
  };
}
