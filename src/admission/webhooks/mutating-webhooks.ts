// Mutating webhooks: asked one after the other, each about the object as those before it have left it.
import { decodeJson } from "../../meta/json-decode.ts";
import { internalServerError, StatusError } from "../../meta/status.ts";
import { applyJsonPatch, readJsonPatch } from "../../patch/json-patch.ts";
import type { AdmissionDeps } from "../deps.ts";
import type { WriteRequest } from "../matching/request.ts";
import { replaceObject } from "../mutable-object.ts";
import type { Round } from "../reinvocation.ts";
import { type Asked, CallFailure, callWebhook, matchWebhook } from "./call-webhook.ts";
import { refusalBy } from "./refusal.ts";
import type { Verdict } from "./review.ts";
import type { Webhook } from "./webhook.ts";

/** Rejects with a StatusError when a webhook refuses, or cannot be asked. */
export async function callMutatingWebhooks(
  webhooks: readonly Webhook[],
  request: WriteRequest,
  { deps, round }: { readonly deps: AdmissionDeps; readonly round: Round },
): Promise<void> {
  if (round.again) round.webhooks.resume(request.attributes.object);
  for (const webhook of webhooks) {
    const asked = await matchWebhook(webhook, request, deps);
    if (asked === undefined || (round.again && !round.webhooks.isDue(webhook.key))) continue;
    if (await askOne(asked, request, deps)) {
      round.webhooks.objectChanged();
      round.repeat();
    }
    if (webhook.reinvoked) round.webhooks.remember(webhook.key);
  }
  round.webhooks.finish(request.attributes.object);
}

/** Whether it has changed the object. */
async function askOne(asked: Asked, request: WriteRequest, deps: AdmissionDeps): Promise<boolean> {
  const { webhook } = asked;
  try {
    const verdict = await callWebhook(asked, request, deps, true);
    if (!verdict.allowed) throw refusalBy(webhook, verdict.status);
    return verdict.patch === undefined ? false : await applyPatch(asked, verdict, request);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (webhook.ignoreFailures) return false;
    throw internalServerError(error.message);
  }
}

async function applyPatch({ webhook, view, objects }: Asked, verdict: Verdict, request: WriteRequest) {
  const operations = readOperations(verdict.patch);
  if (operations.length === 0) return false;
  if (objects.object === undefined) {
    const why = "attempted to modify the object, which is not supported for this operation";
    throw internalServerError(`admission webhook ${JSON.stringify(webhook.name)} ${why}`);
  }
  if (verdict.patchType !== "JSONPatch")
    throw new CallFailure(webhook, `unsupported patch type ${JSON.stringify(verdict.patchType)}`);
  const patched = asInternal(() => applyJsonPatch(objects.object ?? {}, operations));
  return replaceObject(request, view, objects.object, patched);
}

function readOperations(patch: unknown) {
  const text = Buffer.from(String(patch), "base64").toString("utf8");
  return asInternal(() => readJsonPatch(decodeJson(Buffer.from(text)).value, [], text).operations);
}

/** What is wrong with a patch is no mistake of the client's. */
function asInternal<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StatusError || error instanceof Error) throw internalServerError(error.message);
    throw error;
  }
}
