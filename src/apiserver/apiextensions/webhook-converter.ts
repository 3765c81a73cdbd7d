// Conversion webhook of a kind. As upstream each object is a call of its own. A response is accepted only if it has the
// same object in the desired version (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).
import { goTypeOf } from "../../apimachinery/go/format.ts";
import {
  cloneJson,
  equalJson,
  goJsonType,
  isObject,
  type JsonObject,
  objectAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { describeFieldError } from "../../apimachinery/meta/field-error.ts";
import type { Ids } from "../../apimachinery/meta/ids.ts";
import { validateAnnotations, validateLabels } from "../../apimachinery/meta/names.ts";
import type { KubeObject, ObjectMeta } from "../../apimachinery/meta/object-meta.ts";
import { plainError } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import type { ObjectConverter } from "../registry/definition/resource-definition.ts";
import { readTarget, type WebhookTarget } from "../registry/webhook.ts";
import {
  encodeQuestion,
  type Question,
  ReviewError,
  readAnswer,
  reviewVersion,
} from "./conversion-review.ts";
import type { CallWebhook } from "./webhook-call.ts";

export interface WebhookConverterDeps {
  readonly ids: Ids;
  readonly call: CallWebhook;
}

/** The converter of a CRD; undefined when its versions differ in their apiVersion only. */
export function webhookConverter(
  crd: Readonly<JsonObject>,
  deps: WebhookConverterDeps,
): ObjectConverter | undefined {
  const conversion = objectAt(objectAt(crd, "spec"), "conversion");
  const webhook = objectAt(conversion, "webhook");
  if (conversion?.["strategy"] !== "Webhook" || webhook === undefined) return undefined;
  const target = readTarget(objectAt(webhook, "clientConfig") ?? {});
  const version = reviewVersion(textsAt(webhook, "conversionReviewVersions"));
  const by = { ...deps, target, version };
  return {
    convert: (object, apiVersion) => convert(object, apiVersion, by),
    convertAll: (objects, apiVersion) => convertAll(objects, apiVersion, by),
  };
}

interface Conversion extends WebhookConverterDeps {
  readonly target: WebhookTarget;
  /** Review version; undefined: the CRD lists no supported one. */
  readonly version: string | undefined;
}

/** Limit of concurrent calls for one list. No call starts after one has failed. */
const CALLS_AT_ONCE_MAX = 16;

async function convertAll(
  objects: readonly Readonly<KubeObject>[],
  apiVersion: string,
  by: Conversion,
): Promise<KubeObject[]> {
  const converted: KubeObject[] = [];
  const waiting = objects.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, object] of waiting) {
      if (hasFailed) return;
      converted[index] = await convert(object, apiVersion, by).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
      const pause = yieldIfDue();
      if (pause) await pause;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CALLS_AT_ONCE_MAX, objects.length) }, work));
  return converted;
}

async function convert(
  object: Readonly<KubeObject>,
  apiVersion: string,
  { ids, call, target, version }: Conversion,
): Promise<KubeObject> {
  const subject = `conversion webhook for ${object.apiVersion}, Kind=${object.kind}`;
  if (version === undefined) throw plainError("no supported conversion review versions");
  const question: Question = { version, uid: ids.uid(), apiVersion, object };
  let converted: readonly unknown[];
  try {
    converted = await readAnswer(await call(target, encodeQuestion(question)), question);
  } catch (error) {
    throw plainError(`${subject} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (converted.length !== 1) throw plainError(`${subject} returned ${converted.length} objects, expected 1`);
  return accept(object, readConverted(converted[0]), { apiVersion, subject });
}

/** Decodes an unstructured object. Throws a 500 that does not name the webhook, as upstream. */
function readConverted(value: unknown): JsonObject {
  if (value === null || value === undefined) throw plainError("unexpected end of JSON input");
  if (!isObject(value)) {
    const type = "map[string]interface {}";
    throw plainError(`json: cannot unmarshal ${goJsonType(value)} into Go value of type ${type}`);
  }
  const hasVersion = textAt(value, "apiVersion").split("/").length <= 2;
  if (textAt(value, "kind") === "" || !hasVersion)
    throw plainError(`Object 'Kind' is missing in '${textOf(value)}'`);
  return value;
}

/** The object with its members in the order of the response. */
const textOf = (object: JsonObject): string =>
  JSON.stringify(object, (_key, value: unknown) => (typeof value === "bigint" ? Number(value) : value));

function accept(
  original: Readonly<KubeObject>,
  converted: JsonObject,
  { apiVersion, subject }: { apiVersion: string; subject: string },
): KubeObject {
  const invalid = (why: string) => plainError(`${subject} returned invalid object at index 0: ${why}`);
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

const IDENTITY = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["UID", "uid"],
] as const;

/** Throws ReviewError when the converted object has another identity. */
function checkSameObject(original: Readonly<KubeObject>, converted: JsonObject): void {
  for (const [what, member] of IDENTITY) {
    const expected = original.metadata[member] ?? "";
    const found = textAt(objectAt(converted, "metadata"), member);
    if (expected !== found) throw new ReviewError(`must have the same ${what}: ${expected} != ${found}`);
  }
}

/**
 * The converted object with the metadata of the original; only labels and annotations are those of the response. Throws
 * ReviewError.
 */
function restoreMetadata(original: Readonly<KubeObject>, converted: JsonObject): KubeObject {
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
  const errors =
    member === "labels"
      ? validateLabels(texts, "metadata.labels")
      : validateAnnotations(texts, "metadata.annotation");
  if (errors.length === 0) return;
  const shown = errors.map(describeFieldError).join(", ");
  throw new ReviewError(errors.length === 1 ? shown : `[${shown}]`);
}
