// One question to one webhook. Three things can come of it: a verdict, a refusal by the server itself, and a failure to
// get an answer, which the webhook's failurePolicy may pass over.

import { describeNetworkError, describeStatus } from "../../go/client-errors.ts";
import type { JsonObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import { badRequest, forbidden } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { AdmissionDeps } from "../deps.ts";
import { checkConditions } from "../expressions/match-conditions.ts";
import { matchRequest } from "../matching/matching.ts";
import type { ObjectsInView, WriteRequest } from "../matching/request.ts";
import { expressionInput } from "../policies/input.ts";
import { destinationOf, shownUrl } from "./destination.ts";
import { type Question, readVerdict, reviewOf, type Verdict } from "./review.ts";
import type { Webhook } from "./webhook.ts";

const HARMLESS = ["None", "NoneOnDryRun"];

/** There is no answer, or none that can be used. */
export class CallFailure extends Error {
  constructor(webhook: Webhook, why: string) {
    super(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
  }
}

/** What the webhook sees of the request; undefined when it is not asked. Throws a StatusError. */
export interface Asked {
  readonly webhook: Webhook;
  readonly view: ResourceView;
  readonly objects: ObjectsInView;
}

export async function matchWebhook(
  webhook: Webhook,
  request: WriteRequest,
  deps: AdmissionDeps,
): Promise<Asked | undefined> {
  const view = matchRequest(webhook.matching, request);
  if (view === undefined) return undefined;
  const objects = await request.objectsIn(view);
  if (webhook.conditions.expressions.length > 0) {
    const input = expressionInput(request, { view, objects, params: undefined }, deps);
    const match = checkConditions(webhook.conditions, input);
    if ("error" in match) {
      const { name, view: own } = request.attributes;
      throw forbidden(own.definition, name, match.error);
    }
    if (!match.matches) return undefined;
  }
  return { webhook, view, objects };
}

/** Rejects with a CallFailure, or with a StatusError when the webhook must not be asked in a dry run. */
export async function callWebhook(
  { webhook, view, objects }: Asked,
  request: WriteRequest,
  deps: AdmissionDeps,
  mutating: boolean,
): Promise<Verdict> {
  const { context } = request.attributes;
  if (context.dryRun && !HARMLESS.includes(webhook.sideEffects))
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  if (webhook.form === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallFailure(webhook, `could not create admission objects: ${why}`);
  }
  const uid = deps.ids.uid();
  const about = { form: webhook.form, uid, mutating, objects };
  const question: Question = { ...about, request: request.describe(view) };
  const answer = await send(webhook, reviewOf(question), deps).catch((error: unknown) => {
    throw new CallFailure(webhook, `failed to call webhook: ${messageOf(error)}`);
  });
  try {
    const verdict = readVerdict(answer, question);
    for (const text of verdict.warnings) context.warn(text);
    return verdict;
  } catch (error) {
    throw new CallFailure(webhook, `received invalid webhook response: ${messageOf(error)}`);
  }
}

async function send(webhook: Webhook, review: JsonObject, deps: AdmissionDeps): Promise<unknown> {
  const body = encodeJson(review);
  const timeoutMs = webhook.timeoutSeconds * 1000;
  const posted = async () => deps.post({ ...destinationOf(webhook, deps), body, timeoutMs });
  const answer = await posted().catch((error: unknown) => {
    throw new Error(`Post ${JSON.stringify(shownUrl(webhook))}: ${describeNetworkError(error)}`);
  });
  const { status, contentType, body: text } = answer;
  if (status < 200 || status > 206) throw new Error(describeStatus(status, contentType, text));
  try {
    return decodeJson(text).value;
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
