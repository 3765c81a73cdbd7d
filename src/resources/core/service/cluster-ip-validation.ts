// The cluster IPs of a Service and their families: what can be given, and what of it can change. A Service may gain and
// lose its second family; the first one stays.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { parseIp } from "../../../meta/ip.ts";
import { type JsonObject, textAt, textsAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { validateIp } from "../../addresses.ts";
import { isHeadless, needsClusterIp } from "./defaults.ts";
import { familyName } from "./network.ts";

const FAMILIES = ["IPv4", "IPv6"];
const FAMILY_POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const IPS_MAX = 2;
const IPS = "spec.clusterIPs";
const SET = "may not change once set";

export function validateClusterIps(spec: JsonObject): FieldError[] {
  if (!needsClusterIp(spec)) return [];
  const ips = textsAt(spec, "clusterIPs");
  const policy = textAt(spec, "ipFamilyPolicy");
  const errors = [
    ...validateAgreement(textAt(spec, "clusterIP"), ips),
    ...validateFamilies(textsAt(spec, "ipFamilies")),
    ...(policy === "" || FAMILY_POLICIES.includes(policy)
      ? []
      : [notSupported("spec.ipFamilyPolicy", policy, FAMILY_POLICIES)]),
  ];
  const ofIps = validateEach(ips);
  append(errors, ofIps);
  if (ips.length > IPS_MAX) errors.push(invalid(IPS, ips, "may only hold up to 2 values"));
  return ofIps.length > 0 ? errors : [...errors, ...validateMatch(spec, ips)];
}

function validateAgreement(clusterIp: string, ips: readonly string[]): FieldError[] {
  if (clusterIp === "") {
    return ips.length > 0 ? [invalid(IPS, ips, "must be empty when `clusterIP` is not specified")] : [];
  }
  if (ips.length === 0) return [required(IPS)];
  return clusterIp === ips[0] ? [] : [invalid(IPS, ips, "first value must match `clusterIP`")];
}

function validateFamilies(families: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return families.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    const again = seen.has(family);
    seen.add(family);
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(field, family, FAMILIES)]),
      ...(again ? [duplicate(field, family)] : []),
    ];
  });
}

function validateEach(ips: readonly string[]): FieldError[] {
  return ips.flatMap((ip, index) => {
    if (index > 0 || ip !== "None") return validateIp(`${IPS}[${index}]`, ip);
    return ips.length > 1 ? [invalid(IPS, ips, "'None' must be the first and only value")] : [];
  });
}

/** Addresses against each other, and against the families that are given. */
function validateMatch(spec: JsonObject, ips: readonly string[]): FieldError[] {
  const found = ips.map((ip) => parseIp(ip)).map((ip) => (ip ? familyName(ip) : undefined));
  const errors: FieldError[] = [];
  if (ips.length > 1 && new Set(found).size < ips.length) {
    errors.push(invalid(IPS, ips, "may specify no more than one IP for each IP family"));
  }
  if (isHeadless(spec)) return errors;
  textsAt(spec, "ipFamilies").forEach((family, index) => {
    const given = found[index];
    if (given === undefined || given === family || !FAMILIES.includes(family)) return;
    const rule = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(`${IPS}[${index}]`, ips[index], rule));
  });
  return errors;
}

/** What an update may not do to them. */
export function validateClusterIpUpdate(spec: JsonObject, old: JsonObject): FieldError[] {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return [];
  const headless = isHeadless(spec);
  const wasHeadless = isHeadless(old);
  return [
    ...(headless && wasHeadless ? [] : ipChanges(spec, old)),
    ...(headless || wasHeadless ? [] : familyChanges(spec, old)),
  ];
}

const policyError = (spec: JsonObject, what: string): FieldError[] => {
  const policy = textAt(spec, "ipFamilyPolicy");
  if (policy === "SingleStack") return [];
  return [
    invalid(
      "spec.ipFamilyPolicy",
      policy,
      `must be set to 'SingleStack' when releasing the secondary ${what}`,
    ),
  ];
};

function ipChanges(spec: JsonObject, old: JsonObject): FieldError[] {
  const ips = textsAt(spec, "clusterIPs");
  const before = textsAt(old, "clusterIPs");
  if (ips.length === before.length) {
    return before.flatMap((ip, index) => (ip === ips[index] ? [] : [invalid(`${IPS}[${index}]`, ips, SET)]));
  }
  if (ips.length === 0) return [invalid(`${IPS}[0]`, ips, "primary clusterIP can not be unset")];
  return [
    ...(before.length > 0 && ips[0] !== before[0] ? [invalid(`${IPS}[0]`, ips, SET)] : []),
    ...(ips.length === 1 && before.length > 1 ? policyError(spec, "clusterIP") : []),
  ];
}

function familyChanges(spec: JsonObject, old: JsonObject): FieldError[] {
  const field = "spec.ipFamilies[0]";
  const families = textsAt(spec, "ipFamilies");
  const before = textsAt(old, "ipFamilies");
  if (families.length === before.length) {
    return before.flatMap((family, index) =>
      family === families[index] ? [] : [invalid(field, families, SET)],
    );
  }
  const changed = families.length > 0 && before.length > 0 && families[0] !== before[0];
  return [
    ...(changed ? [invalid(field, textsAt(spec, "clusterIPs"), SET)] : []),
    ...(families.length === 1 && before.length > 1 ? policyError(spec, "ipFamily") : []),
  ];
}
