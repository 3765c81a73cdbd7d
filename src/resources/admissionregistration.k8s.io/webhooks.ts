// What configurations of validating and mutating webhooks have in common.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1035Label, isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Column, RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { validateWebhookService, validateWebhookUrl } from "../apiextensions.k8s.io/validation/webhook.ts";
import { AGE, integerColumn, NAME, timeSince } from "../columns.ts";
import { numberAt, objectsAt, setDefault, textAt, textsAt } from "../fields.ts";
import { validateLabelSelector } from "../label-selectors.ts";
import { validateConditions } from "./expressions.ts";
import { MATCH_POLICIES } from "./match-resources.ts";
import { FAILURE_POLICIES, REINVOCATION_POLICIES } from "./policy.ts";
import { defaultRules, validateRules } from "./rules.ts";

const SIDE_EFFECTS = ["None", "NoneOnDryRun", "Some", "Unknown"];
const HARMLESS = ["None", "NoneOnDryRun"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const HTTPS_PORT = 443;
const TIMEOUT_SECONDS = 10;
const TIMEOUT_SECONDS_MAX = 30;
const NAME_PARTS_MIN = 3;

export const WEBHOOK_COLUMNS: readonly Column[] = [
  NAME,
  integerColumn("Webhooks", "How many webhooks there are."),
  AGE,
];

export const printWebhooks: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const webhooks = objectsAt(object, "webhooks").length;
  return { cells: [textAt(metadata, "name"), webhooks, timeSince(metadata, "creationTimestamp", nowMs)] };
};

export function webhookStrategy(mutating: boolean): Strategy {
  return {
    hasGeneration: true,
    metadataChecksOnUpdate: ["new"],
    applyDefaults(object) {
      for (const webhook of objectsAt(object, "webhooks")) applyDefaults(webhook, mutating);
    },
    validate: (object) => validate(object, undefined),
    validateUpdate: validate,
  };
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

function validate(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): FieldError[] {
  const leniency = leniencyOf(object, old);
  const names = new Set<string>();
  return objectsAt(object, "webhooks").flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const name = textAt(webhook, "name");
    const errors = [
      ...validateWebhook(webhook, path, leniency),
      ...validateVersions(webhook, path, leniency),
    ];
    if (!leniency.names && name !== "" && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return errors;
  });
}

function validateWebhook(webhook: JsonObject, path: string, leniency: Leniency): FieldError[] {
  const errors = validateName(textAt(webhook, "name"), `${path}.name`);
  append(errors, validateRules(webhook, "rules", path));
  append(errors, validateIfGiven(webhook, "failurePolicy", path, FAILURE_POLICIES));
  append(errors, validateIfGiven(webhook, "matchPolicy", path, MATCH_POLICIES));
  const effects = leniency.sideEffects ? SIDE_EFFECTS : HARMLESS;
  if (textAt(webhook, "sideEffects") === "")
    errors.push(required(`${path}.sideEffects`, `must specify one of ${effects.join(", ")}`));
  append(errors, validateIfGiven(webhook, "sideEffects", path, effects));
  const seconds = numberAt(webhook, "timeoutSeconds");
  if (seconds !== undefined && (seconds > TIMEOUT_SECONDS_MAX || seconds < 1)) {
    const detail = `the timeout value must be between 1 and ${TIMEOUT_SECONDS_MAX} seconds`;
    errors.push(invalid(`${path}.timeoutSeconds`, seconds, detail));
  }
  for (const member of ["namespaceSelector", "objectSelector"])
    append(errors, validateLabelSelector(`${path}.${member}`, objectAt(webhook, member)));
  append(errors, validateIfGiven(webhook, "reinvocationPolicy", path, REINVOCATION_POLICIES));
  append(errors, validateClient(objectAt(webhook, "clientConfig") ?? {}, `${path}.clientConfig`));
  if (!leniency.conditions) append(errors, validateConditions(webhook, path, false));
  return errors;
}

function validateIfGiven(
  webhook: JsonObject,
  member: string,
  path: string,
  allowed: readonly string[],
): FieldError[] {
  const given = webhook[member];
  return given === undefined || given === null || allowed.includes(String(given))
    ? []
    : [notSupported(`${path}.${member}`, given, allowed)];
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
    else
      append(
        errors,
        isDns1035Label(version).map((text) => invalid(at, version, text)),
      );
    seen.add(version);
  });
  if (!leniency.versions && !versions.some((version) => REVIEW_VERSIONS.includes(version)))
    errors.push(invalid(field, versions, `must include at least one of ${known}`));
  return errors;
}
