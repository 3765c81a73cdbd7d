// Checks of addresses that several kinds share, in the words of a real server's validation.
import { type FieldError, invalid } from "../meta/field-error.ts";
import { cidrContains, type IpAddress, parseCidr, parseIp } from "../meta/ip.ts";

const IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const LEADING_ZERO = /(^|[.:])0+(?=\d)/g;

/** An address as new objects must write it: no leading zeros, not IPv4 in the clothes of IPv6. */
export function validateIp(field: string, text: string): FieldError[] {
  const ip = parseIp(text);
  if (ip === undefined) {
    const sloppy = text.includes(".") && parseIp(text.replace(LEADING_ZERO, "$1")) !== undefined;
    return [invalid(field, text, sloppy ? "must not have leading 0s" : IP_RULE)];
  }
  return ip.mapped ? [invalid(field, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

const inRange = (...texts: readonly string[]): ((ip: IpAddress) => boolean) => {
  const cidrs = texts.flatMap((text) => parseCidr(text) ?? []);
  return (ip) => cidrs.some((cidr) => cidrContains(cidr, ip));
};
const isUnspecified = inRange("0.0.0.0/32", "::/128");
const SPECIAL: readonly { readonly holds: (ip: IpAddress) => boolean; readonly rule: string }[] = [
  {
    holds: inRange("127.0.0.0/8", "::1/128"),
    rule: "may not be in the loopback range (127.0.0.0/8, ::1/128)",
  },
  {
    holds: inRange("169.254.0.0/16", "fe80::/10"),
    rule: "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
  },
  {
    holds: inRange("224.0.0.0/24", ...Array.from("0123456789abcdef", (flags) => `ff${flags}2::/16`)),
    rule: "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  },
];

/** Endpoints may not be addresses that every machine has, or that reach only the same link. */
export function validateEndpointIp(field: string, text: string): FieldError[] {
  const ip = parseIp(text.replace(LEADING_ZERO, "$1"));
  if (ip === undefined) return [invalid(field, text, "must be a valid IP address")];
  if (isUnspecified(ip)) return [invalid(field, text, `may not be unspecified (${text})`)];
  const special = SPECIAL.find(({ holds }) => holds(ip));
  return special === undefined ? [] : [invalid(field, text, special.rule)];
}

/** A duplicate whose value is shown in the order of its members, as a Go struct is. */
export function duplicateShown(
  field: string,
  value: Readonly<Record<string, unknown>>,
  detail = "",
): FieldError {
  const message = `Duplicate value: ${JSON.stringify(value)}`;
  return { reason: "FieldValueDuplicate", field, message: detail ? `${message}: ${detail}` : message };
}
