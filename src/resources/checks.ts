// Checks of single values that several kinds share.
import { quantityNanos } from "../go/quantity.ts";
import { goQuote } from "../go/strconv.ts";
import { type FieldError, type FieldErrorReason, invalid, required, tooLong } from "../meta/field-error.ts";
import { type Cidr, cidrContains, type IpAddress, parseCidr, parseIp } from "../meta/ip.ts";
import { equalJson, type JsonObject, textAt } from "../meta/json.ts";
import { encodeInOrder, encodeJson, escapeHtml } from "../meta/json-encode.ts";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  nameIsDnsSubdomain,
} from "../meta/names.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { structOrder } from "../schema/go/go-struct.ts";
import { schemaLibrary, schemaRef } from "../schema/go/schema-library.ts";
import { hasNoBacksteps, isAbsolutePath, isCleanPath, isDescendingPath, isLocalPath } from "./paths.ts";

// Checks of addresses that several kinds share, in the words of a real server's validation.

const IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const CIDR_RULE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const LEADING_ZERO = /(^|[.:])0+(?=\d)/g;
const LEADING_ZERO_IN_CIDR = /(^|[./])0+(?=\d)/g;

/** What keeps a text from being an address as new objects must write it. */
export function isIp(text: string): string[] {
  const ip = parseIp(text);
  if (ip === undefined) {
    return [parseSloppyIp(text) === undefined ? IP_RULE : "must not have leading 0s"];
  }
  return ip.mapped ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

/** An address as new objects must write it: no leading zeros, not IPv4 in the clothes of IPv6. */
export const validateIp = (field: string, text: string): FieldError[] => formErrors(isIp, field, text);

/** What keeps a text from being an address and the only way to write it. */
export function isCanonicalIp(text: string): string[] {
  const complaints = isIp(text);
  const canonical = parseIp(text)?.text ?? "";
  return complaints.length > 0 || canonical === text ? complaints : [mustBeCanonical(canonical)];
}

const mustBeCanonical = (text: string): string => `must be in canonical form (${goQuote(text)})`;

/** There is at most one of each family; what has none cannot be read, which a real server tells as its own failure. */
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

/** An address as it can be understood, even if new objects may not write it so. */
export const parseSloppyIp = (text: string): IpAddress | undefined =>
  parseIp(text) ?? (text.includes(".") ? parseIp(text.replace(LEADING_ZERO, "$1")) : undefined);

/** A network as it can be understood, even if new objects may not write it so. */
export const parseSloppyCidr = (text: string): Cidr | undefined =>
  parseCidr(text) ?? parseCidr(text.replace(LEADING_ZERO_IN_CIDR, "$1"));

/** A network as new objects must write it: no leading zeros, no bits behind the prefix. */
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

/** For a network that validateCidr let pass: what it should rather be written like. */
export function cidrWarnings(field: string, text: string): string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined || cidr.family === 4 || cidr.text === text) return [];
  const [shown, canonical] = [goQuote(text), goQuote(cidr.text)];
  return [`${field}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${canonical})`];
}

/** For an address that may stand in a field: what it should rather be written like. Nothing for what is no address. */
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

/** Endpoints may not be addresses that every machine has, or that reach only the same link. */
export const validateEndpointIp = (field: string, text: string): FieldError[] =>
  formErrors(isEndpointIp, field, text);

export function isEndpointIp(text: string): string[] {
  const ip = parseIp(text.replace(LEADING_ZERO, "$1"));
  if (ip === undefined) return ["must be a valid IP address"];
  if (isUnspecified(ip)) return [`may not be unspecified (${text})`];
  const special = SPECIAL.find(([, holds]) => holds(ip));
  return special === undefined ? [] : [`may not be in the ${special[0]}`];
}

/** What keeps a text from being an address at which something else is reached. */
export function isExternalIp(text: string): string[] {
  const complaints = isIp(text);
  return complaints.length > 0 ? complaints : isEndpointIp(text);
}

const PORT_NAME_MAX = 15;

/** A finding for each complaint of the rule about the value. */
export const formErrors = <T>(rule: (value: T) => string[], field: string, value: T): FieldError[] =>
  rule(value).map((complaint) => invalid(field, value, complaint));

/** The list that the place is in: a real server names it in some findings, without the number of the item. */
export const ofList = (field: string): string => field.replace(/\[\d+\]$/, "");

/** Of a map of texts: its keys and values together. */
export const bytesIn = (map: JsonObject): number =>
  Object.keys(map).reduce(
    (sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(textAt(map, key)),
    0,
  );

/** One finding, with all complaints in a line. */
export function joinedErrors(rule: (value: string) => string[], field: string, value: string): FieldError[] {
  const complaints = rule(value);
  return complaints.length === 0 ? [] : [invalid(field, value, complaints.join(","))];
}

/** The name of a kind is a DNS label once it is in lower case. */
export function isKindName(kind: string): string[] {
  const complaints = isDns1035Label(kind.toLowerCase());
  if (complaints.length === 0) return [];
  return [`may have mixed case, but should otherwise match: ${complaints.join(",")}`];
}

/** The text of a refusal, if it is given: one line. */
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

/** The name of a port of a container (IANA service name). */
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

/** The name of a driver of volumes or devices; capitals do not count. */
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

/** Of what is a number or a share of the whole ("25%"): the number, of whatever it counts; other texts count nothing. */
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

/** A value of a type whose members have names for JSON in Go, too: it is shown with them in the order of the struct. */
export function invalidTyped(type: string, field: string, value: JsonObject, detail: string): FieldError {
  const order = structOrder(compileSchema(schemaRef(type), schemaLibrary().resolve));
  const message = `Invalid value: ${escapeHtml(encodeJson(value, order))}`;
  return { reason: "FieldValueInvalid", field, message: detail === "" ? message : `${message}: ${detail}` };
}

/** A value that messages show as a Go struct: its members in the order of the struct, not of the alphabet. */
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

/** Of a list of structs; null: there is none. */
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

/** The name of a host, or of all hosts below a domain. */
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

/** A domain, a slash and anything that may stand in the path of a URL. */
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

/** A resource of devices, with the domain of somebody else than Kubernetes. */
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

/** What keeps a value from having a form, by the names that the rules of schemas call them. */
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
