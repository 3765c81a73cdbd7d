// ValidatingWebhookConfiguration and MutatingWebhookConfiguration: webhooks that admit or reject writes; mutating ones
// may also change the object.

import {
  equalJson,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/meta/field-error.ts";
import { isDns1123Subdomain } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import {
  speaksKnownForm,
  validateReviewVersions,
  validateWebhookClient,
} from "../../apiserver/apiextensions/validation/webhook.ts";
import type { ResourceDefinition } from "../../apiserver/registry/definition/resource-definition.ts";
import { joinedErrors } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, integerColumn, itemsIn, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { type CodeRules, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import { ofAdmission, RULE_CODE, validateConditions } from "./rules.ts";

const SIDE_EFFECTS = ["None", "NoneOnDryRun", "Some", "Unknown"];
const HARMLESS = ["None", "NoneOnDryRun"];
const NAME_PARTS_MIN = 3;

function configurationKind(verb: "Mutating" | "Validating"): ResourceDefinition {
  const type = `io.k8s.api.admissionregistration.v1.${verb}Webhook`;
  return ofAdmission(`${verb}WebhookConfiguration`, {
    columns: [NAME, integerColumn("Webhooks", "How many webhooks there are.", itemsIn("webhooks")), AGE],
    strategy: {
      validate: (object) => validate(type, object),
      validateUpdate: (object, old) => validate(type, object, old),
    },
  });
}

/** Values that an old object already has are still accepted. */
function leniencyOf(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined) {
  const before = objectsAt(old, "webhooks");
  const now = objectsAt(object, "webhooks");
  const conditionsOf = (webhooks: readonly JsonObject[]) => webhooks.map((item) => item["matchConditions"]);
  const names = before.map((webhook) => textAt(webhook, "name"));
  const versions = before.map((webhook) => textsAt(webhook, "admissionReviewVersions"));
  return {
    conditions: now.length === before.length && equalJson(conditionsOf(now), conditionsOf(before)),
    sideEffects: before.some((webhook) => !HARMLESS.includes(textAt(webhook, "sideEffects"))),
    versions: versions.some((item) => item.length > 0 && !speaksKnownForm(item)),
    names: new Set(names).size < names.length,
  };
}

function validate(type: string, object: Readonly<KubeObject>, old?: Readonly<KubeObject>): FieldError[] {
  const leniency = leniencyOf(object, old);
  const code = codeFor(leniency);
  const names = new Set<string>();
  return objectsAt(object, "webhooks").flatMap((webhook, index) => {
    const field = `webhooks[${index}]`;
    const name = textAt(webhook, "name");
    const errors = schemaErrors(type, webhook, { field, code });
    if (!leniency.names && name !== "" && names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
    return errors;
  });
}

/** Code rules of a webhook. */
const codeFor = (leniency: ReturnType<typeof leniencyOf>): CodeRules => ({
  ...RULE_CODE,
  webhookName: ({ field, value }) => validateName(String(value), field),
  sideEffects: ({ field, owner }) =>
    validateEffects(owner["sideEffects"], `${field}.sideEffects`, leniency.sideEffects),
  client: ({ field, owner }) =>
    validateWebhookClient(objectAt(owner, "clientConfig") ?? {}, `${field}.clientConfig`),
  conditions: ({ field, owner }) => (leniency.conditions ? [] : validateConditions(owner, field, false)),
  versions: ({ field, owner }) =>
    validateReviewVersions(textsAt(owner, "admissionReviewVersions"), `${field}.admissionReviewVersions`, {
      mayBeUnknown: leniency.versions,
      whenMissing: "must specify one of v1, v1beta1",
    }),
});

function validateEffects(given: unknown, field: string, mayHarm: boolean): FieldError[] {
  const effects = mayHarm ? SIDE_EFFECTS : HARMLESS;
  if (given === undefined || given === null)
    return [required(field, `must specify one of ${effects.join(", ")}`)];
  return effects.includes(String(given)) ? [] : [notSupported(field, given, effects)];
}

function validateName(name: string, field: string): FieldError[] {
  if (name === "") return [required(field)];
  const malformed = joinedErrors(isDns1123Subdomain, field, name);
  if (malformed.length > 0) return malformed;
  if (name.split(".").length >= NAME_PARTS_MIN) return [];
  return [invalid(field, name, "should be a domain with at least three segments separated by dots")];
}

export const mutatingWebhookConfigurations = configurationKind("Mutating");
export const validatingWebhookConfigurations = configurationKind("Validating");
