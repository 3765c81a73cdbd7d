// What a Service must fulfil, as far as it can be seen from the Service alone.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, textAt, textsAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { isDns1123Subdomain, isQualifiedName, validateLabels } from "../../../meta/names.ts";
import { validateCidr, validateEndpointIp, validateIp } from "../../addresses.ts";
import { validateClusterIps, validateClusterIpUpdate } from "./cluster-ip-validation.ts";
import { isExternallyAccessible, isHeadless, needsClusterIp, needsHealthCheckPort } from "./defaults.ts";
import { requirePorts, validatePortNumbers, validateServicePorts } from "./port-validation.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const AFFINITIES = ["ClientIP", "None"];
export const TRAFFIC_POLICIES = ["Cluster", "Local"];
const DISTRIBUTIONS = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const AFFINITY_SECONDS_MAX = 86_400;
export const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";
export const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";

export function validateService(object: Readonly<JsonObject>): FieldError[] {
  const spec = objectAt(object, "spec") ?? {};
  const type = textAt(spec, "type");
  return [
    ...validateTopology(object),
    ...requirePorts(spec),
    ...validateNamed(spec, type),
    ...validateServicePorts(spec),
    ...validateSelector(spec),
    ...validateAffinity(spec),
    ...validateClusterIps(spec),
    ...textsAt(spec, "externalIPs").flatMap((ip, index) => {
      const errors = validateIp(`spec.externalIPs[${index}]`, ip);
      return errors.length > 0 ? errors : validateEndpointIp(`spec.externalIPs[${index}]`, ip);
    }),
    ...(TYPES.includes(type) ? [] : [notSupported("spec.type", type, TYPES)]),
    ...validatePortNumbers(spec),
    ...validateSourceRanges(spec, object, type),
    ...validateNodePortChoice(spec, type),
    ...validateBalancerClass(spec, type),
    ...validateTraffic(spec),
  ];
}

/** The older annotation about the topology must not contradict the newer one. */
function validateTopology(object: Readonly<JsonObject>): FieldError[] {
  const annotations = objectAt(objectAt(object, "metadata"), "annotations");
  const [mode, hints] = [annotations?.[TOPOLOGY_MODE], annotations?.[TOPOLOGY_HINTS]];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const rule = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  return [invalid(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, rule)];
}

/** What each type must and must not have: ExternalName is a name and nothing else. */
function validateNamed(spec: JsonObject, type: string): FieldError[] {
  if (type === "NodePort" || type === "LoadBalancer") {
    const rule = `may not be set to 'None' for ${type} services`;
    return isHeadless(spec) ? [invalid("spec.clusterIPs[0]", "None", rule)] : [];
  }
  if (type !== "ExternalName") return [];
  const errors = ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]
    .filter((member) => textAt(spec, member) !== "" || textsAt(spec, member).length > 0)
    .map((member) => forbidden(`spec.${member}`, "may not be set for ExternalName services"));
  const name = textAt(spec, "externalName");
  const bare = name.replace(/\.$/, "");
  if (bare === "") errors.push(required("spec.externalName"));
  else
    append(
      errors,
      isDns1123Subdomain(bare).map((text) => invalid("spec.externalName", bare, text)),
    );
  return errors;
}

function validateSelector(spec: JsonObject): FieldError[] {
  const selector = objectAt(spec, "selector");
  if (selector === undefined) return [];
  const labels = Object.fromEntries(Object.keys(selector).map((key) => [key, textAt(selector, key)]));
  return validateLabels(labels, "spec.selector");
}

function validateAffinity(spec: JsonObject): FieldError[] {
  const affinity = textAt(spec, "sessionAffinity");
  if (!AFFINITIES.includes(affinity)) return [notSupported("spec.sessionAffinity", affinity, AFFINITIES)];
  if (affinity !== "ClientIP") return [];
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  const clientIp = objectAt(objectAt(spec, "sessionAffinityConfig"), "clientIP");
  const seconds = numberAt(clientIp, "timeoutSeconds") ?? 0;
  if (seconds > 0 && seconds <= AFFINITY_SECONDS_MAX) return [];
  return [invalid(field, seconds, `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`)];
}

