// Defaults of a Service that follow from the Service alone.
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../meta/json.ts";
import { ensureObject, setDefault } from "../../fields.ts";

const AFFINITY_SECONDS = 10_800;

export function applyServiceDefaults(service: JsonObject): void {
  const spec = ensureObject(service, "spec");
  setDefault(spec, "sessionAffinity", "None");
  setDefault(spec, "type", "ClusterIP");
  applyAffinityDefaults(spec);
  for (const port of objectsAt(spec, "ports")) {
    setDefault(port, "protocol", "TCP");
    if (port["targetPort"] === 0) port["targetPort"] = port["port"];
    else setDefault(port, "targetPort", port["port"]);
  }
  const type = textAt(spec, "type");
  if (isExternallyAccessible(spec)) setDefault(spec, "externalTrafficPolicy", "Cluster");
  if (type !== "ExternalName" && needsClusterIp(spec)) spec["internalTrafficPolicy"] ??= "Cluster";
  if (type !== "LoadBalancer") return;
  spec["allocateLoadBalancerNodePorts"] ??= true;
  const loadBalancer = objectAt(objectAt(service, "status"), "loadBalancer");
  for (const ingress of objectsAt(loadBalancer, "ingress")) {
    if (textAt(ingress, "ip") !== "") ingress["ipMode"] ??= "VIP";
  }
}

function applyAffinityDefaults(spec: JsonObject): void {
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] !== "ClientIP") return;
  const clientIp = objectAt(objectAt(spec, "sessionAffinityConfig"), "clientIP");
  if (clientIp?.["timeoutSeconds"] === undefined) {
    spec["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  }
}

/** Types that have an address of their own, unless they are headless. */
export const needsClusterIp = (spec: JsonObject | undefined): boolean =>
  ["ClusterIP", "NodePort", "LoadBalancer"].includes(textAt(spec, "type"));

/** Types that are reached at a port of each node. */
export const mayHaveNodePorts = (spec: JsonObject | undefined): boolean =>
  ["NodePort", "LoadBalancer"].includes(textAt(spec, "type"));

/** A balancer may do without; what it was given all the same it keeps. */
export const wantsNodePorts = (spec: JsonObject | undefined): boolean =>
  mayHaveNodePorts(spec) &&
  (textAt(spec, "type") === "NodePort" || spec?.["allocateLoadBalancerNodePorts"] !== false);

/** A port at which nodes tell whether they have local endpoints. */
export const needsHealthCheckPort = (spec: JsonObject | undefined): boolean =>
  textAt(spec, "type") === "LoadBalancer" && spec?.["externalTrafficPolicy"] === "Local";

export function isExternallyAccessible(spec: JsonObject | undefined): boolean {
  const type = textAt(spec, "type");
  if (type === "ClusterIP") return textsAt(spec, "externalIPs").length > 0;
  return type === "NodePort" || type === "LoadBalancer";
}

export const isHeadless = (spec: JsonObject | undefined): boolean =>
  (textsAt(spec, "clusterIPs")[0] ?? textAt(spec, "clusterIP")) === "None";
