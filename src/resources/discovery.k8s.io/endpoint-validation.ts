// What one endpoint of an EndpointSlice must fulfil.

import { duplicate, type FieldError, invalid, required, tooMany } from "../../meta/field-error.ts";
import { parseIp } from "../../meta/ip.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from "../../meta/names.ts";
import { validateEndpointIp, validateIp } from "../addresses.ts";
import { objectsAt, textAt, textsAt } from "../fields.ts";

export const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const ADDRESSES_MAX = 100;
const HINTS_MAX = 8;
const LABELS_MIN = 2;

export function validateEndpoint(field: string, endpoint: JsonObject, type: string): FieldError[] {
  const addresses = textsAt(endpoint, "addresses");
  const errors: FieldError[] = [];
  if (addresses.length === 0) {
    errors.push(required(`${field}.addresses`, "must contain at least 1 address"));
  } else if (addresses.length > ADDRESSES_MAX) {
    errors.push(tooMany(`${field}.addresses`, addresses.length, ADDRESSES_MAX));
  } else {
    addresses.forEach((address, index) => {
      append(errors, validateAddress(`${field}.addresses[${index}]`, address, type));
    });
  }
  const { nodeName, hostname } = endpoint;
  if (typeof nodeName === "string") {
    append(
      errors,
      isDns1123Subdomain(nodeName).map((text) => invalid(`${field}.nodeName`, nodeName, text)),
    );
  }
  if (typeof hostname === "string") {
    append(
      errors,
      isDns1123Label(hostname).map((text) => invalid(`${field}.hostname`, hostname, text)),
    );
  }
  return [...errors, ...validateHints(`${field}.hints`, objectAt(endpoint, "hints"))];
}

/** Where its traffic should come from: zones, and nodes. */
function validateHints(field: string, hints: JsonObject | undefined): FieldError[] {
  return [
    ...validateNames(`${field}.forZones`, objectsAt(hints, "forZones"), isLabelValue),
    ...validateNames(`${field}.forNodes`, objectsAt(hints, "forNodes"), isDns1123Subdomain),
  ];
}

function validateNames(
  field: string,
  items: readonly JsonObject[],
  complaintsAbout: (name: string) => string[],
): FieldError[] {
  if (items.length > HINTS_MAX) return [tooMany(field, items.length, HINTS_MAX)];
  const names = new Set<string>();
  return items.flatMap((item, index) => {
    const at = `${field}[${index}].name`;
    const name = textAt(item, "name");
    const errors = names.has(name) ? [duplicate(at, name)] : [];
    names.add(name);
    return [...errors, ...complaintsAbout(name).map((text) => invalid(at, name, text))];
  });
}

function validateAddress(field: string, address: string, type: string): FieldError[] {
  if (type === "FQDN") return validateDomain(field, address);
  if (!ADDRESS_TYPES.includes(type)) return [];
  const malformed = validateIp(field, address);
  if (malformed.length > 0) return malformed;
  const errors = validateEndpointIp(field, address);
  if (`IPv${parseIp(address)?.family}` !== type) {
    errors.unshift(invalid(field, address, `must be an ${type} address`));
  }
  return errors;
}

/** A name of at least two labels; a dot may end it. Only the first thing that is wrong is told. */
function validateDomain(field: string, address: string): FieldError[] {
  if (address === "") return [required(field)];
  const domain = address.replace(/\.$/, "");
  const complaints = isDns1123Subdomain(domain);
  if (complaints.length > 0) return [invalid(field, domain, complaints.join(","))];
  const labels = domain.split(".");
  if (labels.length < LABELS_MIN) {
    return [invalid(field, domain, "should be a domain with at least two segments separated by dots")];
  }
  const bad = labels.find((label) => isDns1123Label(label).length > 0);
  return bad === undefined ? [] : [invalid(field, bad, isDns1123Label(bad).join(","))];
}