const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";
/** A real server names the field with a capital when it refuses. */
const RANGES_FIELD = "spec.LoadBalancerSourceRanges";
const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Who may come in through the balancer: a list, or in old manifests an annotation. */
function validateSourceRanges(spec: JsonObject, object: Readonly<JsonObject>, type: string): FieldError[] {
  const ranges = textsAt(spec, "loadBalancerSourceRanges");
  const annotation = objectAt(objectAt(object, "metadata"), "annotations")?.[SOURCE_RANGES];
  const field = ranges.length > 0 ? RANGES_FIELD : `metadata.annotations[${SOURCE_RANGES}]`;
  if (ranges.length === 0 && typeof annotation !== "string") return [];
  const misplaced = type === "LoadBalancer" ? [] : [forbidden(field, ONLY_BALANCED)];
  if (ranges.length > 0) {
    return [
      ...misplaced,
      ...ranges.flatMap((range, index) => validateCidr(`${field}[${index}]`, range.trim())),
    ];
  }
  const noted = String(annotation).trim();
  const parts = noted === "" ? [] : noted.split(",");
  return [...misplaced, ...parts.flatMap((range) => validateCidr(field, range.trim()))];
}

function validateNodePortChoice(spec: JsonObject, type: string): FieldError[] {
  const field = "spec.allocateLoadBalancerNodePorts";
  const isSaid = spec["allocateLoadBalancerNodePorts"] !== undefined;
  if (type === "LoadBalancer") return isSaid ? [] : [required(field)];
  return isSaid ? [forbidden(field, ONLY_BALANCED)] : [];
}

function validateBalancerClass(spec: JsonObject, type: string): FieldError[] {
  const field = "spec.loadBalancerClass";
  const name = spec["loadBalancerClass"];
  if (name === undefined) return [];
  if (type !== "LoadBalancer") return [forbidden(field, ONLY_BALANCED)];
  return isQualifiedName(String(name)).map((text) => invalid(field, name, text));
}

function validateTraffic(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const external = textAt(spec, "externalTrafficPolicy");
  if (!isExternallyAccessible(spec)) {
    if (external !== "") {
      const rule = "may only be set for externally-accessible services";
      errors.push(invalid("spec.externalTrafficPolicy", external, rule));
    }
  } else if (!TRAFFIC_POLICIES.includes(external)) {
    errors.push(notSupported("spec.externalTrafficPolicy", external, TRAFFIC_POLICIES));
  }
  const health = numberAt(spec, "healthCheckNodePort") ?? 0;
  if (health !== 0 && !needsHealthCheckPort(spec)) {
    const rule = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid("spec.healthCheckNodePort", health, rule));
  }
  const internal = spec["internalTrafficPolicy"];
  if (internal === undefined) {
    if (needsClusterIp(spec)) errors.push(required("spec.internalTrafficPolicy"));
  } else if (!TRAFFIC_POLICIES.includes(String(internal))) {
    errors.push(notSupported("spec.internalTrafficPolicy", internal, TRAFFIC_POLICIES));
  }
  const distribution = spec["trafficDistribution"];
  if (distribution !== undefined && !DISTRIBUTIONS.includes(String(distribution))) {
    errors.push(notSupported("spec.trafficDistribution", distribution, DISTRIBUTIONS));
  }
  return errors;
}

/** What cannot change once it is set. */
export function validateServiceUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const spec = objectAt(object, "spec") ?? {};
  const oldSpec = objectAt(old, "spec") ?? {};
  const errors = validateClusterIpUpdate(spec, oldSpec);
  const balancer = oldSpec["loadBalancerClass"];
  const sameType = textAt(oldSpec, "type") === "LoadBalancer" && textAt(spec, "type") === "LoadBalancer";
  if (sameType && balancer !== spec["loadBalancerClass"]) {
    errors.push(invalid("spec.loadBalancerClass", spec["loadBalancerClass"], "may not change once set"));
  }
  append(errors, validateBalancerClass(spec, textAt(spec, "type")));
  const healthPort = numberAt(oldSpec, "healthCheckNodePort") ?? 0;
  if (
    needsHealthCheckPort(oldSpec) &&
    needsHealthCheckPort(spec) &&
    healthPort !== (numberAt(spec, "healthCheckNodePort") ?? 0)
  ) {
    errors.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
  }
  return [...errors, ...validateService(object)];
}
