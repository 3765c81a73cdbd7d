// Asks webhooks about a write. Three things can come of a question: a verdict, a refusal by the server itself, and a
// failure to get an answer, which the webhook's failurePolicy may pass over.
import { describeNetworkError, describeStatus } from "../../go/client-errors.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { decodeJsonInTurns } from "../../meta/json-decode.ts";
import { encodeJson } from "../../meta/json-encode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest, forbidden, internalServerError } from "../../meta/status.ts";
import { pauseForOthers } from "../../meta/turns.ts";
import { applyJsonPatchInTurns, readJsonPatch } from "../../patch/json-patch.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import {
  clientError,
  destinationOf,
  readTarget,
  shownUrl,
  type WebhookService,
  type WebhookTarget,
} from "../../registry/webhook.ts";
import { checkConditions, compileMatchConditions, type MatchConditions } from "../expressions/activation.ts";
import { type Matching, matchRequest, readWebhookMatching } from "../matching.ts";
import { type Round, replaceObject } from "../mutators.ts";
import type { AdmissionDeps, ObjectsInView, WriteRequest } from "../request.ts";
import { patchComplaint, type Question, readVerdict, refusalBy, reviewOf, type Verdict } from "./review.ts";

/** Asked one after the other, each about the object as those before it have left it. Rejects with a StatusError. */
export async function callMutatingWebhooks(
  webhooks: readonly Webhook[],
  request: WriteRequest,
  round: Round,
): Promise<void> {
  if (round.again) round.webhooks.resume(request.attributes.object);
  for (const webhook of webhooks) {
    const asked = await matchWebhook(webhook, request);
    if (asked === undefined || (round.again && !round.webhooks.isDue(webhook.key))) continue;
    if (await askOne(asked, request, true)) {
      round.webhooks.objectChanged();
      round.repeat();
    }
    if (webhook.reinvoked) round.webhooks.remember(webhook.key);
  }
  round.webhooks.finish(request.attributes.object);
}

