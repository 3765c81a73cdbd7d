// Validators of single values that several kinds share.
import { quantityNanos } from "../../../apimachinery/go/quantity.ts";
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { equalJson, type JsonObject, textAt } from "../../../apimachinery/json/json.ts";
import { encodeInOrder, encodeJson, escapeHtml } from "../../../apimachinery/json/json-encode.ts";
import {
  type FieldError,
  type FieldErrorReason,
  invalid,
  required,
  tooLong,
} from "../../../apimachinery/meta/field-error.ts";
import {
  type Cidr,
  cidrContains,
  type IpAddress,
  parseCidr,
  parseIp,
} from "../../../apimachinery/meta/ip.ts";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  nameIsDnsSubdomain,
} from "../../../apimachinery/meta/names.ts";
import { compileSchema } from "../../../apimachinery/schema/compile-schema.ts";
import { structOrder } from "../../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary, schemaRef } from "../../../apimachinery/schema/go/schema-library.ts";
import { hasNoBacksteps, isAbsolutePath, isCleanPath, isDescendingPath, isLocalPath } from "./paths.ts";

// Validators of addresses that several kinds share, with upstream's texts.

const IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const CIDR_RULE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const LEADING_ZERO = /(^|[.:])0+(?=\d)/g;
const LEADING_ZERO_IN_CIDR = /(^|[./])0+(?=\d)/g;

/** Errors of an IP address in a new object. */
export function isIp(text: string): string[] {
  const ip = parseIp(text);
  if (ip === undefined) {
    return [parseSloppyIp(text) === undefined ? IP_RULE : "must not have leading 0s"];
  }
  return ip.mapped ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

/** Validates an address of a new object: no leading zeros, no IPv4-mapped IPv6. */
export const validateIp = (field: string, text: string): FieldError[] => formErrors(isIp, field, text);

/** Errors of an address that must be in canonical form. */
export function isCanonicalIp(text: string): string[] {
  const complaints = isIp(text);
  const canonical = parseIp(text)?.text ?? "";
  return complaints.length > 0 || canonical === text ? complaints : [mustBeCanonical(canonical)];
}

const mustBeCanonical = (text: string): string => `must be in canonical form (${goQuote(text)})`;

/**
 * Validates that there is at most one value of each IP family. A value without a family cannot be parsed, which upstream
 * reports as an internal failure.
 */
export function familyErrors(
  field: string,
  families: readonly (4 | 6 | undefined)[],
  tell: { readonly broken: (index: number) => string; readonly tooMany: FieldError },
): FieldError[] {
  if (families.length < 2) return [];
  const broken = families.indexOf(undefined);
  if (broken < 0) return families.length > new Set(families).size ? [tell.tooMany] : [];
  return [
    { reason: "InternalError", field, message: `Internal error: ${tell.broken(broken)}` },
    tell.tooMany,
  ];
}

/** Parses an address leniently, also forms that new objects must not have. */
export const parseSloppyIp = (text: string): IpAddress | undefined =>
  parseIp(text) ?? (text.includes(".") ? parseIp(text.replace(LEADING_ZERO, "$1")) : undefined);

/** Parses a CIDR leniently, also forms that new objects must not have. */
export const parseSloppyCidr = (text: string): Cidr | undefined =>
  parseCidr(text) ?? parseCidr(text.replace(LEADING_ZERO_IN_CIDR, "$1"));

/** Validates a CIDR of a new object: no leading zeros, no bits set beyond the prefix. */
export function validateCidr(field: string, text: string): FieldError[] {
  const cidr = parseCidr(text);
  if (cidr === undefined) {
    const sloppy = parseSloppyCidr(text) !== undefined;
    return [invalid(field, text, sloppy ? "must not have leading 0s in IP or prefix length" : CIDR_RULE)];
  }
  if (cidr.address.mapped) return [invalid(field, text, "must not have an IPv4-mapped IPv6 address")];
  if (cidr.address.value === cidr.first) return [];
  return [invalid(field, text, "must not have bits set beyond the prefix length")];
}

export function validateCanonicalCidr(field: string, text: string): FieldError[] {
  const errors = validateCidr(field, text);
  const canonical = parseCidr(text)?.text ?? "";
  if (errors.length > 0 || canonical === text) return errors;
  return [invalid(field, text, mustBeCanonical(canonical))];
}

/** Warnings for a CIDR that validateCidr accepted: the recommended form. */
export function cidrWarnings(field: string, text: string): string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined || cidr.family === 4 || cidr.text === text) return [];
  const [shown, canonical] = [goQuote(text), goQuote(cidr.text)];
  return [`${field}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${canonical})`];
}

