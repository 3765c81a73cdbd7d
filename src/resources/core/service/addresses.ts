// Addresses and ports that a Service keeps through its life, as far as they follow from the Service itself: the two
// spellings of its cluster IPs, its IP families, what an update leaves out and therefore keeps, what a change of
// type gives up. Allocating addresses and node ports needs to know all Services and is not done here.
import { parseIp } from "../../../meta/ip.ts";
import { equalJson, type JsonObject, objectAt } from "../../../meta/json.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../../fields.ts";
import {
  isExternallyAccessible,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
} from "./defaults.ts";

const FAMILIES = ["IPv4", "IPv6"];
const SINGLE = "SingleStack";
const BOTH = "RequireDualStack";

/** On creation: clusterIPs from clusterIP, then the families. */
export function settleNewAddresses(spec: JsonObject): void {
  const clusterIp = textAt(spec, "clusterIP");
  if (clusterIp !== "" && textsAt(spec, "clusterIPs").length === 0) spec["clusterIPs"] = [clusterIp];
  inferFamilies(spec);
}

/** On update: what was left out stays as it was, what the new type does not have goes. */
export function settleChangedAddresses(spec: JsonObject, old: JsonObject): void {
  followClusterIp(spec, old);
  dropWhatTypeLacks(spec, old);
  keepAllocated(spec, old);
  inferFamilies(spec);
}

/** Whoever changes clusterIP alone means clusterIPs too. */
function followClusterIp(spec: JsonObject, old: JsonObject): void {
  const clusterIp = textAt(spec, "clusterIP");
  if (clusterIp === textAt(old, "clusterIP") || !equalJson(spec["clusterIPs"], old["clusterIPs"])) return;
  if (clusterIp === "") delete spec["clusterIPs"];
  else spec["clusterIPs"] = [clusterIp];
}

function dropWhatTypeLacks(spec: JsonObject, old: JsonObject): void {
  const drop = (had: boolean, has: boolean, members: readonly string[]): void => {
    if (!had || has) return;
    for (const member of members) if (equalJson(spec[member], old[member])) delete spec[member];
  };
  const balanced = (of: JsonObject): boolean => textAt(of, "type") === "LoadBalancer";
  drop(needsClusterIp(old), needsClusterIp(spec), [
    "clusterIP",
    "clusterIPs",
    "ipFamilies",
    "ipFamilyPolicy",
  ]);
  drop(needsHealthCheckPort(old), needsHealthCheckPort(spec), ["healthCheckNodePort"]);
  drop(balanced(old), balanced(spec), ["allocateLoadBalancerNodePorts", "loadBalancerClass"]);
  drop(isExternallyAccessible(old), isExternallyAccessible(spec), ["externalTrafficPolicy"]);
  if (needsNodePort(old) && !needsNodePort(spec) && equalJson(nodePorts(spec), nodePorts(old))) {
    for (const port of objectsAt(spec, "ports")) delete port["nodePort"];
  }
}

const nodePorts = (spec: JsonObject): (number | undefined)[] =>
  objectsAt(spec, "ports").map((port) => numberAt(port, "nodePort"));

function keepAllocated(spec: JsonObject, old: JsonObject): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (textAt(spec, "clusterIP") === "" && old["clusterIP"] !== undefined)
      spec["clusterIP"] = old["clusterIP"];
    if (textsAt(spec, "clusterIPs").length === 0 && spec["clusterIP"] === old["clusterIP"]) {
      if (old["clusterIPs"] !== undefined) spec["clusterIPs"] = old["clusterIPs"];
    }
  }
  if (needsNodePort(old) && needsNodePort(spec)) {
    const known = new Map(objectsAt(old, "ports").map((port) => [portKey(port), port["nodePort"]]));
    for (const port of objectsAt(spec, "ports")) {
      const before = known.get(portKey(port));
      if (before !== undefined) port["nodePort"] ??= before;
    }
  }
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && old["healthCheckNodePort"] !== undefined) {
    spec["healthCheckNodePort"] ??= old["healthCheckNodePort"];
  }
}

const portKey = (port: JsonObject): string => `${textAt(port, "protocol")}/${numberAt(port, "port")}`;

/**
 * Addresses decide the families; without them there is one, IPv4. A headless Service without a selector gets both,
 * since its endpoints are somebody else's.
 */
function inferFamilies(spec: JsonObject): void {
  if (!needsClusterIp(spec)) return;
  const ips = textsAt(spec, "clusterIPs");
  const families = textsAt(spec, "ipFamilies");
  const headless = isHeadless(spec);
  if (!headless) {
    for (const ip of ips.slice(families.length)) {
      const family = parseIp(ip)?.family;
      if (family !== undefined) families.push(`IPv${family}`);
    }
  }
  const selectorless = Object.keys(objectAt(spec, "selector") ?? {}).length === 0;
  const both = ips.length === 2 || families.length === 2 || (headless && selectorless);
  spec["ipFamilyPolicy"] ??= both ? BOTH : SINGLE;
  if (families.length === 0) families.push("IPv4");
  if (spec["ipFamilyPolicy"] !== SINGLE && families.length === 1) {
    families.push(...FAMILIES.filter((family) => family !== families[0]));
  }
  spec["ipFamilies"] = families;
}
