// Which IP families a Service has: from its policy, its addresses and what it asks for, as far as this server has them.
// The steps and their refusals are those of a real server, which does all this before anything is allocated.

import { type FieldError, invalid } from "../../../meta/field-error.ts";
import { parseIp } from "../../../meta/ip.ts";
import { equalJson, type JsonObject, objectAt, textAt, textsAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { invalidObject } from "../../../meta/status.ts";
import { validateClusterIps } from "./cluster-ip-validation.ts";
import { isHeadless } from "./defaults.ts";
import { familiesOf, familyName, type ServiceNetwork } from "./network.ts";

const SINGLE = "SingleStack";
const PREFER = "PreferDualStack";
const REQUIRE = "RequireDualStack";
const POLICY = "spec.ipFamilyPolicy";
const BOTH_FAMILIES = ["IPv4", "IPv6"];
const DUAL_RULE = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";

/** Sets policy and families. Throws 422. */
export function settleFamilies(
  network: ServiceNetwork,
  name: string,
  spec: JsonObject,
  old: JsonObject | undefined,
): void {
  if (textAt(spec, "type") === "ExternalName" || keepsPreferred(spec, old)) return;
  spec["ipFamilyPolicy"] ??= old?.["ipFamilyPolicy"] ?? (isHeadlessWithoutSelector(spec) ? REQUIRE : SINGLE);
  refuse(name, validateClusterIps(spec));
  refuse(name, [
    ...(old ? followPolicy(spec, old) : []),
    ...policyErrors(spec),
    ...inferFamilies(network, spec),
  ]);
  if (!isHeadlessWithoutSelector(spec)) refuse(name, configuredErrors(network, spec));
  completeFamilies(network, spec);
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: "", kind: "Service" }, name, errors);
}

const isHeadlessWithoutSelector = (spec: JsonObject): boolean =>
  textAt(spec, "clusterIP") === "None" && Object.keys(objectAt(spec, "selector") ?? {}).length === 0;

/** A Service that prefers both families neither gains nor loses one by an update that is about something else. */
export function keepsPreferred(spec: JsonObject, old: JsonObject | undefined): boolean {
  if (old === undefined || old["ipFamilyPolicy"] !== PREFER) return false;
  if (textAt(old, "type") === "ExternalName" || textAt(spec, "type") === "ExternalName") return false;
  const same = (member: string): boolean => equalJson(spec[member] ?? null, old[member] ?? null);
  return ["type", "clusterIPs", "ipFamilies", "ipFamilyPolicy"].every(same);
}

/** Whoever turns to a single family drops the second one; with another policy none can be dropped. */
function followPolicy(spec: JsonObject, old: JsonObject): FieldError[] {
  const members = [
    ["clusterIPs", "must be 'SingleStack' to release the secondary cluster IP"],
    ["ipFamilies", "must be 'SingleStack' to release the secondary IP family"],
  ] as const;
  const policy = textAt(spec, "ipFamilyPolicy");
  return members.flatMap(([member, rule]) => {
    const [now, before] = [textsAt(spec, member), textsAt(old, member)];
    if (policy !== SINGLE) return isReduced(now, before) ? [invalid(POLICY, policy, rule)] : [];
    if (now.length > 1 && equalJson(now, before)) spec[member] = now.slice(0, 1);
    return [];
  });
}

const isReduced = (now: readonly string[], before: readonly string[]): boolean =>
  now.length > 0 && now.length < before.length;

function policyErrors(spec: JsonObject): FieldError[] {
  const policy = textAt(spec, "ipFamilyPolicy");
  if (policy !== SINGLE) return [];
  const has = (member: string): boolean => textsAt(spec, member).length === 2;
  return [
    ...(has("clusterIPs") ? [invalid(POLICY, policy, `${DUAL_RULE} cluster IPs are specified`)] : []),
    ...(has("ipFamilies") ? [invalid(POLICY, policy, `${DUAL_RULE} IP families are specified`)] : []),
  ];
}

/** Addresses say their family, where that is not given. */
function inferFamilies(network: ServiceNetwork, spec: JsonObject): FieldError[] {
  if (isHeadless(spec)) return [];
  const ips = textsAt(spec, "clusterIPs");
  const families = textsAt(spec, "ipFamilies");
  const errors: FieldError[] = [];
  for (let index = families.length; index < ips.length; index++) {
    const ip = parseIp(ips[index] ?? "");
    if (ip === undefined) continue;
    const family = familyName(ip);
    if (familiesOf(network).includes(family)) families.push(family);
    else {
      errors.push(invalid(`spec.clusterIPs[${index}]`, ips, `${family} is not configured on this cluster`));
    }
  }
  if (families.length > 0) spec["ipFamilies"] = families;
  return errors;
}

function configuredErrors(network: ServiceNetwork, spec: JsonObject): FieldError[] {
  const configured: readonly string[] = familiesOf(network);
  const policy = textAt(spec, "ipFamilyPolicy");
  const single = policy === REQUIRE && configured.length < 2;
  return [
    ...(single ? [invalid(POLICY, policy, "this cluster is not configured for dual-stack services")] : []),
    ...textsAt(spec, "ipFamilies").flatMap((family, index) =>
      configured.includes(family)
        ? []
        : [invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
    ),
  ];
}

/** The endpoints of a headless Service without a selector are somebody else's, so it may have what the server has not. */
function completeFamilies(network: ServiceNetwork, spec: JsonObject): void {
  const [usual = "IPv4", ...others] = familiesOf(network);
  const families = textsAt(spec, "ipFamilies");
  if (families.length === 0) families.push(usual);
  const both = isHeadlessWithoutSelector(spec) || others.length > 0;
  if (spec["ipFamilyPolicy"] !== SINGLE && families.length === 1 && both) {
    append(
      families,
      BOTH_FAMILIES.filter((family) => family !== families[0]),
    );
  }
  spec["ipFamilies"] = families;
}
