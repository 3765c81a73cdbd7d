// The question to a conversion webhook and its answer (apiextensions.k8s.io ConversionReview), in the forms v1 and
// v1beta1. What is wrong with an answer is told in the words of a real server. Of metadata a webhook has its say about
// labels and annotations only.
import { goTypeOf } from "../go/format.ts";
import { describeFieldError, type FieldError, invalid } from "../meta/field-error.ts";
import { cloneJson, equalJson, isObject, type JsonObject, objectAt, textAt } from "../meta/json.ts";
import { isQualifiedName, validateLabels } from "../meta/names.ts";
import type { KubeObject, ObjectMeta } from "../meta/object-meta.ts";

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
