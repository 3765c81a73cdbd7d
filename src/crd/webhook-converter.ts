// A kind whose versions a webhook converts. It is asked with all objects at once, and its answer is taken only if it has
// the same objects in the version that was wanted.

import type { Ids } from "../meta/ids.ts";
import { isObject, type JsonObject, objectAt, textAt, textsAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { plainError } from "../meta/status.ts";
import type { ObjectConverter } from "../registry/definition/resource-definition.ts";
import { readTarget, type WebhookTarget } from "../registry/webhook.ts";
import {
  askFor,
  checkSameObject,
  type Question,
  ReviewError,
  readAnswer,
  restoreMetadata,
  reviewForm,
} from "./conversion-review.ts";
import type { CallWebhook } from "./conversion-webhook.ts";

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
    converted = readAnswer(await call(target, askFor(question)), question);
  } catch (error) {
    throw plainError(`${subject} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (converted.length !== objects.length) {
    throw plainError(`${subject} returned ${converted.length} objects, expected ${objects.length}`);
  }
  return objects.map((original, index) => accept(original, converted[index], { apiVersion, subject, index }));
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
