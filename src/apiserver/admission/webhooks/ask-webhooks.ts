// Calls the webhooks that match a write. A call results in a verdict, a rejection by the server itself, or a
// failure, which failurePolicy Ignore skips.
import { forbidden, internalServerError } from "../../../apimachinery/meta/status.ts";
import { checkConditions } from "../expressions/activation.ts";
import { matchRequest } from "../matching.ts";
import type { Round } from "../mutators.ts";
import type { WriteRequest } from "../request.ts";
import { applyPatch } from "./apply-patch.ts";
import { type Call, CallFailure, callWebhook } from "./call-webhook.ts";
import { type CallManner, ObservedCall } from "./observed-call.ts";
import { refusalBy } from "./review.ts";
import type { Webhook } from "./webhook.ts";

/** Calls webhooks one after the other, each with the object as changed by earlier ones. Rejects with a StatusError. */
export async function callMutatingWebhooks(
  webhooks: readonly Webhook[],
  request: WriteRequest,
  round: Round,
): Promise<void> {
  if (round.again) round.webhooks.resume(request.attributes.object);
  for (const webhook of webhooks) {
    const call = await matchWebhook(webhook, request);
    if (call === undefined || (round.again && !round.webhooks.isDue(webhook.key))) continue;
    if (await askOne(call, request, { mutating: true, reinvoked: round.again })) {
      round.webhooks.objectChanged();
      round.repeat();
    }
    if (webhook.reinvoked) round.webhooks.remember(webhook.key);
  }
  round.webhooks.finish(request.attributes.object);
}

/** Calls webhooks concurrently. Rejects with the first denial in their order, a StatusError. */
export async function callValidatingWebhooks(
  webhooks: readonly Webhook[],
  request: WriteRequest,
): Promise<void> {
  const calls: Call[] = [];
  for (const webhook of webhooks) {
    const call = await matchWebhook(webhook, request);
    if (call) calls.push(call);
  }
  const how = { mutating: false, reinvoked: false };
  const outcomes = await Promise.allSettled(calls.map((call) => askOne(call, request, how)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** undefined when the webhook is not called. Throws a StatusError. */
async function matchWebhook(webhook: Webhook, request: WriteRequest): Promise<Call | undefined> {
  const view = matchRequest(webhook.matching, request);
  if (view === undefined) return undefined;
  const objects = await request.objectsIn(view);
  if (webhook.conditions.expressions.length > 0) {
    const input = request.inputFor({ view, objects, params: undefined });
    const match = checkConditions(webhook.conditions, input);
    if ("error" in match) {
      const { name, view: own } = request.attributes;
      throw forbidden(own.definition, name, match.error);
    }
    if (!match.matches) return undefined;
  }
  return { webhook, view, objects };
}

/**
 * Returns whether the object has changed. Rejects with a StatusError when the webhook denies the request, or the
 * call fails.
 */
async function askOne(call: Call, request: WriteRequest, how: CallManner): Promise<boolean> {
  const { webhook, view } = call;
  const observed = new ObservedCall(webhook, request, view, how);
  try {
    const verdict = await callWebhook(call, request, how.mutating, observed);
    if (!verdict.allowed) throw observed.deniedBy(refusalBy(webhook, verdict.status));
    const changed = verdict.patch === undefined ? false : await applyPatch(call, verdict, request, observed);
    observed.allowed();
    return changed;
  } catch (error) {
    if (!(error instanceof CallFailure)) {
      observed.rejected(error);
      throw error;
    }
    observed.failed(error, webhook.ignoreFailures);
    if (webhook.ignoreFailures) return false;
    throw internalServerError(error.message);
  }
}
