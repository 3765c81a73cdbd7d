// What a conversion webhook may not touch: of metadata it has its say about labels and annotations only.
import { goTypeOf } from "../../go/format.ts";
import { describeFieldError, type FieldError, invalid } from "../../meta/field-error.ts";
import { cloneJson, equalJson, isObject, type JsonObject, textOf } from "../../meta/json.ts";
import { isQualifiedName, validateLabels } from "../../meta/names.ts";
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";
import { ReviewError } from "./conversion-review.ts";

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

/** Throws ReviewError when the converted object is another one. */
export function checkSameObject(original: Readonly<KubeObject>, converted: JsonObject): void {
  const given = isObject(converted["metadata"]) ? converted["metadata"] : {};
  for (const [what, member] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["UID", "uid"],
  ] as const) {
    const expected = original.metadata[member] ?? "";
    const found = textOf(given[member]);
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
      const type = goTypeOf(text);
      throw new ReviewError(
        `metadata.${member}[${key}] must be a string, but is ${type} in converted object`,
      );
    }
    texts[key] = text;
  }
  return texts;
}

function check(texts: Record<string, string>, member: "labels" | "annotations"): void {
  const errors = member === "labels" ? validateLabels(texts, "metadata.labels") : annotationErrors(texts);
  if (errors.length === 0) return;
  const shown = errors.map(describeFieldError);
  throw new ReviewError(shown.length === 1 ? (shown[0] ?? "") : `[${shown.join(", ")}]`);
}

const annotationErrors = (texts: Record<string, string>): FieldError[] =>
  Object.keys(texts).flatMap((key) =>
    isQualifiedName(key.toLowerCase()).map((text) => invalid("metadata.annotation", key, text)),
  );
