// DNS configuration of a pod.

import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../../apimachinery/meta/field-error.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { formErrors, isCanonicalIp } from "../../../apiserver/registry/strategy/checks.ts";

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCHES_LENGTH_MAX = 2048;

export function validateDns(place: string, spec: JsonObject): FieldError[] {
  const config = objectAt(spec, "dnsConfig");
  const servers = textsAt(config, "nameservers");
  if (textAt(spec, "dnsPolicy") === "None") {
    if (config === undefined) return [required(place, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (servers.length === 0) {
      const rule = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required(`${place}.nameservers`, rule)];
    }
  }
  const errors: FieldError[] = [];
  if (servers.length > NAMESERVERS_MAX) {
    const rule = `must not have more than ${NAMESERVERS_MAX} nameservers`;
    errors.push(invalid(`${place}.nameservers`, servers, rule));
  }
  servers.forEach((server, index) => {
    append(errors, formErrors(isCanonicalIp, `${place}.nameservers[${index}]`, server));
  });
  append(errors, validateSearches(`${place}.searches`, textsAt(config, "searches")));
  objectsAt(config, "options").forEach((option, index) => {
    if (textAt(option, "name") !== "") return;
    errors.push(required(`${place}.options[${index}]`, "must not be empty"));
  });
  return errors;
}

function validateSearches(field: string, searches: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > SEARCHES_MAX) {
    errors.push(invalid(field, searches, `must not have more than ${SEARCHES_MAX} search paths`));
  }
  if (Buffer.byteLength(searches.join(" ")) > SEARCHES_LENGTH_MAX) {
    const rule = `must not have more than ${SEARCHES_LENGTH_MAX} characters (including spaces) in the search list`;
    errors.push(invalid(field, searches, rule));
  }
  searches.forEach((search, index) => {
    // A search domain may have a trailing dot, or be the root ".".
    const domain = search.replace(/\.$/, "");
    if (search !== ".") append(errors, formErrors(isSearchDomain, `${field}[${index}]`, domain));
  });
  return errors;
}

const DOMAIN_LENGTH_MAX = 253;
const LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const DOMAIN = `${LABEL}(\\.${LABEL})*`;
const DOMAIN_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${DOMAIN}')`;
const domainPattern = new RegExp(`^(?:${DOMAIN})$`);

const isSearchDomain = (domain: string): string[] => [
  ...(Buffer.byteLength(domain) > DOMAIN_LENGTH_MAX
    ? [`must be no more than ${DOMAIN_LENGTH_MAX} characters`]
    : []),
  ...(domainPattern.test(domain) ? [] : [DOMAIN_RULE]),
];
