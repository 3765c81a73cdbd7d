// The parts of EgressServices and Services that the controller reads.
import { isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

/** status.host of a service whose traffic leaves through every pod's own node. */
export const ALL_HOSTS = "ALL";
/** status.host of a service that has no node. */
export const NO_HOST = "";

export interface EgressService {
  readonly namespace: string;
  readonly name: string;
  /** sourceIPBy is Network: no node is chosen. */
  readonly byNetwork: boolean;
  /** spec.nodeSelector as written; absent selects every node. */
  readonly nodeSelector: Readonly<Record<string, unknown>>;
  /** status.host; undefined while there is no status. */
  readonly host: string | undefined;
}

export function readEgressService({ metadata, ...fields }: KubeObject): EgressService {
  const { spec, status } = fields as Record<string, unknown>; // an open type: members may be anything
  const host = isObject(status) ? status["host"] : undefined;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    byNetwork: isObject(spec) && spec["sourceIPBy"] === "Network",
    nodeSelector: objectAt(isObject(spec) ? spec : undefined, "nodeSelector") ?? {},
    host: typeof host === "string" ? host : undefined,
  };
}

export interface ServiceState {
  /** The load balancer has given it an address or a host name. */
  readonly hasIngress: boolean;
  /** Traffic from outside may only enter through nodes that have an endpoint. */
  readonly local: boolean;
}

export function readService(service: KubeObject): ServiceState {
  const spec = isObject(service["spec"]) ? service["spec"] : {};
  const status = isObject(service["status"]) ? service["status"] : undefined;
  const ingress = objectAt(status, "loadBalancer")?.["ingress"];
  return {
    hasIngress: Array.isArray(ingress) && ingress.length > 0,
    local: spec["externalTrafficPolicy"] === "Local",
  };
}
