// spec.conversion: whether a webhook converts between the versions of a kind, and where it is. The paths in findings
// are those of the older form of the API, in which clientConfig lies beside the strategy.

import { type FieldError, forbidden, invalid, notSupported, required } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, textOf, textsOf } from "../../../meta/json.ts";
import { caBundleError } from "../../../registry/webhook.ts";
import { speaksKnownForm, validateReviewVersions, validateWebhookClient } from "./webhook.ts";

const STRATEGIES = ["None", "Webhook"];

interface ConversionRules {
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

/** How much of it is asked: what was wrong before may stay. */
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
