// What all custom resources have in common: with a status subresource, the object's own endpoint leaves status alone
// and /status leaves everything else alone; without one, status is a field like any other.
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../definition/strategy.ts";

export function customStrategy(hasStatus: boolean): Strategy {
  if (!hasStatus) return { hasGeneration: true };
  return {
    hasGeneration: true,
    resetFields: [["status"]],
    prepareForCreate(object) {
      delete object["status"];
    },
    prepareForUpdate(object, old) {
      carryOver(object, old, "status");
    },
  };
}

/** /status: of what was sent only status counts, and of metadata only who owns the fields. */
export const customStatusStrategy: Strategy = {
  hasGeneration: true,
  resetFields: [["metadata"], ["spec"]],
  prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>) {
    const { managedFields } = object.metadata;
    const status = object["status"];
    for (const key of Object.keys(object)) delete object[key];
    Object.assign(object, cloneJson(old));
    if (status === undefined) delete object["status"];
    else object["status"] = status;
    if (managedFields === undefined) delete object.metadata.managedFields;
    else object.metadata.managedFields = managedFields;
  },
};

function carryOver(object: KubeObject, old: Readonly<KubeObject>, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = cloneJson(old[field]);
}
