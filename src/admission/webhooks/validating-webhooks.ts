// Validating webhooks: asked all at once. The first refusal in their order is the answer.
import { internalServerError } from "../../meta/status.ts";
import type { AdmissionDeps } from "../deps.ts";
import type { WriteRequest } from "../matching/request.ts";
import { type Asked, CallFailure, callWebhook, matchWebhook } from "./call-webhook.ts";
import { refusalBy } from "./refusal.ts";
import type { Webhook } from "./webhook.ts";

/** Rejects with a StatusError when a webhook refuses, or cannot be asked. */
export async function callValidatingWebhooks(
  webhooks: readonly Webhook[],
  request: WriteRequest,
  deps: AdmissionDeps,
): Promise<void> {
  const asked: Asked[] = [];
  for (const webhook of webhooks) {
    const about = await matchWebhook(webhook, request, deps);
    if (about) asked.push(about);
  }
  const outcomes = await Promise.allSettled(asked.map((each) => askOne(each, request, deps)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function askOne(asked: Asked, request: WriteRequest, deps: AdmissionDeps): Promise<void> {
  const { webhook } = asked;
  try {
    const verdict = await callWebhook(asked, request, deps, false);
    if (!verdict.allowed) throw refusalBy(webhook, verdict.status);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (!webhook.ignoreFailures) throw internalServerError(error.message);
  }
}
