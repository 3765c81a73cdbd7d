// The cluster IPs of a Service and their families.
import { duplicate, type FieldError, invalid, notSupported, required } from "../../../meta/field-error.ts";
import type { JsonObject } from "../../../meta/json.ts";
import { validateIp } from "../../addresses.ts";
import { textAt, textsAt } from "../../fields.ts";
import { needsClusterIp } from "./defaults.ts";

const FAMILIES = ["IPv4", "IPv6"];
const FAMILY_POLICIES = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const IPS_MAX = 2;

export function validateClusterIps(spec: JsonObject): FieldError[] {
  if (!needsClusterIp(spec)) return [];
  const policy = textAt(spec, "ipFamilyPolicy");
  return [
    ...validateFamilies(textsAt(spec, "ipFamilies")),
    ...(policy === "" || FAMILY_POLICIES.includes(policy)
      ? []
      : [notSupported("spec.ipFamilyPolicy", policy, FAMILY_POLICIES)]),
    ...validateAgreement(textAt(spec, "clusterIP"), textsAt(spec, "clusterIPs")),
  ];
}

function validateFamilies(families: readonly string[]): FieldError[] {
  return families.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) return [notSupported(field, family, FAMILIES)];
    return families.indexOf(family) < index ? [duplicate(field, family)] : [];
  });
}

function validateAgreement(clusterIp: string, ips: readonly string[]): FieldError[] {
  const field = "spec.clusterIPs";
  const errors: FieldError[] = [];
  if (clusterIp === "" && ips.length > 0) {
    errors.push(invalid(field, ips, "must be empty when `clusterIP` is not specified"));
  } else if (clusterIp !== "" && ips.length === 0) errors.push(required(field));
  else if (clusterIp !== (ips[0] ?? "")) {
    errors.push(invalid(field, ips, "first value must match `clusterIP`"));
  }
  if (ips.length > 1 && ips.includes("None")) {
    errors.push(invalid(field, ips, "'None' must be the first and only value"));
  }
  if (ips.length > IPS_MAX) errors.push(invalid(field, ips, "may only hold up to 2 values"));
  ips.forEach((ip, index) => {
    if (ip !== "None") errors.push(...validateIp(`${field}[${index}]`, ip));
  });
  return errors;
}