/** Asked all at once. The first refusal in their order is the answer: a StatusError. */
export async function callValidatingWebhooks(
  webhooks: readonly Webhook[],
  request: WriteRequest,
): Promise<void> {
  const asked: Asked[] = [];
  for (const webhook of webhooks) {
    const about = await matchWebhook(webhook, request);
    if (about) asked.push(about);
  }
  const outcomes = await Promise.allSettled(asked.map((each) => askOne(each, request, false)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** What a webhook sees of the request. */
interface Asked {
  readonly webhook: Webhook;
  readonly view: ResourceView;
  readonly objects: ObjectsInView;
}

/** undefined when the webhook is not asked. Throws a StatusError. */
async function matchWebhook(webhook: Webhook, request: WriteRequest): Promise<Asked | undefined> {
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

/** There is no answer, or none that can be used. */
class CallFailure extends Error {
  constructor(webhook: Webhook, why: string) {
    super(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
  }
}

/** Whether it has changed the object. Rejects with a StatusError when it refuses, or cannot be asked. */
async function askOne(asked: Asked, request: WriteRequest, mutating: boolean): Promise<boolean> {
  const { webhook } = asked;
  try {
    const verdict = await callWebhook(asked, request, mutating);
    if (!verdict.allowed) throw refusalBy(webhook, verdict.status);
    return verdict.patch === undefined ? false : await applyPatch(asked, verdict, request);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (webhook.ignoreFailures) return false;
    throw internalServerError(error.message);
  }
}

const HARMLESS = ["None", "NoneOnDryRun"];

/** Rejects with a CallFailure, or with a StatusError when the webhook must not be asked in a dry run. */
async function callWebhook(
  { webhook, view, objects }: Asked,
  request: WriteRequest,
  mutating: boolean,
): Promise<Verdict> {
  const { deps, attributes } = request;
  const { context } = attributes;
  if (context.dryRun && !HARMLESS.includes(webhook.sideEffects))
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  if (webhook.form === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallFailure(webhook, `could not create admission objects: ${why}`);
  }
  const clientComplaint = clientError(webhook);
  if (clientComplaint !== undefined)
    throw new CallFailure(webhook, `could not get REST client: ${clientComplaint}`);
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
  const { timeoutSeconds } = webhook;
  const posted = async () => {
    const to = destinationOf(webhook, timeoutSeconds, (service) => hostBehind(service, deps));
    return deps.post({ ...to, body, timeoutMs: timeoutSeconds * 1000 });
  };
  const answer = await posted().catch((error: unknown) => {
    const url = JSON.stringify(shownUrl(webhook, timeoutSeconds));
    throw new Error(`Post ${url}: ${describeNetworkError(error)}`);
  });
  const { status, contentType, body: text } = answer;
  if (status < 200 || status > 206) throw new Error(describeStatus(status, contentType, text));
  const decoded = await decodeAnswer(text);
  const complaint = patchComplaint(decoded);
  if (complaint !== undefined) throw new Error(complaint);
  return decoded;
}

/** Answers can be long, and others are served meanwhile. */
async function decodeAnswer(text: Buffer): Promise<unknown> {
  try {
    return (await decodeJsonInTurns(text)).value;
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A patch can be as large as an object: each part of the work is a turn of its own where it takes long. */
async function applyPatch({ webhook, view, objects }: Asked, verdict: Verdict, request: WriteRequest) {
  await pauseForOthers();
  const operations = await readOperations(webhook, verdict.patch);
  await pauseForOthers();
  if (operations.length === 0) return false;
  if (objects.object === undefined) {
    const why = "attempted to modify the object, which is not supported for this operation";
    throw internalServerError(`admission webhook ${JSON.stringify(webhook.name)} ${why}`);
  }
  if (verdict.patchType !== "JSONPatch")
    throw new CallFailure(webhook, `unsupported patch type ${JSON.stringify(verdict.patchType)}`);
  const patched = await asInternal(applyJsonPatchInTurns(objects.object ?? {}, operations));
  await pauseForOthers();
  return replaceObject(request, view, objects.object, patched);
}

async function readOperations(webhook: Webhook, patch: unknown) {
  const text = Buffer.from(String(patch), "base64").toString("utf8");
  try {
    return readJsonPatch((await decodeJsonInTurns(Buffer.from(text))).value, [], text).operations;
  } catch (error) {
    throw new CallFailure(webhook, `received undecodable patch in webhook response: ${messageOf(error)}`);
  }
}

/** A patch that does not apply is no mistake of the client's. */
async function asInternal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw internalServerError(messageOf(error));
  }
}

// Webhooks in the form in which they are asked, and where they are. One behind a Service can be reached only when the
// Service stands for a name outside of the cluster: there is no network of a cluster here.

const TIMEOUT_SECONDS = 10;
const FORMS = ["v1", "v1beta1"];

export interface Webhook extends WebhookTarget {
  readonly name: string;
  /** Tells it from all others. */
  readonly key: string;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
  readonly timeoutSeconds: number;
  /** Failures to ask it are passed over. */
  readonly ignoreFailures: boolean;
  readonly sideEffects: string;
  /** The form of reviews that both sides speak; undefined: there is none. */
  readonly form: string | undefined;
  readonly reinvoked: boolean;
}

export function readWebhooks(configuration: Readonly<KubeObject>): Webhook[] {
  const { name = "" } = configuration.metadata;
  return objectsAt(configuration, "webhooks").map((webhook, index) =>
    readWebhook(webhook, `${name}/${index}`),
  );
}

function readWebhook(webhook: JsonObject, key: string): Webhook {
  return {
    ...readTarget(objectAt(webhook, "clientConfig") ?? {}),
    name: textAt(webhook, "name"),
    key,
    matching: readWebhookMatching(webhook),
    conditions: compileMatchConditions(webhook, { params: false }),
    timeoutSeconds: numberAt(webhook, "timeoutSeconds") ?? TIMEOUT_SECONDS,
    ignoreFailures: webhook["failurePolicy"] === "Ignore",
    sideEffects: textAt(webhook, "sideEffects"),
    form: textsAt(webhook, "admissionReviewVersions").find((version) => FORMS.includes(version)),
    reinvoked: webhook["reinvocationPolicy"] === "IfNeeded",
  };
}

/** The address of a Service that stands for a name outside. Throws an Error that says why there is no way to it. */
export function hostBehind({ namespace, name }: WebhookService, { store }: AdmissionDeps): string {
  const kv = store.get(`/registry/services/specs/${namespace}/${name}`);
  if (kv === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const spec = objectAt(decodeStored(kv), "spec");
  const host = textAt(spec, "externalName");
  if (spec?.["type"] === "ExternalName" && host !== "") return host;
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}
