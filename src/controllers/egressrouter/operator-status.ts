// Where the cluster network operator tells what it cannot do: the condition Degraded of the ClusterOperator "network".
// That kind is somebody else's; where it is not served, or nobody made the object, there is nothing to write.
import type { Client, ResourceName } from "../../client/client.ts";
import { formatTime } from "../../meta/clock.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring } from "../kit/api.ts";

export const CLUSTER_OPERATORS: ResourceName = {
  group: "config.openshift.io",
  version: "v1",
  resource: "clusteroperators",
};
const OPERATOR = { namespace: "", name: "network" };
const REASON = "EgressRouterError";

/** Makes the operator say what is wrong; "" takes back what was said of egress routers, and nothing else. */
export async function reportDegraded(client: Client, message: string, nowMs: number): Promise<void> {
  const operator = await ignoring([404], client.get(CLUSTER_OPERATORS, OPERATOR));
  if (!operator) return;
  const conditions = conditionsOf(operator);
  const said = conditions.find(({ type }) => type === "Degraded");
  if (message === "" && said?.["reason"] !== REASON) return;
  const wanted = message === "" ? { status: "False" } : { status: "True", reason: REASON, message };
  if (said?.["status"] === wanted.status && (said["message"] ?? "") === message) return;
  const kept = said?.["status"] === wanted.status ? said["lastTransitionTime"] : undefined;
  const condition = { type: "Degraded", ...wanted, lastTransitionTime: kept ?? formatTime(nowMs) };
  const { resourceVersion } = operator.metadata;
  const others = conditions.filter((item) => item !== said);
  const body = { metadata: { resourceVersion }, status: { conditions: [...others, condition] } };
  const options = { type: "merge", subresource: "status", body } as const;
  await ignoring([404], client.patch(CLUSTER_OPERATORS, OPERATOR, options));
}

function conditionsOf({ status }: KubeObject): JsonObject[] {
  const conditions = isObject(status) ? status["conditions"] : undefined;
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}
