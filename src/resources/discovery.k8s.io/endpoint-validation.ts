// What an EndpointSlice must fulfil beyond the rules of its schema.

import { duplicate, type FieldError, invalid, required } from "../../meta/field-error.ts";
import { parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject, textAt } from "../../meta/json.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from "../../meta/names.ts";
import { validateEndpointIp, validateIp } from "../addresses.ts";
import { type CodeRules, type Place, schemaErrors } from "../schema-rules.ts";

const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const LABELS_MIN = 2;

export function validateSlice(object: Readonly<JsonObject>): FieldError[] {
  const type = textAt(object, "addressType");
  const names = new Set<string>();
  const code: CodeRules = {
    address: ({ field, value }) => validateAddress(field, String(value), type),
    zones: (place) => validateNames(place, isLabelValue),
    nodes: (place) => validateNames(place, isDns1123Subdomain),
    portName: ({ field, value }) => {
      const name = String(value);
      const complaints = name === "" ? [] : isDns1123Label(name);
      return [...complaints.map((text) => invalid(field, name, text)), ...repeated(names, field, name)];
    },
  };
  return schemaErrors("io.k8s.api.discovery.v1.EndpointSlice", object, { code });
}

function validateNames({ field, value }: Place, complaintsAbout: (name: string) => string[]): FieldError[] {
  const names = new Set<string>();
  return [value].flat().flatMap((item, index) => {
    const at = `${field}[${index}].name`;
    const name = isObject(item) ? textAt(item, "name") : "";
    return [...repeated(names, at, name), ...complaintsAbout(name).map((text) => invalid(at, name, text))];
  });
}

function repeated(names: Set<string>, field: string, name: string): FieldError[] {
  if (names.has(name)) return [duplicate(field, name)];
  names.add(name);
  return [];
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
