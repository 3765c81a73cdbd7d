// IP families of a Service: from its policy, addresses and requested families, limited to those of the server. Coroutine and
// errors are upstream's, and precede allocation.

import { equalJson, type JsonObject, objectAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  invalid,
  notSupported,
  repeated,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { parseIp } from "../../../apimachinery/meta/ip.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { invalidObject } from "../../../apimachinery/meta/status.ts";
import { validateIp } from "../../../apiserver/registry/strategy/checks.ts";
import { isHeadless, needsClusterIp } from "./defaults.ts";
import { familiesOf, familyName, type ServiceNetwork } from "./network.ts";

const SINGLE = "SingleStack";
const PREFER = "PreferDualStack";
const REQUIRE = "RequireDualStack";
const POLICIES = [PREFER, REQUIRE, SINGLE];
const POLICY = "spec.ipFamilyPolicy";
const FAMILIES = ["IPv4", "IPv6"];
const SECONDARIES = [
  { member: "clusterIPs", one: "cluster IP", many: "cluster IPs" },
  { member: "ipFamilies", one: "IP family", many: "IP families" },
] as const;
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

/** A Service with PreferDualStack neither gains nor loses a family by an unrelated update. */
export function keepsPreferred(spec: JsonObject, old: JsonObject | undefined): boolean {
  if (old === undefined || old["ipFamilyPolicy"] !== PREFER) return false;
  if (textAt(old, "type") === "ExternalName" || textAt(spec, "type") === "ExternalName") return false;
  const same = (member: string): boolean => equalJson(spec[member] ?? null, old[member] ?? null);
  return ["type", "clusterIPs", "ipFamilies", "ipFamilyPolicy"].every(same);
}

/** A change to SingleStack drops the secondary family; with other policies it cannot be removed. */
function followPolicy(spec: JsonObject, old: JsonObject): FieldError[] {
  const policy = textAt(spec, "ipFamilyPolicy");
  return SECONDARIES.flatMap(({ member, one }) => {
    const [now, before] = [textsAt(spec, member), textsAt(old, member)];
    if (policy === SINGLE) {
      if (now.length > 1 && equalJson(now, before)) spec[member] = now.slice(0, 1);
      return [];
    }
    const isReduced = now.length > 0 && now.length < before.length;
    return isReduced
      ? [invalid(POLICY, policy, `must be 'SingleStack' to release the secondary ${one}`)]
      : [];
  });
}

function policyErrors(spec: JsonObject): FieldError[] {
  const policy = textAt(spec, "ipFamilyPolicy");
  const told = SECONDARIES.filter(({ member }) => policy === SINGLE && textsAt(spec, member).length === 2);
  return told.map(({ many }) => invalid(POLICY, policy, `${DUAL_RULE} ${many} are specified`));
}

/** Derives unset families from the addresses. */
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

/** A headless Service without a selector has external endpoints, so it may have families that the server lacks. */
function completeFamilies(network: ServiceNetwork, spec: JsonObject): void {
  const [usual = "IPv4", ...others] = familiesOf(network);
  const families = textsAt(spec, "ipFamilies");
  if (families.length === 0) families.push(usual);
  const both = isHeadlessWithoutSelector(spec) || others.length > 0;
  if (spec["ipFamilyPolicy"] !== SINGLE && families.length === 1 && both) {
    append(
      families,
      FAMILIES.filter((family) => family !== families[0]),
    );
  }
  spec["ipFamilies"] = families;
}

const IPS_MAX = 2;
const IPS = "spec.clusterIPs";
const SET = "may not change once set";

/** Cluster IPs that can be allocated. */
export function validateClusterIps(spec: JsonObject): FieldError[] {
  if (!needsClusterIp(spec)) return [];
  const ips = textsAt(spec, "clusterIPs");
  const errors = [
    ...validateAgreement(textAt(spec, "clusterIP"), ips),
    ...validateFamilies(textsAt(spec, "ipFamilies")),
    ...validatePolicy(spec["ipFamilyPolicy"]),
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

/** An empty text counts as set, and is invalid. */
function validatePolicy(policy: unknown): FieldError[] {
  const isGood = policy === undefined || policy === null || POLICIES.includes(String(policy));
  return isGood ? [] : [notSupported(POLICY, policy, POLICIES)];
}

function validateFamilies(families: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return families.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(field, family, FAMILIES)]),
      ...repeated(seen, field, family),
    ];
  });
}

function validateEach(ips: readonly string[]): FieldError[] {
  return ips.flatMap((ip, index) => {
    if (index > 0 || ip !== "None") return validateIp(`${IPS}[${index}]`, ip);
    return ips.length > 1 ? [invalid(IPS, ips, "'None' must be the first and only value")] : [];
  });
}

/** Compares the addresses with each other, and with the requested families. */
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

/** Mutable parts: a Service may gain and lose its secondary family; the primary one is immutable. */
export function validateClusterIpUpdate(spec: JsonObject, old: JsonObject): FieldError[] {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return [];
  const headless = isHeadless(spec);
  const wasHeadless = isHeadless(old);
  return [
    ...(headless && wasHeadless ? [] : ipChanges(spec, old)),
    ...(headless || wasHeadless ? [] : familyChanges(spec, old)),
  ];
}

function policyError(spec: JsonObject, what: string): FieldError[] {
  const policy = textAt(spec, "ipFamilyPolicy");
  const rule = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return policy === SINGLE ? [] : [invalid(POLICY, policy, rule)];
}

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