/** Warnings for an accepted address: the recommended form. None for a text that is no address. */
export function ipWarnings(field: string, text: string): string[] {
  const ip = parseIp(text) ?? parseIp(text.replace(LEADING_ZERO, "$1"));
  if (ip === undefined || ip.text === text) return [];
  const [shown, canonical] = [goQuote(text), goQuote(ip.text)];
  if (ip.family === 6) {
    return [`${field}: IPv6 address ${shown} should be in RFC 5952 canonical format (${canonical})`];
  }
  const odd = `${field}: non-standard IP address ${shown}`;
  return [`${odd} will be considered invalid in a future Kubernetes release: use ${canonical}`];
}

const inRange = (...texts: readonly string[]): ((ip: IpAddress) => boolean) => {
  const cidrs = texts.flatMap((text) => parseCidr(text) ?? []);
  return (ip) => cidrs.some((cidr) => cidrContains(cidr, ip));
};
const isUnspecified = inRange("0.0.0.0/32", "::/128");
const SPECIAL = [
  ["loopback range (127.0.0.0/8, ::1/128)", inRange("127.0.0.0/8", "::1/128")],
  ["link-local range (169.254.0.0/16, fe80::/10)", inRange("169.254.0.0/16", "fe80::/10")],
  [
    "link-local multicast range (224.0.0.0/24, ff02::/10)",
    inRange("224.0.0.0/24", ...Array.from("0123456789abcdef", (flags) => `ff${flags}2::/16`)),
  ],
] as const;

/** Rejects loopback, link-local and unspecified addresses as endpoints. */
export const validateEndpointIp = (field: string, text: string): FieldError[] =>
  formErrors(isEndpointIp, field, text);

export function isEndpointIp(text: string): string[] {
  const ip = parseIp(text.replace(LEADING_ZERO, "$1"));
  if (ip === undefined) return ["must be a valid IP address"];
  if (isUnspecified(ip)) return [`may not be unspecified (${text})`];
  const special = SPECIAL.find(([, holds]) => holds(ip));
  return special === undefined ? [] : [`may not be in the ${special[0]}`];
}

/** Errors of an address that must be reachable from other hosts. */
export function isExternalIp(text: string): string[] {
  const complaints = isIp(text);
  return complaints.length > 0 ? complaints : isEndpointIp(text);
}

const PORT_NAME_MAX = 15;

/** One finding for each error of the rule. */
export const formErrors = <T>(rule: (value: T) => string[], field: string, value: T): FieldError[] =>
  rule(value).map((complaint) => invalid(field, value, complaint));

/** The list that contains the field: upstream names it in some findings, without the index. */
export const ofList = (field: string): string => field.replace(/\[\d+\]$/, "");

/** Total size of a map's keys and values in bytes. */
export const bytesIn = (map: JsonObject): number =>
  Object.keys(map).reduce(
    (sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(textAt(map, key)),
    0,
  );

/** One finding with all errors in a line. */
export function joinedErrors(rule: (value: string) => string[], field: string, value: string): FieldError[] {
  const complaints = rule(value);
  return complaints.length === 0 ? [] : [invalid(field, value, complaints.join(","))];
}

/** A kind in lower case must be a DNS label. */
export function isKindName(kind: string): string[] {
  const complaints = isDns1035Label(kind.toLowerCase());
  if (complaints.length === 0) return [];
  return [`may have mixed case, but should otherwise match: ${complaints.join(",")}`];
}

/** Message of a rejection, if set: one line. */
export function isMessage(text: string): string[] {
  if (text.trim() === "") return ["must be non-empty if specified"];
  return /[\n\r]/.test(text.trim()) ? ["must not contain line breaks"] : [];
}

export const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
export const KEY_LENGTH_MAX = 253;
const KEY_COMPLAINT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Keys become file names. */
export function isConfigKey(key: string): string[] {
  const complaints: string[] = [];
  if (Buffer.byteLength(key) > KEY_LENGTH_MAX) {
    complaints.push(`must be no more than ${KEY_LENGTH_MAX} characters`);
  }
  if (!CONFIG_KEY.test(key)) complaints.push(KEY_COMPLAINT);
  if (key === "." || key === "..") complaints.push(`must not be '${key}'`);
  else if (key.startsWith("..")) complaints.push("must not start with '..'");
  return complaints;
}

export const isPortNumber = (port: number): string[] =>
  port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];

