// A kind whose versions a webhook converts. It is asked with all objects at once, and its answer is taken only if it has
// the same objects in the version that was wanted.

import { describeNetworkError, describeStatus } from "../go/client-errors.ts";
import { goTypeOf } from "../go/format.ts";
import { describeFieldError, type FieldError, invalid } from "../meta/field-error.ts";
import type { Ids } from "../meta/ids.ts";
import {
  cloneJson,
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../meta/json.ts";
import { decodeJsonInTurns } from "../meta/json-decode.ts";
import { encodeJson } from "../meta/json-encode.ts";
import { isQualifiedName, validateLabels } from "../meta/names.ts";
import type { KubeObject, ObjectMeta } from "../meta/object-meta.ts";
import { plainError } from "../meta/status.ts";
import { pauseForOthers } from "../meta/turns.ts";
import type { ObjectConverter } from "../registry/definition/resource-definition.ts";
import {
  DEADLINE_EXCEEDED,
  destinationOf,
  type PostWebhook,
  readTarget,
  shownUrl,
  type WebhookAnswer,
  type WebhookTarget,
} from "../registry/webhook.ts";
import { resolveService } from "../registry/webhook-service.ts";
import type { Store } from "../storage/store.ts";

export interface WebhookConverterDeps {
  readonly ids: Ids;
  readonly call: CallWebhook;
}

/** The converter that a CRD names; undefined when its versions differ in their apiVersion only. */
export function webhookConverter(
  crd: Readonly<JsonObject>,
  deps: WebhookConverterDeps,
): ObjectConverter | undefined {
  const conversion = objectAt(objectAt(crd, "spec"), "conversion");
  const webhook = objectAt(conversion, "webhook");
  if (conversion?.["strategy"] !== "Webhook" || webhook === undefined) return undefined;
  const target = readTarget(objectAt(webhook, "clientConfig") ?? {});
  const form = reviewForm(textsAt(webhook, "conversionReviewVersions"));
  return {
    convert: (objects, apiVersion) => convert(objects, apiVersion, { ...deps, target, form }),
  };
}

interface Conversion extends WebhookConverterDeps {
  readonly target: WebhookTarget;
  readonly form: string | undefined;
}

async function convert(
  objects: readonly Readonly<KubeObject>[],
  apiVersion: string,
  { ids, call, target, form }: Conversion,
): Promise<KubeObject[]> {
  const [first] = objects;
  if (first === undefined) return [];
  const subject = `conversion webhook for ${first.apiVersion}, Kind=${first.kind}`;
  if (form === undefined) throw plainError("no supported conversion review versions");
  const question: Question = { form, uid: ids.uid(), apiVersion, objects: objects.map(withoutRevision) };
  let converted: unknown[];
  try {
    converted = readAnswer(await call(target, await encodeQuestion(question)), question);
  } catch (error) {
    throw plainError(`${subject} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (converted.length !== objects.length) {
    throw plainError(`${subject} returned ${converted.length} objects, expected ${objects.length}`);
  }
  const accepted: KubeObject[] = [];
  for (const [index, original] of objects.entries()) {
    accepted.push(accept(original, converted[index], { apiVersion, subject, index }));
    const pause = pauseForOthers();
    if (pause) await pause;
  }
  return accepted;
}

/** A webhook sees objects as they are stored, where the revision stands beside them. */
function withoutRevision(object: Readonly<KubeObject>): Readonly<KubeObject> {
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function accept(
  original: Readonly<KubeObject>,
  converted: unknown,
  { apiVersion, subject, index }: { apiVersion: string; subject: string; index: number },
): KubeObject {
  if (!isObject(converted)) throw plainError(`${subject} returned invalid object at index ${index}`);
  const invalid = (why: string) => plainError(`${subject} returned invalid object at index ${index}: ${why}`);
  const shown = textAt(converted, "apiVersion");
  if (shown !== apiVersion) throw invalid(`invalid groupVersion (expected ${apiVersion}, received ${shown})`);
  const kind = textAt(converted, "kind");
  if (kind !== original.kind) throw invalid(`invalid kind (expected ${original.kind}, received ${kind})`);
  const orRefuse = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ReviewError)) throw error;
      throw plainError(`${subject} returned invalid ${what}: ${error.message}`);
    }
  };
  orRefuse("object", () => checkSameObject(original, converted));
  return orRefuse("metadata", () => restoreMetadata(original, converted));
}

// The question to a conversion webhook and its answer (apiextensions.k8s.io ConversionReview), in the forms v1 and
// v1beta1. What is wrong with an answer is told in the words of a real server. Of metadata a webhook has its say about
// labels and annotations only.

const GROUP = "apiextensions.k8s.io";
const KIND = "ConversionReview";
const FORMS = ["v1", "v1beta1"];

/** The first form that both sides speak. */
export const reviewForm = (wanted: readonly string[]): string | undefined =>
  wanted.find((version) => FORMS.includes(version));

export interface Question {
  readonly form: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly objects: readonly unknown[];
}

export const askFor = ({ form, uid, apiVersion, objects }: Question): JsonObject => ({
  kind: KIND,
  apiVersion: `${GROUP}/${form}`,
  request: { uid, desiredAPIVersion: apiVersion, objects },
  response: { uid: "", convertedObjects: null, result: { metadata: {} } },
});

/** As JSON. Of a long list each object is a step of its own, between which others are served. */
async function encodeQuestion(question: Question): Promise<string> {
  const objects: string[] = [];
  for (const object of question.objects) {
    objects.push(encodeJson(object));
    const pause = pauseForOthers();
    if (pause) await pause;
  }
  const around = encodeJson(askFor({ ...question, objects: [] }));
  const at = around.indexOf(NO_OBJECTS) + NO_OBJECTS.length - 1;
  return `${around.slice(0, at)}${objects.join(",")}${around.slice(at)}`;
}

const NO_OBJECTS = '"objects":[]';

/** Why an answer is none. */
export class ReviewError extends Error {}

/** The converted objects of an answer. Throws ReviewError. */
export function readAnswer(answer: unknown, { form, uid }: Question): unknown[] {
  if (!isObject(answer)) throw new ReviewError("couldn't get version/kind; json parse error");
  if (form === "v1") {
    const said = `${textAt(answer, "apiVersion")}, Kind=${textAt(answer, "kind")}`;
    const expected = `${GROUP}/v1, Kind=${KIND}`;
    if (said !== expected) throw new ReviewError(`expected webhook response of ${expected}, got ${said}`);
  }
  const response = objectAt(answer, "response");
  if (response === undefined) throw new ReviewError("no response provided");
  const given = textAt(response, "uid");
  if (form === "v1" && given !== uid) {
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  }
  const result = objectAt(response, "result");
  const status = textAt(result, "status");
  if (status !== "Success") {
    const unexplained = `response.result.status was '${status}', not 'Success'`;
    throw new ReviewError(textAt(result, "message") || unexplained);
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

/** The converted object with the metadata of the original. Throws ReviewError. */
export function restoreMetadata(original: Readonly<KubeObject>, converted: JsonObject): KubeObject {
  const given = converted["metadata"];
  if (given === undefined) throw new ReviewError("missing metadata in converted object");
  if (!isObject(given))
    throw new ReviewError(`invalid metadata of type ${goTypeOf(given)} in converted object`);
  const metadata: ObjectMeta = cloneJson(original.metadata);
  for (const member of ["labels", "annotations"] as const) {
    const texts = readTexts(given[member], member);
    if (texts === undefined) delete metadata[member];
    else {
      if (!equalJson(texts, metadata[member])) check(texts, member);
      metadata[member] = texts;
    }
  }
  return { ...converted, metadata };
}

const IDENTITY = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["UID", "uid"],
] as const;

/** Throws ReviewError when the converted object is another one. */
export function checkSameObject(original: Readonly<KubeObject>, converted: JsonObject): void {
  for (const [what, member] of IDENTITY) {
    const expected = original.metadata[member] ?? "";
    const found = textAt(objectAt(converted, "metadata"), member);
    if (expected !== found) throw new ReviewError(`must have the same ${what}: ${expected} != ${found}`);
  }
}

function readTexts(value: unknown, member: string): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value))
    throw new ReviewError(`invalid metadata.${member} of type ${goTypeOf(value)} in converted object`);
  const texts: Record<string, string> = {};
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== "string") {
      const why = `must be a string, but is ${goTypeOf(text)} in converted object`;
      throw new ReviewError(`metadata.${member}[${key}] ${why}`);
    }
    texts[key] = text;
  }
  return texts;
}

function check(texts: Record<string, string>, member: "labels" | "annotations"): void {
  const errors = member === "labels" ? validateLabels(texts, "metadata.labels") : annotationErrors(texts);
  if (errors.length === 0) return;
  const shown = errors.map(describeFieldError).join(", ");
  throw new ReviewError(errors.length === 1 ? shown : `[${shown}]`);
}

const annotationErrors = (texts: Record<string, string>): FieldError[] =>
  Object.keys(texts).flatMap((key) =>
    isQualifiedName(key.toLowerCase()).map((text) => invalid("metadata.annotation", key, text)),
  );

// POST to a conversion webhook, over TLS only. Failures read as those of the Go client that a real server has, since
// people search for these texts.

const TIMEOUT_SECONDS = 30;

/** Sends a text of JSON and returns the decoded answer. Rejects with an Error that names the failure. */
export type CallWebhook = (target: WebhookTarget, body: string) => Promise<unknown>;

export function webhookCaller(post: PostWebhook, store: Store): CallWebhook {
  return async (target, body) => {
    let answer: WebhookAnswer;
    try {
      const to = destinationOf(target, TIMEOUT_SECONDS, (service) => resolveService(service, store));
      answer = await post({ ...to, body, timeoutMs: TIMEOUT_SECONDS * 1000 });
      if (answer.status >= 200 && answer.status <= 206) return (await decodeJsonInTurns(answer.body)).value;
    } catch (error) {
      const text = describeNetworkError(error);
      const more = text === DEADLINE_EXCEEDED ? " (Client.Timeout exceeded while awaiting headers)" : "";
      const url = JSON.stringify(shownUrl(target, TIMEOUT_SECONDS));
      throw new Error(`Post ${url}: ${text}${more}`, { cause: error });
    }
    throw new Error(describeStatus(answer.status, answer.contentType, answer.body));
  };
}
