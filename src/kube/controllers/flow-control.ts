// The part of kube-apiserver that maintains flow control objects. The bootstrap FlowSchemas and
// PriorityLevelConfigurations are recreated when they are deleted. Each FlowSchema reports in its status whether its
// level exists. Egret's own limits (--max-requests-inflight) do not depend on them.

import { equalJson, objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { ignoring, keysIn, placeOf, resourceIn } from "../../controller/api.ts";
import type { Client, ResourceName } from "../../controller/client.ts";
import { applyConditions } from "../../controller/conditions.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { FirstObject } from "../../controller/definition.ts";
import type { Informer } from "../../controller/informer.ts";

const FLOW_CONTROL_GROUP = "flowcontrol.apiserver.k8s.io";
/** The field manager of the bootstrap objects. */
export const FLOW_CONTROL_PRODUCER = "api-priority-and-fairness-config-producer-v1";
/** "true": the server restores the object's bootstrap spec. */
const AUTO_UPDATED = "apf.kubernetes.io/autoupdate-spec";
const SCHEMAS = resourceIn(FLOW_CONTROL_GROUP, "v1", "flowschemas");
const LEVELS = resourceIn(FLOW_CONTROL_GROUP, "v1", "prioritylevelconfigurations");
/** A key that is not a valid FlowSchema name. */
const EVERYTHING = "*";
const RESTORE_MS = 60_000;

const levelOf = (schema: KubeObject): string =>
  textAt(objectAt(objectAt(schema, "spec"), "priorityLevelConfiguration"), "name");

export const flowControl = defineController({
  name: "flow-control",
  summary: "flow schemas and priority levels that every cluster has; whether the levels of schemas are there",
  fieldManager: "api-priority-and-fairness-config-consumer-v1",
  ofServer: true,
  retry: { attemptsMax: Number.POSITIVE_INFINITY }, // the restore that repeats every minute must never stop
  watches: {
    schemas: { resource: SCHEMAS },
    levels: {
      resource: LEVELS,
      on: ["add", "delete"],
      toKeys: ({ object }, { schemas }) =>
        [...schemas.list()]
          .filter((schema) => levelOf(schema) === object.metadata.name)
          .map(({ metadata }) => metadata.name),
    },
  },
  prepare: ({ schemas }) => [EVERYTHING, ...keysIn(schemas)],
  async reconcile(name, world) {
    const { schemas, levels, clientFor, signal, flowControlObjects = [] } = world;
    if (name === EVERYTHING) {
      const client = clientFor(FLOW_CONTROL_PRODUCER, signal);
      const wanted = (resource: ResourceName) =>
        flowControlObjects.filter((first) => first.resource === resource.resource);
      await restore(client, LEVELS, levels, wanted(LEVELS));
      await restore(client, SCHEMAS, schemas, wanted(SCHEMAS));
      return { requeueAfterMs: RESTORE_MS };
    }
    const schema = schemas.get(name);
    if (schema === undefined) return undefined;
    const isThere = levels.get(levelOf(schema)) !== undefined;
    const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(levelOf(schema))}`;
    await applyConditions(world, SCHEMAS, schema, [
      isThere
        ? { type: "Dangling", status: "False", reason: "Found", message: `${named} and it exists` }
        : {
            type: "Dangling",
            status: "True",
            reason: "NotFound",
            message: `${named} but there is no such object`,
          },
    ]);
    return undefined;
  },
});

/**
 * Creates missing bootstrap objects. Those with auto-update are restored to the bootstrap spec, or deleted if it no
 * longer contains them.
 */
async function restore(
  client: Client,
  resource: ResourceName,
  present: Informer,
  wanted: readonly FirstObject[],
): Promise<void> {
  const names = new Set(wanted.map(({ object }) => object.metadata.name));
  for (const { object, mandatory } of wanted) {
    const found = present.get(object.metadata.name ?? "");
    if (found === undefined) {
      await ignoring([409], client.create(resource, object));
    } else if (isKept(found) && !mandatory && !equalJson(found["spec"], object["spec"])) {
      await ignoring([404, 409], client.update(resource, { ...found, spec: object["spec"] }));
    }
  }
  for (const found of present.list())
    if (isKept(found) && !names.has(found.metadata.name))
      await ignoring([404], client.delete(resource, placeOf(found)));
}

const isKept = ({ metadata }: KubeObject): boolean => metadata.annotations?.[AUTO_UPDATED] === "true";