/** Name of a container port (IANA service name). */
export function isPortName(name: string): string[] {
  const complaints: string[] = [];
  if (name.length > PORT_NAME_MAX) {
    complaints.push(`must be no more than ${PORT_NAME_MAX} characters`);
  }
  if (!/^[-a-z0-9]+$/.test(name)) {
    complaints.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) complaints.push("must contain at least one letter (a-z)");
  if (name.includes("--")) complaints.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) complaints.push("must not begin or end with a hyphen");
  return complaints;
}

const DRIVER_NAME_BYTES_MAX = 63;

/** Name of a volume or device driver, case-insensitive. */
export function validateDriverName(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  const form = (text: string): string[] => isDns1123Subdomain(text.toLowerCase());
  const isLong = Buffer.byteLength(name) > DRIVER_NAME_BYTES_MAX;
  return [...(isLong ? [tooLong(field, DRIVER_NAME_BYTES_MAX)] : []), ...formErrors(form, field, name)];
}

export const validateSame = (field: string, value: unknown, before: unknown): FieldError[] =>
  equalJson(value, before) ? [] : [invalid(field, value, "field is immutable")];

const PERCENT = /^[0-9]+%$/;
const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** The number of an int-or-string: an integer, or a percentage ("25%"); 0 for other texts. */
export function amountOf(value: unknown): number {
  if (typeof value === "string") return PERCENT.test(value) ? Number.parseInt(value, 10) : 0;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : 0;
}

export function isAmount(value: unknown): string[] {
  if (typeof value === "string") return PERCENT.test(value) ? [] : [PERCENT_RULE];
  return amountOf(value) < 0 ? ["must be greater than or equal to 0"] : [];
}

export const isShare = (value: unknown): string[] =>
  typeof value === "string" && amountOf(value) > 100 ? ["must not be greater than 100%"] : [];

/** Error with a value whose Go type has JSON tags: it is shown with JSON names, in struct order. */
export function invalidTyped(type: string, field: string, value: JsonObject, detail: string): FieldError {
  const order = structOrder(compileSchema(schemaRef(type), schemaLibrary().resolve));
  const message = `Invalid value: ${escapeHtml(encodeJson(value, order))}`;
  return { reason: "FieldValueInvalid", field, message: detail === "" ? message : `${message}: ${detail}` };
}

/** A value that errors show as a Go struct, with members in struct order. */
type Struct = Readonly<Record<string, unknown>>;

const structError =
  (reason: FieldErrorReason, head: string) =>
  (field: string, value: Struct, detail = ""): FieldError => {
    const message = `${head} value: ${escapeHtml(encodeInOrder(value))}`;
    return { reason, field, message: detail === "" ? message : `${message}: ${detail}` };
  };

/** The value itself is not shown. */
export const invalidWhole = (field: string, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${detail}`,
});

/** Error with a list of structs; null: an unset list. */
export const invalidStructs = (
  field: string,
  value: readonly Struct[] | null,
  detail: string,
): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${escapeHtml(encodeInOrder(value))}: ${detail}`,
});

export const duplicateStruct = structError("FieldValueDuplicate", "Duplicate");
export const invalidStruct = structError("FieldValueInvalid", "Invalid");
const unsupportedStruct = structError("FieldValueNotSupported", "Unsupported");

export const notSupportedStruct = (field: string, value: Struct, supported: readonly string[]): FieldError =>
  unsupportedStruct(
    field,
    value,
    `supported values: ${supported.map((item) => encodeJson(item)).join(", ")}`,
  );

