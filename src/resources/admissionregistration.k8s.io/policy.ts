// What validating and mutating policies have in common.

import type { Scope } from "../../admission/expressions/compile.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { equalJson, isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { isDns1035Label, isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { joinedErrors, kindErrors } from "../checks.ts";
import { column } from "../columns.ts";
import { ensureObject, setDefault, specOf } from "../fields.ts";
import type { CodeRules, Place } from "../schema-rules.ts";
import { validateConditions, validateVariables } from "./expressions.ts";
import { defaultMatching, RULE_CODE } from "./rules.ts";

export const PARAM_KIND_COLUMN = column("ParamKind", "The kind of the parameters.", (object) => {
  const kind = objectAt(specOf(object), "paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
});

export function defaultPolicy(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  setDefault(spec, "failurePolicy", "Fail");
  defaultMatching(objectAt(spec, "matchConstraints"));
}

export const POLICY_CODE: CodeRules = {
  ...RULE_CODE,
  paramVersion: validateApiVersion,
  paramKind: ({ field, value }) => kindErrors(field, String(value)),
  constraints: ({ field, value }) =>
    isObject(value) && objectsAt(value, "resourceRules").length === 0
      ? [required(`${field}.resourceRules`)]
      : [],
  /** Conditions that were there before are not looked at again. */
  conditions: ({ field, owner, old }) =>
    old && ["paramKind", "matchConditions"].every((member) => equalJson(owner[member], old[member]))
      ? []
      : validateConditions(owner, field, hasParams(owner)),
};

const hasParams = (spec: JsonObject): boolean => objectAt(spec, "paramKind") !== undefined;

/** What is wrong with the variables of a policy, and what its expressions may use. */
export function policyScope(spec: JsonObject): { readonly errors: FieldError[]; readonly scope: Scope } {
  const params = hasParams(spec);
  const { errors, variables } = validateVariables(spec, params);
  return { errors, scope: { params, authorizer: true, ...(variables ? { variables } : {}) } };
}

function validateApiVersion({ field, value }: Place): FieldError[] {
  const text = String(value);
  const parts = text === "/" ? ["", ""] : text.split("/");
  if (parts.length > 2) return [invalid(field, text, `unexpected GroupVersion string: ${text}`)];
  const [version = "", group = ""] = parts.reverse();
  return [
    ...(group === "" ? [] : joinedErrors(isDns1123Subdomain, field, group)),
    ...(version === ""
      ? [invalid(field, text, "version must be specified")]
      : joinedErrors(isDns1035Label, field, version)),
  ];
}
