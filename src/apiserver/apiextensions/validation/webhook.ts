// Webhook client configuration (a URL, or a Service with a path) and the review versions of a webhook.
import { parseUrl, type Url } from "../../../apimachinery/go/url.ts";
import { type JsonObject, objectAt, textOf, textsOf } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { isDns1035Label, isDns1123Subdomain } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "../../registry/strategy/checks.ts";
import { caBundleError } from "../../registry/webhook.ts";

const FORM = "; desired format: https://host[/path]";
const PORT_MAX = 65535;
/** Supported versions of ConversionReview and AdmissionReview. */
const REVIEW_VERSIONS = ["v1", "v1beta1"];

export const speaksKnownForm = (versions: readonly string[]): boolean =>
  versions.some((version) => REVIEW_VERSIONS.includes(version));

export function validateReviewVersions(
  versions: readonly string[],
  path: string,
  { mayBeUnknown, whenMissing = "" }: { readonly mayBeUnknown: boolean; readonly whenMissing?: string },
): FieldError[] {
  if (versions.length === 0) return [required(path, whenMissing)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const field = `${path}[${index}]`;
    if (seen.has(version)) errors.push(invalid(field, version, "duplicate version"));
    else append(errors, formErrors(isDns1035Label, field, version));
    seen.add(version);
  }
  if (!mayBeUnknown && !speaksKnownForm(versions)) {
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  }
  return errors;
}

export function validateWebhookClient(client: JsonObject, path: string): FieldError[] {
  const { url } = client;
  const service = objectAt(client, "service");
  if (typeof url === "string" && service === undefined) return validateUrl(url, `${path}.url`);
  if (typeof url !== "string" && service !== undefined) return validateService(service, `${path}.service`);
  return [required(path, "exactly one of url or service is required")];
}

function validateUrl(text: string, field: string): FieldError[] {
  const url = readUrl(text);
  if (typeof url === "string") return [required(field, `url must be a valid URL: ${url}${FORM}`)];
  const errors: FieldError[] = [];
  const [beforeFragment = "", ...afterMark] = text.split("#");
  const fragment = afterMark.join("#");
  const user = /^[^/?]*\/\/([^/?]*)@/.exec(beforeFragment)?.[1];
  if (url.scheme !== "https") {
    errors.push(invalid(field, url.scheme, `'https' is the only allowed URL scheme${FORM}`));
  }
  if (url.host === "") errors.push(invalid(field, "", `host must be specified${FORM}`));
  if (user !== undefined) errors.push(invalid(field, user, "user information is not permitted in the URL"));
  if (fragment !== "") errors.push(invalid(field, fragment, "fragments are not permitted in the URL"));
  if (url.query !== "")
    errors.push(invalid(field, url.query, "query parameters are not permitted in the URL"));
  return errors;
}

/** The parsed URL, or its error. A path alone is accepted, although no request can be sent to it. */
function readUrl(text: string): Pick<Url, "scheme" | "host" | "query"> | string {
  const url = parseUrl(text);
  const relative = typeof url === "string" && /(invalid URI for request|empty url)$/.test(url);
  return relative ? { scheme: "", host: "", query: /\?([^#]*)/.exec(text)?.[1] ?? "" } : url;
}

function validateService(service: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // Upstream swaps the two field names in its errors.
  if (textOf(service["namespace"]) === "") errors.push(required(`${path}.name`));
  if (textOf(service["name"]) === "") errors.push(required(`${path}.namespace`));
  const port = Number(service["port"] ?? 0);
  if (port < 1 || port > PORT_MAX) {
    errors.push(
      invalid(`${path}.port`, port, `port is not valid: must be between 1 and ${PORT_MAX}, inclusive`),
    );
  }
  return typeof service["path"] === "string"
    ? [...errors, ...pathErrors(service["path"], `${path}.path`)]
    : errors;
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalid(field, path, "segment[0] may not be empty")];
  const errors = path.startsWith("/") ? [] : [invalid(field, path, "must start with a '/'")];
  for (const [index, segment] of path.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") {
      errors.push(invalid(field, path, `segment[${index}] may not be empty`));
      continue;
    }
    for (const text of isDns1123Subdomain(segment))
      errors.push(invalid(field, path, `segment[${index}]: ${text}`));
  }
  return errors;
}

// spec.conversion: the conversion webhook of a kind. Field paths in findings are those of the older API, in which
// clientConfig is next to the strategy.

const STRATEGIES = ["None", "Webhook"];

interface ConversionRules {
  /** Established CRDs need a valid CA bundle, unless the old one was invalid. */
  readonly mayBeUnreadable: boolean;
  /** The old webhook supports no known review version either. */
  readonly mayBeUnknown: boolean;
}

export function validateConversion(
  conversion: JsonObject | undefined,
  path: string,
  rules: ConversionRules,
): FieldError[] {
  if (conversion === undefined) return [];
  const strategy = textOf(conversion["strategy"]);
  const webhook = objectAt(conversion, "webhook");
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(`${path}.strategy`));
  else if (!STRATEGIES.includes(strategy)) {
    errors.push(notSupported(`${path}.strategy`, strategy, STRATEGIES));
  }
  const at = { client: `${path}.webhookClientConfig`, versions: `${path}.conversionReviewVersions` };
  const client = objectAt(webhook, "clientConfig");
  const versions = textsOf(webhook?.["conversionReviewVersions"]);
  if (strategy === "Webhook") {
    return [
      ...errors,
      ...clientErrors(client, at.client, rules),
      ...validateReviewVersions(versions, at.versions, rules),
    ];
  }
  const misplaced = "should not be set when strategy is not set to Webhook";
  if (client !== undefined) errors.push(forbidden(at.client, misplaced));
  if (versions.length > 0) errors.push(forbidden(at.versions, misplaced));
  return errors;
}

function clientErrors(client: JsonObject | undefined, path: string, rules: ConversionRules): FieldError[] {
  if (client === undefined) return [required(path, "required when strategy is set to Webhook")];
  const errors = validateWebhookClient(client, path);
  const caBundle = textOf(client["caBundle"]);
  const unreadable = rules.mayBeUnreadable ? undefined : caBundleError(caBundle);
  if (unreadable !== undefined) {
    errors.push(invalid(`${path}.caBundle`, caBundle, `unable to load root certificates: ${unreadable}`));
  }
  return errors;
}

/** Lenience of the validation: values that were invalid before may stay. */
export function conversionRules(
  old: Readonly<JsonObject> | undefined,
  established: boolean,
): ConversionRules {
  const webhook = objectAt(objectAt(objectAt(old, "spec"), "conversion"), "webhook");
  const versions = textsOf(webhook?.["conversionReviewVersions"]);
  const caBundle = textOf(objectAt(webhook, "clientConfig")?.["caBundle"]);
  return {
    mayBeUnreadable: !established || caBundleError(caBundle) !== undefined,
    mayBeUnknown: versions.length > 0 && !speaksKnownForm(versions),
  };
}
