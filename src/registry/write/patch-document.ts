// Patch documents by their kind: JSON patch, merge patch, strategic merge patch.
import { isObject, type JsonObject } from "../../meta/json.ts";
import { badRequest } from "../../meta/status.ts";
import { applyJsonPatch, applyJsonPatchInTurns, canGrow, readJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch, applyMergePatchInTurns } from "../../patch/merge-patch.ts";
import { mergeMeansManagers, operationsMeanManagers } from "../../patch/spared-managers.ts";
import { mergeStrategically, mergeStrategicallyInTurns } from "../../patch/strategic-merge-patch.ts";
import type { ResourceView } from "../definition/resource-definition.ts";

export type PatchType = "json" | "merge" | "strategic";

/** A patch that has been read: how it changes an object, and what is odd about it. */
export interface PatchDocument {
  readonly findings: readonly string[];
  /** What it makes of a small object may be large. */
  readonly canGrow?: boolean;
  /** It may say something of managedFields; if not, it is given objects without them. */
  readonly meansManagers: boolean;
  /** Must not change its argument. Where much is changed, others are answered meanwhile. */
  change(document: JsonObject, isLarge: boolean): Promise<PatchedDocument>;
}

export interface PatchedDocument {
  readonly object: JsonObject;
  /**
   * A strategic patch changes the object in its typed form: kind and apiVersion in it mean nothing, and refusals show
   * the patch (as this text) instead of its result.
   */
  readonly shownPatch?: () => string;
}

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
      change: async (document, isLarge) => ({
        object: isLarge
          ? await applyJsonPatchInTurns(document, operations)
          : applyJsonPatch(document, operations),
      }),
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
      change: async (document, isLarge) =>
        isLarge
          ? mergeStrategicallyInTurns(document, patch, node)
          : mergeStrategically(document, patch, node),
    };
  }
  if (!isObject(value)) throw badRequest("Invalid JSON Patch");
  return {
    findings,
    meansManagers: mergeMeansManagers(value),
    change: async (document, isLarge) => ({
      object: isLarge ? await applyMergePatchInTurns(document, value) : applyMergePatch(document, value),
    }),
  };
}
