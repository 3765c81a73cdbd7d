// Eviction, with which a pod is asked to leave its node: it is deleted unless a budget of disruptions is against it, and
// such budgets are not served here.
import { equalJson, type JsonObject, numberAt, objectAt, textAt, textsAt } from "../../../../meta/json.ts";
import type { KubeObject } from "../../../../meta/object-meta.ts";
import { badRequest, plainError, type Status, success } from "../../../../meta/status.ts";
import { type ActionContext, actionSubresource } from "../../../../registry/definition/actions.ts";
import type { DeleteOptions } from "../../../../registry/definition/request-context.ts";
import type { ObjectAddress } from "../../../../registry/definition/resource-definition.ts";
import { validateDeleteOptions } from "../../../../registry/write/delete-options.ts";
import { builtIn } from "../../../define.ts";

const evictions = builtIn("policy/v1", "Eviction", {
  verbs: ["create"],
});

export const EVICTION_SUBRESOURCE = actionSubresource("eviction", { posted: evictions, run: evict });

async function evict(eviction: KubeObject, target: ObjectAddress, context: ActionContext): Promise<Status> {
  if (eviction.metadata.name !== target.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const asked = objectAt(eviction, "deleteOptions") ?? {};
  const dryRun = textsAt(asked, "dryRun");
  if (context.dryRun && dryRun.length > 0 && !equalJson(dryRun, ["All"])) {
    throw plainError(`Non-matching dry-run options in request and content: [All] and [${dryRun.join(" ")}]`);
  }
  const options = { ...readOptions(asked), dryRun };
  validateDeleteOptions(options);
  const { resources } = context;
  await resources.delete(target, options, { ...context, dryRun: context.dryRun || dryRun.length > 0 });
  return success(201);
}

function readOptions(asked: JsonObject): DeleteOptions {
  const seconds = numberAt(asked, "gracePeriodSeconds");
  const orphan = asked["orphanDependents"];
  const policy = textAt(asked, "propagationPolicy");
  const preconditions = objectAt(asked, "preconditions");
  const uid = textAt(preconditions, "uid");
  const resourceVersion = textAt(preconditions, "resourceVersion");
  return {
    ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }),
    ...(typeof orphan === "boolean" ? { orphanDependents: orphan } : {}),
    ...(policy === "" ? {} : { propagationPolicy: policy }),
    preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) },
  };
}
