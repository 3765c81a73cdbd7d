// What one DELETE does to an object, as a real server decides it. Kinds with a grace period (pods) are marked first and
// go later; finalizers hold every kind.
//
//   nothing holds it                → remove
//   finalizers, or a grace period   → keep, marked with when it goes
//   a grace period of no seconds    → pass: it is marked in one revision and removed in the next
//   it goes later anyway            → wait, unless the new grace period is shorter
import { formatTime } from "../../meta/clock.ts";
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { DeleteOptions, RequestContext } from "../definition/request-context.ts";
import type { Strategy } from "../definition/strategy.ts";
import { finalizersForDeletion } from "./delete-options.ts";

export type DeletionStep =
  | { readonly type: "remove" }
  | { readonly type: "wait" }
  | { readonly type: "keep" | "pass"; readonly next: KubeObject };

const SECOND_MS = 1000;

export function deletionStep(
  strategy: Strategy,
  live: Readonly<KubeObject>,
  options: DeleteOptions,
  context: RequestContext,
): DeletionStep {
  const seconds = gracePeriodOf(strategy, live, options);
  if (seconds === "pending") return { type: "wait" };
  const finalizers = finalizersForDeletion(live, options, strategy);
  if (live.metadata.deletionTimestamp === undefined) {
    for (const own of strategy.finalizersOnDelete ?? []) if (!finalizers.includes(own)) finalizers.push(own);
  }
  const held = finalizers.length > 0 || strategy.holdsDeletion?.(live) === true;
  if (!held && seconds === undefined) return { type: "remove" };
  const next: KubeObject = cloneJson(live);
  if (finalizers.length > 0) next.metadata.finalizers = finalizers;
  else delete next.metadata.finalizers;
  markForDeletion(strategy, next, seconds, context);
  return { type: held || (seconds ?? 0) > 0 ? "keep" : "pass", next };
}

/** The seconds that the object has left by this request; undefined: its kind knows no grace, or it is over. */
function gracePeriodOf(
  strategy: Strategy,
  live: Readonly<KubeObject>,
  options: DeleteOptions,
): number | "pending" | undefined {
  if (strategy.gracePeriodSeconds === undefined) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
  // Less than no time is read as the shortest.
  const gracePeriodSeconds = (options.gracePeriodSeconds ?? 0) < 0 ? 1 : options.gracePeriodSeconds;
  if (deletionTimestamp === undefined) return strategy.gracePeriodSeconds(live, gracePeriodSeconds);
  if (deletionGracePeriodSeconds === 0) return undefined;
  const shorter = gracePeriodSeconds !== undefined && gracePeriodSeconds < deletionGracePeriodSeconds;
  return shorter ? gracePeriodSeconds : "pending";
}

function markForDeletion(
  strategy: Strategy,
  next: KubeObject,
  seconds: number | undefined,
  context: RequestContext,
): void {
  const { metadata } = next;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp !== undefined) {
    if (seconds === undefined) return;
    const sooner = (deletionGracePeriodSeconds - seconds) * SECOND_MS;
    metadata.deletionTimestamp = formatTime(Date.parse(deletionTimestamp) - sooner);
    metadata.deletionGracePeriodSeconds = seconds;
    return;
  }
  metadata.deletionTimestamp = formatTime(context.clock.now() + (seconds ?? 0) * SECOND_MS);
  metadata.deletionGracePeriodSeconds = seconds ?? 0;
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation += 1;
  strategy.prepareForDelete?.(next, context);
}
