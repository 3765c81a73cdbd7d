// ValidatingWebhookConfiguration and MutatingWebhookConfiguration: servers that are asked about writes and may refuse
// them; those of the second kind may change them, too.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1035Label, isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { validateWebhookService, validateWebhookUrl } from "../apiextensions.k8s.io/validation/webhook.ts";
import { formErrors } from "../checks.ts";
import { AGE, integerColumn, itemsIn, NAME } from "../columns.ts";
import { setDefault } from "../fields.ts";
import { type CodeRules, schemaErrors } from "../schema-rules.ts";
import { validateConditions } from "./expressions.ts";
import { defaultRules, ofAdmission, RULE_CODE } from "./rules.ts";

const SIDE_EFFECTS = ["None", "NoneOnDryRun", "Some", "Unknown"];
const HARMLESS = ["None", "NoneOnDryRun"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const HTTPS_PORT = 443;
const TIMEOUT_SECONDS = 10;
const NAME_PARTS_MIN = 3;

function configurationKind(verb: "Mutating" | "Validating"): ResourceDefinition {
  const type = `io.k8s.api.admissionregistration.v1.${verb}Webhook`;
  return ofAdmission(`${verb}WebhookConfiguration`, {
    columns: [NAME, integerColumn("Webhooks", "How many webhooks there are.", itemsIn("webhooks")), AGE],
    strategy: {
      applyDefaults(object) {
        for (const webhook of objectsAt(object, "webhooks")) applyDefaults(webhook, verb === "Mutating");
      },
      validate: (object) => validate(type, object, undefined),
      validateUpdate: (object, old) => validate(type, object, old),
    },
  });
}

function applyDefaults(webhook: JsonObject, mutating: boolean): void {
  setDefault(webhook, "failurePolicy", "Fail");
  setDefault(webhook, "matchPolicy", "Equivalent");
  webhook["namespaceSelector"] ??= {};
  webhook["objectSelector"] ??= {};
  webhook["timeoutSeconds"] ??= TIMEOUT_SECONDS;
  if (mutating) setDefault(webhook, "reinvocationPolicy", "Never");
  defaultRules(webhook, "rules");
  const service = objectAt(objectAt(webhook, "clientConfig"), "service");
  if (service) service["port"] ??= HTTPS_PORT;
}

/** What was allowed to be stored before stays allowed. */
interface Leniency {
  readonly conditions: boolean;
  readonly sideEffects: boolean;
  readonly versions: boolean;
  readonly names: boolean;
}

function leniencyOf(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): Leniency {
  if (old === undefined) return { conditions: false, sideEffects: false, versions: false, names: false };
  const before = objectsAt(old, "webhooks");
  const now = objectsAt(object, "webhooks");
  const conditionsOf = (webhooks: readonly JsonObject[]) => webhooks.map((item) => item["matchConditions"]);
  const names = before.map((webhook) => textAt(webhook, "name"));
  const versions = before.map((webhook) => textsAt(webhook, "admissionReviewVersions"));
  return {
    conditions: now.length === before.length && equalJson(conditionsOf(now), conditionsOf(before)),
    sideEffects: before.some((webhook) => !HARMLESS.includes(textAt(webhook, "sideEffects"))),
    versions: versions.some((item) => item.length > 0 && !item.some((one) => REVIEW_VERSIONS.includes(one))),
    names: new Set(names).size < names.length,
  };
}

function validate(
  type: string,
  object: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
): FieldError[] {
  const leniency = leniencyOf(object, old);
  const names = new Set<string>();
  return objectsAt(object, "webhooks").flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const name = textAt(webhook, "name");
    const errors = schemaErrors(type, webhook, { field: path, code: codeFor(webhook, leniency) });
    if (!leniency.names && name !== "" && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return errors;
  });
}

/** What a webhook must fulfil beyond its schema. */
const codeFor = (webhook: JsonObject, leniency: Leniency): CodeRules => ({
  ...RULE_CODE,
  webhookName: ({ field, value }) => validateName(String(value), field),
  sideEffects: ({ field }) => validateEffects(webhook, `${field}.sideEffects`, leniency),
  client: ({ field }) => validateClient(objectAt(webhook, "clientConfig") ?? {}, `${field}.clientConfig`),
  conditions: ({ field }) => (leniency.conditions ? [] : validateConditions(webhook, field, false)),
  versions: ({ field }) => validateVersions(webhook, field, leniency),
});

function validateEffects(webhook: JsonObject, field: string, leniency: Leniency): FieldError[] {
  const effects = leniency.sideEffects ? SIDE_EFFECTS : HARMLESS;
  const given = webhook["sideEffects"];
  if (given === undefined) return [required(field, `must specify one of ${effects.join(", ")}`)];
  return effects.includes(String(given)) ? [] : [notSupported(field, given, effects)];
}

function validateName(name: string, field: string): FieldError[] {
  if (name === "") return [required(field)];
  const complaints = isDns1123Subdomain(name);
  if (complaints.length > 0) return [invalid(field, name, complaints.join(","))];
  if (name.split(".").length >= NAME_PARTS_MIN) return [];
  return [invalid(field, name, "should be a domain with at least three segments separated by dots")];
}

function validateClient(client: JsonObject, path: string): FieldError[] {
  const service = objectAt(client, "service");
  const { url } = client;
  if ((typeof url === "string") === (service !== undefined))
    return [required(path, "exactly one of url or service is required")];
  if (typeof url === "string") return validateWebhookUrl(url, `${path}.url`);
  return validateWebhookService(service ?? {}, `${path}.service`);
}

function validateVersions(webhook: JsonObject, path: string, leniency: Leniency): FieldError[] {
  const versions = textsAt(webhook, "admissionReviewVersions");
  const field = `${path}.admissionReviewVersions`;
  const known = REVIEW_VERSIONS.join(", ");
  if (versions.length === 0) return [required(field, `must specify one of ${known}`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  versions.forEach((version, index) => {
    const at = `${field}[${index}]`;
    if (seen.has(version)) errors.push(invalid(at, version, "duplicate version"));
    else append(errors, formErrors(isDns1035Label, at, version));
    seen.add(version);
  });
  if (!leniency.versions && !versions.some((version) => REVIEW_VERSIONS.includes(version)))
    errors.push(invalid(field, versions, `must include at least one of ${known}`));
  return errors;
}

export const mutatingWebhookConfigurations = configurationKind("Mutating");
export const validatingWebhookConfigurations = configurationKind("Validating");
