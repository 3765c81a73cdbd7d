// One webhook call: sends the review and reads the verdict. A failed call is not a denial: failurePolicy applies to
// it.
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import type { JsonObject } from "../../../apimachinery/json/json.ts";
import { encodeJson } from "../../../apimachinery/json/json-encode.ts";
import { badRequest } from "../../../apimachinery/meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { clientError } from "../../registry/webhook.ts";
import { decodeReview } from "../../registry/webhook-answer.ts";
import { postReview } from "../../registry/webhook-post.ts";
import type { AdmissionDeps, ObjectsInView, WriteRequest } from "../request.ts";
import type { ObservedCall } from "./observed-call.ts";
import { type Question, readVerdict, reviewOf, type Verdict } from "./review.ts";
import { ADMISSION_REVIEW } from "./review-types.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook, and its view of the request. */
export interface Call {
  readonly webhook: Webhook;
  readonly view: ResourceView;
  readonly objects: ObjectsInView;
}

/** The call has no usable response. */
export class CallFailure extends Error {
  constructor(webhook: Webhook, why: string) {
    super(`failed calling webhook ${goQuote(webhook.name)}: ${why}`);
  }
}

const HARMLESS = ["None", "NoneOnDryRun"];

/** Rejects with a CallFailure, or with a StatusError when the webhook does not support dry runs. */
export async function callWebhook(
  { webhook, view, objects }: Call,
  request: WriteRequest,
  mutating: boolean,
  observed: ObservedCall,
): Promise<Verdict> {
  const { deps, attributes } = request;
  const { context } = attributes;
  if (context.dryRun && !HARMLESS.includes(webhook.sideEffects))
    throw badRequest(`admission webhook ${goQuote(webhook.name)} does not support dry run`);
  if (webhook.form === undefined) {
    observed.failureCode = 400;
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallFailure(webhook, `could not create admission objects: ${why}`);
  }
  const clientComplaint = clientError(webhook);
  if (clientComplaint !== undefined) {
    observed.failureCode = 500;
    throw new CallFailure(webhook, `could not get REST client: ${clientComplaint}`);
  }
  const about = { form: webhook.form, uid: deps.ids.uid(), mutating, objects };
  const question: Question = { ...about, request: request.describe(view) };
  const review = await send(webhook, question, deps, observed).catch((error: unknown) => {
    throw new CallFailure(webhook, `failed to call webhook: ${messageOf(error)}`);
  });
  try {
    const verdict = readVerdict(review, question);
    observed.warnings = verdict.warnings;
    for (const text of verdict.warnings) context.warn(text);
    return verdict;
  } catch (error) {
    throw new CallFailure(webhook, `received invalid webhook response: ${messageOf(error)}`);
  }
}

async function send(
  webhook: Webhook,
  question: Question,
  deps: AdmissionDeps,
  observed: ObservedCall,
): Promise<JsonObject> {
  const body = encodeJson(reviewOf(question));
  observed.review = body;
  const answer = await postReview(webhook, body, webhook.timeoutSeconds, deps);
  observed.answered(answer.status);
  return await decodeReview(answer, ADMISSION_REVIEW, question.form);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
