// Validation of signer names and of signed certificates.
import { pemBlocks } from "../../apimachinery/go/pem.ts";
import { goQuote } from "../../apimachinery/go/strconv.ts";
import { type FieldError, invalid, tooLong } from "../../apimachinery/meta/field-error.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../apimachinery/meta/names.ts";
import { certificateOf } from "../core/tls-key-pair.ts";

const SUBDOMAIN_MAX = 253;
const LABEL_MAX = 63;
/** A domain, a slash, a label, a dot and a subdomain. */
const NAME_MAX = SUBDOMAIN_MAX + 1 + LABEL_MAX + 1 + SUBDOMAIN_MAX;

/** A domain, and a path of one segment with parts separated by dots. */
export function validateSignerName(field: string, name: string): FieldError[] {
  const segments = name.split("/");
  if (segments.length !== 2) {
    const rule = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(field, name, rule)];
  }
  const [domain = "", path = ""] = segments;
  const tooFew = "should be a domain with at least two segments separated by dots";
  return [
    ...(domain.length > SUBDOMAIN_MAX ? [tooLong(field, SUBDOMAIN_MAX)] : []),
    ...firstWrongPart(field, domain, isDns1123Label),
    ...(domain.includes(".") ? [] : [invalid(field, domain, tooFew)]),
    ...firstWrongPart(field, path, isDns1123Subdomain),
    ...(name.length > NAME_MAX ? [tooLong(field, NAME_MAX)] : []),
  ];
}

function firstWrongPart(field: string, text: string, rule: (part: string) => string[]): FieldError[] {
  const wrong = text.split(".").find((part) => rule(part).length > 0);
  if (wrong === undefined) return [];
  return rule(wrong).map((why) => invalid(field, text, `validating label ${goQuote(wrong)}: ${why}`));
}

/** Go's error for PEM certificates; undefined: they are valid. */
export function certificateComplaint(pem: string): string | undefined {
  const blocks = pemBlocks(pem);
  if (blocks.length === 0) return "must contain one or more CERTIFICATE PEM blocks";
  for (const { type, bytes, hasHeaders } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
    if (hasHeaders) return "no PEM block headers are permitted";
    if (certificateOf(bytes) === undefined) return "x509: malformed certificate";
  }
  return undefined;
}