const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const WILDCARD_RULE = `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '${WILDCARD}')`;
const wildcard = new RegExp(`^${WILDCARD}$`);
const HOST_LENGTH_MAX = 253;

/** A host name, or a wildcard for all hosts below a domain. */
export function isHost(host: string): string[] {
  if (!host.includes("*")) return isDns1123Subdomain(host);
  return [
    ...(host.length > HOST_LENGTH_MAX ? [`must be no more than ${HOST_LENGTH_MAX} characters`] : []),
    ...(wildcard.test(host) ? [] : [WILDCARD_RULE]),
  ];
}

export const isNoAddress = (host: string): string[] =>
  parseIp(host) === undefined ? [] : ["must be a DNS name, not an IP address"];

const URL_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const urlPath = new RegExp(`^${URL_PATH}$`);

/** A domain, a slash and a valid URL path. */
export function validateDomainPath(field: string, text: string): FieldError[] {
  if (text === "") return [required(field)];
  const slash = text.indexOf("/");
  const [host, path] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (host === "" || path === "") {
    return [invalid(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = formErrors(isDns1123Subdomain, field, host);
  if (urlPath.test(path)) return errors;
  return [...errors, invalid(field, path, `Invalid path (regex used for validation is '${URL_PATH}')`)];
}

/** Name of an extended resource, whose domain must not be kubernetes.io. */
export function isExtendedResource(name: string): string[] {
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  const isKnown = !isNative && !name.startsWith("requests.");
  if (isKnown && isQualifiedName(`requests.${name}`).length === 0) return [];
  return ["must be a valid extended resource name"];
}

const between = (number: number, max: number, rule: string): string[] =>
  number >= 0 && number <= max ? [] : [rule];

const VARIABLE_NAME_RULE =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

const REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const REASON_RULE = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${REASON}')`;
const conditionReason = new RegExp(`^${REASON}$`);

/** Formats by the names that schema rules use for them. */
export const FORMATS = new Map<string, (value: never) => string[]>([
  ["dns-label", isDns1123Label],
  ["dns-subdomain", isDns1123Subdomain],
  ["joined-label", (label: string) => [isDns1035Label(label).join(",")].filter(Boolean)],
  ["kind", isKindName],
  ["message", isMessage],
  ["label-key", isQualifiedName],
  ["label-value", (text: string) => [isLabelValue(text).join(";")].filter(Boolean)],
  ["zone", isLabelValue],
  ["path-segment", (text: string) => isPathSegmentName(text, false)],
  ["generated-name", (text: string) => nameIsDnsSubdomain(text, true)],
  ["config-key", isConfigKey],
  ["variable-name", (name: string) => (/^[\x20-\x3c\x3e-\x7e]*$/.test(name) ? [] : [VARIABLE_NAME_RULE])],
  ["condition-reason", (reason: string) => (conditionReason.test(reason) ? [] : [REASON_RULE])],
  ["ip", isIp],
  ["not-ip", isNoAddress],
  ["endpoint-ip", isEndpointIp],
  ["host", isHost],
  ["descending-path", isDescendingPath],
  ["local-path", isLocalPath],
  ["absolute-path", isAbsolutePath],
  ["clean-path", isCleanPath],
  ["no-backsteps", hasNoBacksteps],
  ["canonical-ip", isCanonicalIp],
  ["external-ip", isExternalIp],
  ["more-than-nothing", (amount: unknown) => (quantityNanos(amount) > 0n ? [] : ["must be positive"])],
  [
    "no-less-than-nothing",
    (amount: unknown) => (quantityNanos(amount) < 0n ? ["must be greater than or equal to 0"] : []),
  ],
  ["amount", isAmount],
  ["share", isShare],
  ["extended-resource", isExtendedResource],
  ["port-number", isPortNumber],
  ["port", (port: number | string) => (typeof port === "string" ? isPortName(port) : isPortNumber(port))],
  [
    "file-mode",
    (mode: number) => between(mode, 0o777, "must be a number between 0 and 0777 (octal), both inclusive"),
  ],
  ["user-id", (id: number) => between(id, 2 ** 31 - 1, `must be between 0 and ${2 ** 31 - 1}, inclusive`)],
]);
