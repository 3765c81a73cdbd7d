// Tells an object's owner: conditions, applied to the status in the controller's name, and only where they are news.
import type { Client, ResourceName } from "../../client/client.ts";
import type { JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring } from "../kit/api.ts";
import { type Condition, configurationOf, hasCondition, withTransitionTime } from "./conditions.ts";

export interface StatusTarget {
  readonly client: Client;
  readonly resource: ResourceName;
  /** The object as it is; it says apiVersion and kind itself. */
  readonly object: KubeObject;
  readonly nowMs: number;
}

export interface StatusOptions {
  /** Without it, what another manager took over stays as that one wrote it, and the write fails. */
  readonly force: boolean;
  /** What belongs to the status beside conditions. */
  readonly status?: JsonObject;
}

/** True if something was written. An object that is gone by now needs no status. */
export async function applyConditions(
  { client, resource, object, nowMs }: StatusTarget,
  conditions: readonly Condition[],
  { force, status = {} }: StatusOptions,
): Promise<boolean> {
  if (conditions.every((condition) => hasCondition(object, condition))) return false;
  const { namespace = "", name = "" } = object.metadata;
  const body = configurationOf(object, {
    status: {
      ...status,
      conditions: conditions.map((condition) => withTransitionTime(object, condition, nowMs)),
    },
  });
  const options = { type: "apply", subresource: "status", force, body } as const;
  return (await ignoring([404], client.patch(resource, { namespace, name }, options))) !== undefined;
}
