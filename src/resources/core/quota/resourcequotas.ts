// ResourceQuota: what the objects of a namespace may use together. Kept as data: nobody counts here.
import { type FieldError, invalid } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../../meta/json.ts";
import type { Strategy } from "../../../registry/definition/strategy.ts";
import { AGE, column, NAME } from "../../columns.ts";
import { builtIn } from "../../define.ts";
import { validateAmounts, validateQuotaSpec } from "./resourcequota-validation.ts";

/** What is used of what may be: of requests, or of limits. */
const shownUse = (wanted: boolean) => (object: Readonly<JsonObject>) => {
  const status = objectAt(object, "status");
  return Object.keys(objectAt(status, "hard") ?? {})
    .filter((name) => name.startsWith("limits.") === wanted)
    .sort()
    .map((name) => `${name}: ${amountOf(status, "used", name)}/${amountOf(status, "hard", name)}`)
    .join(", ");
};

const amountOf = (status: JsonObject | undefined, member: string, name: string): string =>
  textAt(objectAt(status, member), name) || "0";

const specOf = (object: Readonly<JsonObject>) => objectAt(object, "spec");

function validateScopesUnchanged(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const scopes = textsAt(specOf(object), "scopes");
  const before = new Set(textsAt(specOf(old), "scopes"));
  const same = new Set(scopes).size === before.size && scopes.every((scope) => before.has(scope));
  return same ? [] : [invalid("spec.scopes", scopes, "field is immutable")];
}

const strategy: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  prepareForCreate(object) {
    object["status"] = {};
  },
  prepareForUpdate(object, old) {
    object["status"] = old["status"] ?? {};
  },
  validate: (object) => validateQuotaSpec(specOf(object)),
  validateUpdate: (object, old) => [
    ...validateQuotaSpec(specOf(object)),
    ...validateScopesUnchanged(object, old),
  ],
};

const status: Strategy = {
  ...strategy,
  resetFields: [["spec"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"] ?? {};
  },
  validateUpdate(object) {
    const amounts = objectAt(object, "status");
    return [
      ...validateAmounts("status.hard", objectAt(amounts, "hard")),
      ...validateAmounts("status.used", objectAt(amounts, "used")),
    ];
  },
};

export const resourceQuotas = builtIn("v1", "ResourceQuota", {
  shortNames: ["quota"],
  columns: [
    NAME,
    column("Request", "What is used of what may be requested, by resource.", shownUse(false)),
    column("Limit", "What is used of what limits may sum up to, by resource.", shownUse(true)),
    AGE,
  ],
  strategy,
  status,
  returnsDeletedObject: true,
});
