// spec.conversion: whether a webhook converts between the versions of a kind, and where it is. The paths in findings
// are those of the older form of the API, in which clientConfig lies beside the strategy.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, textOf, textsOf } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { isDns1035Label } from "../../../meta/names.ts";
import { caBundleError } from "../../../registry/webhook.ts";
import { validateWebhookService, validateWebhookUrl } from "./webhook.ts";

const STRATEGIES = ["None", "Webhook"];
/** Forms of the ConversionReview that are spoken here. */
const REVIEW_VERSIONS = ["v1", "v1beta1"];

export interface ConversionRules {
  /** Established kinds must have certificates that can be read, unless they had none before. */
  readonly mayBeUnreadable: boolean;
  /** The webhook spoke no known form before either. */
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
      ...versionErrors(versions, at.versions, rules),
    ];
  }
  const misplaced = "should not be set when strategy is not set to Webhook";
  if (client !== undefined) errors.push(forbidden(at.client, misplaced));
  if (versions.length > 0) errors.push(forbidden(at.versions, misplaced));
  return errors;
}

function clientErrors(client: JsonObject | undefined, path: string, rules: ConversionRules): FieldError[] {
  if (client === undefined) return [required(path, "required when strategy is set to Webhook")];
  const { url } = client;
  const service = objectAt(client, "service");
  const errors: FieldError[] = [];
  if ((typeof url === "string") === (service !== undefined)) {
    errors.push(required(path, "exactly one of url or service is required"));
  } else if (typeof url === "string") append(errors, validateWebhookUrl(url, `${path}.url`));
  else if (service !== undefined) append(errors, validateWebhookService(service, `${path}.service`));
  const caBundle = textOf(client["caBundle"]);
  const unreadable = rules.mayBeUnreadable ? undefined : caBundleError(caBundle);
  if (unreadable !== undefined) {
    errors.push(invalid(`${path}.caBundle`, caBundle, `unable to load root certificates: ${unreadable}`));
  }
  return errors;
}

function versionErrors(versions: readonly string[], path: string, rules: ConversionRules): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    const field = `${path}[${index}]`;
    if (versions.indexOf(version) < index) errors.push(invalid(field, version, "duplicate version"));
    else
      append(
        errors,
        isDns1035Label(version).map((text) => invalid(field, version, text)),
      );
  }
  if (!rules.mayBeUnknown && !speaksKnownForm(versions)) {
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  }
  return errors;
}

const speaksKnownForm = (versions: readonly string[]): boolean =>
  versions.some((version) => REVIEW_VERSIONS.includes(version));

/** How much of it is asked of a changed CRD: what was wrong before may stay. */
export function conversionRulesAfter(old: Readonly<JsonObject>, established: boolean): ConversionRules {
  const webhook = objectAt(objectAt(objectAt(old, "spec"), "conversion"), "webhook");
  const versions = textsOf(webhook?.["conversionReviewVersions"]);
  const caBundle = textOf(objectAt(webhook, "clientConfig")?.["caBundle"]);
  return {
    mayBeUnreadable: !established || caBundleError(caBundle) !== undefined,
    mayBeUnknown: versions.length > 0 && !speaksKnownForm(versions),
  };
}
