// What follows from a Service alone: defaults, what its type has, the two spellings of its cluster IPs, what an update leaves
// out and therefore keeps, what a change of type gives up.
import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../meta/json.ts";
import { ensureObject, setDefault } from "../../fields.ts";

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

/** On creation: whoever names one address means a list of it. */
export function listClusterIp(spec: JsonObject): void {
  const clusterIp = textAt(spec, "clusterIP");
  if (clusterIp !== "" && textsAt(spec, "clusterIPs").length === 0) spec["clusterIPs"] = [clusterIp];
}

/** On update: whoever changes clusterIP alone means clusterIPs too. */
export function followClusterIp(spec: JsonObject, old: JsonObject): void {
  const clusterIp = textAt(spec, "clusterIP");
  const same = equalJson(textsAt(spec, "clusterIPs"), textsAt(old, "clusterIPs"));
  if (clusterIp === textAt(old, "clusterIP") || !same) return;
  if (clusterIp === "") delete spec["clusterIPs"];
  else spec["clusterIPs"] = [clusterIp];
}

/** On update: what was allocated and is left out stays as it was. */
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

/** A port keeps its node port under its name, unless another port has asked for that one. */
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

/** Those that are set. */
export const nodePorts = (spec: JsonObject): number[] =>
  objectsAt(spec, "ports").flatMap((port) => numberAt(port, "nodePort") || []);

/** What only some types have. */
const OF_TYPES: readonly (readonly [has: (spec: JsonObject) => boolean, members: readonly string[]])[] = [
  [needsClusterIp, ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]],
  [needsHealthCheckPort, ["healthCheckNodePort"]],
  [({ type }) => type === "LoadBalancer", ["allocateLoadBalancerNodePorts", "loadBalancerClass"]],
  [isExternallyAccessible, ["externalTrafficPolicy"]],
];

/** On update: what the new type does not have goes, unless it was changed, which validation refuses. */
export function dropWhatTypeLacks(spec: JsonObject, old: JsonObject): void {
  for (const [has, members] of OF_TYPES) {
    if (!has(old) || has(spec)) continue;
    for (const member of members) if (equalJson(spec[member], old[member])) delete spec[member];
  }
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(spec)) dropKnownNodePorts(spec, old);
}

/** Ports may come and go meanwhile; a node port that was not there before is a change, and stays to be refused. */
function dropKnownNodePorts(spec: JsonObject, old: JsonObject): void {
  const known = new Set(nodePorts(old));
  if (!nodePorts(spec).every((port) => known.has(port))) return;
  for (const port of objectsAt(spec, "ports")) delete port["nodePort"];
}
