// Patch documents by their kind: JSON patch, merge patch, strategic merge patch.
import { isObject } from "../../meta/json.ts";
import { badRequest } from "../../meta/status.ts";
import { applyJsonPatch, applyJsonPatchInTurns, canGrow, readJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch, applyMergePatchInTurns } from "../../patch/merge-patch.ts";
import { mergeMeansManagers, operationsMeanManagers } from "../../patch/spared-managers.ts";
import { mergeStrategically, mergeStrategicallyInTurns } from "../../patch/strategic-merge-patch.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import type { PatchDocument } from "./patch-object.ts";

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
    return {
      findings,
      canGrow: canGrow(operations),
      meansManagers: operationsMeanManagers(operations),
      change: (document) => ({ object: applyJsonPatch(document, operations) }),
      changeInTurns: async (document) => ({ object: await applyJsonPatchInTurns(document, operations) }),
    };
  }
  const findings = duplicates.map((path) => `duplicate field "${path}"`);
  if (type === "strategic") {
    if (!isObject(value) && value !== null) throw badRequest("a strategic merge patch is an object");
    const patch = value ?? {};
    const { node } = view.version;
    return {
      findings,
      meansManagers: mergeMeansManagers(patch),
      change: (document) => mergeStrategically(document, patch, node),
      changeInTurns: (document) => mergeStrategicallyInTurns(document, patch, node),
    };
  }
  if (!isObject(value)) throw badRequest("Invalid JSON Patch");
  return {
    findings,
    meansManagers: mergeMeansManagers(value),
    change: (document) => ({ object: applyMergePatch(document, value) }),
    changeInTurns: async (document) => ({ object: await applyMergePatchInTurns(document, value) }),
  };
}
