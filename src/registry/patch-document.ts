// Patch documents by their kind: JSON patch, merge patch, strategic merge patch.
import { isObject } from "../meta/json.ts";
import { badRequest } from "../meta/status.ts";
import { formatGoValue } from "../patch/go-format.ts";
import { applyJsonPatch, readJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../patch/strategic-merge-patch.ts";
import type { PatchDocument } from "./patch-object.ts";
import type { ResourceView } from "./resource-definition.ts";

export type PatchType = "json" | "merge" | "strategic";

/** What is known of the text a document was read from. */
export interface PatchSource {
  /** Keys given twice, as dotted paths. */
  readonly duplicates?: readonly string[];
  readonly text?: string;
}

/** Throws 400 for a value that is no such document. */
export function readPatchValue(
  view: ResourceView,
  type: PatchType,
  value: unknown,
  source: PatchSource = {},
): PatchDocument {
  const duplicates = source.duplicates ?? [];
  if (type === "json") {
    const { operations, findings } = readJsonPatch(value, duplicates, source.text);
    return { findings, change: (document) => applyJsonPatch(document, operations) };
  }
  if (!isObject(value) && value !== null) throw badRequest("a merge patch is an object");
  const patch = value ?? {};
  const findings = duplicates.map((path) => `duplicate field "${path}"`);
  if (type === "strategic") {
    const typed = { shown: formatGoValue(patch) };
    return {
      findings,
      typed,
      change: (document) => applyStrategicMergePatch(document, patch, view.version.node),
    };
  }
  return { findings, change: (document) => applyMergePatch(document, patch) };
}
