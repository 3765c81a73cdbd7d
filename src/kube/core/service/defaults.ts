// Defaulting of a Service: fields of its type, the two forms of its cluster IPs, allocated values that an update omits,
// and values that a change of type releases.
import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { ensureObject, setDefault } from "../../../apiserver/registry/strategy/fields.ts";

const AFFINITY_SECONDS = 10_800;

export function applyServiceDefaults(service: JsonObject): void {
  const spec = ensureObject(service, "spec");
  applyAffinityDefaults(spec);
  for (const port of objectsAt(spec, "ports")) {
    if (port["targetPort"] === 0) port["targetPort"] = port["port"];
    else setDefault(port, "targetPort", port["port"]);
  }
  const type = textAt(spec, "type");
  if (type !== "LoadBalancer") return;
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

/** Types with a cluster IP, unless they are headless. */
export const needsClusterIp = (spec: JsonObject | undefined): boolean =>
  ["ClusterIP", "NodePort", "LoadBalancer"].includes(textAt(spec, "type"));

/** Types with a port on each node. */
export const mayHaveNodePorts = (spec: JsonObject | undefined): boolean =>
  ["NodePort", "LoadBalancer"].includes(textAt(spec, "type"));

/** A LoadBalancer may opt out of node ports; existing ones are kept. */
export const wantsNodePorts = (spec: JsonObject | undefined): boolean =>
  mayHaveNodePorts(spec) &&
  (textAt(spec, "type") === "NodePort" || spec?.["allocateLoadBalancerNodePorts"] !== false);

/** Needs a node port for the health check of local endpoints. */
export const needsHealthCheckPort = (spec: JsonObject | undefined): boolean =>
  textAt(spec, "type") === "LoadBalancer" && spec?.["externalTrafficPolicy"] === "Local";

export function isExternallyAccessible(spec: JsonObject | undefined): boolean {
  const type = textAt(spec, "type");
  if (type === "ClusterIP") return textsAt(spec, "externalIPs").length > 0;
  return type === "NodePort" || type === "LoadBalancer";
}

export const isHeadless = (spec: JsonObject | undefined): boolean =>
  (textsAt(spec, "clusterIPs")[0] ?? textAt(spec, "clusterIP")) === "None";

/** On creation: a single clusterIP sets clusterIPs. */
export function listClusterIp(spec: JsonObject): void {
  const clusterIp = textAt(spec, "clusterIP");
  if (clusterIp !== "" && textsAt(spec, "clusterIPs").length === 0) spec["clusterIPs"] = [clusterIp];
}

/** On update: a changed clusterIP sets clusterIPs, if those are unchanged. */
export function followClusterIp(spec: JsonObject, old: JsonObject): void {
  const clusterIp = textAt(spec, "clusterIP");
  const same = equalJson(textsAt(spec, "clusterIPs"), textsAt(old, "clusterIPs"));
  if (clusterIp === textAt(old, "clusterIP") || !same) return;
  if (clusterIp === "") delete spec["clusterIPs"];
  else spec["clusterIPs"] = [clusterIp];
}

/** On update: omitted allocated values keep their old value. */
export function keepAllocated(spec: JsonObject, old: JsonObject): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (textAt(spec, "clusterIP") === "" && textAt(old, "clusterIP") !== "") {
      spec["clusterIP"] = old["clusterIP"];
    }
    const before = textsAt(old, "clusterIPs");
    if (textsAt(spec, "clusterIPs").length === 0 && before.length > 0) spec["clusterIPs"] = before;
  }
  if (wantsNodePorts(old) && wantsNodePorts(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && !numberAt(spec, "healthCheckNodePort")) {
    const before = numberAt(old, "healthCheckNodePort");
    if (before) spec["healthCheckNodePort"] = before;
  }
}

/** A port with the same name keeps its node port, unless another port requests it. */
function keepNodePorts(spec: JsonObject, old: JsonObject): void {
  const asked = new Set(nodePorts(spec));
  const known = new Map(
    objectsAt(old, "ports").map((port) => [textAt(port, "name"), numberAt(port, "nodePort")]),
  );
  for (const port of objectsAt(spec, "ports")) {
    const before = known.get(textAt(port, "name"));
    if (!numberAt(port, "nodePort") && before && !asked.has(before)) port["nodePort"] = before;
  }
}

/** Node ports that are set. */
export const nodePorts = (spec: JsonObject): number[] =>
  objectsAt(spec, "ports").flatMap((port) => numberAt(port, "nodePort") || []);

/** Members of certain types only. */
const OF_TYPES: readonly (readonly [has: (spec: JsonObject) => boolean, members: readonly string[]])[] = [
  [needsClusterIp, ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]],
  [needsHealthCheckPort, ["healthCheckNodePort"]],
  [({ type }) => type === "LoadBalancer", ["allocateLoadBalancerNodePorts", "loadBalancerClass"]],
  [isExternallyAccessible, ["externalTrafficPolicy"]],
];

/** On update: removes members that the new type does not support, unless they were changed, which validation rejects. */
export function dropWhatTypeLacks(spec: JsonObject, old: JsonObject): void {
  for (const [has, members] of OF_TYPES) {
    if (!has(old) || has(spec)) continue;
    for (const member of members) if (equalJson(spec[member], old[member])) delete spec[member];
  }
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(spec)) dropKnownNodePorts(spec, old);
}

/** Ports may be added or removed in the same update. A new node port is a change, and is left for validation to reject. */
function dropKnownNodePorts(spec: JsonObject, old: JsonObject): void {
  const known = new Set(nodePorts(old));
  if (!nodePorts(spec).every((port) => known.has(port))) return;
  for (const port of objectsAt(spec, "ports")) delete port["nodePort"];
}
