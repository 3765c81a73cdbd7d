// ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding: enable a policy, with parameters.

import { objectAt, textAt } from "../../apimachinery/json/json.ts";
import { invalid } from "../../apimachinery/meta/field-error.ts";
import { formatSelectorStruct } from "../../apimachinery/meta/label-selector.ts";
import type { ResourceDefinition } from "../../apiserver/registry/definition/resource-definition.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules } from "../../apiserver/registry/strategy/schema-rules.ts";
import { ofAdmission, RULE_CODE, validateMutatingOperations } from "./rules.ts";

export const PARAM_REF_COLUMN = column("ParamRef", "Where its parameters are.", (object) => {
  const ref = objectAt(specOf(object), "paramRef");
  const name = textAt(ref, "name");
  if (name !== "") return `${textAt(ref, "namespace") || "*"}/${name}`;
  const selector = objectAt(ref, "selector");
  return selector ? formatSelectorStruct(selector) : "<unset>";
});

const bindingKind = (kind: string): ResourceDefinition =>
  ofAdmission(kind, {
    columns: [
      NAME,
      column("PolicyName", "The policy that is put in force.", "spec.policyName"),
      PARAM_REF_COLUMN,
      AGE,
    ],
    rules,
  });

const rules: CodeRules = {
  ...RULE_CODE,
  actions: ({ field, value }) =>
    Array.isArray(value) && value.includes("Deny") && value.includes("Warn")
      ? [invalid(field, value, BOTH)]
      : [],
  operations: ({ field, owner }) =>
    validateMutatingOperations(objectAt(owner, "matchResources"), `${field}.matchResources`),
};

const BOTH =
  "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";

export const validatingAdmissionPolicyBindings = bindingKind("ValidatingAdmissionPolicyBinding");
export const mutatingAdmissionPolicyBindings = bindingKind("MutatingAdmissionPolicyBinding");
