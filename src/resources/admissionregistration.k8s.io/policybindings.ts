// ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding: put a policy in force, with parameters.

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isPathSegmentName } from "../../meta/names.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { formErrors } from "../checks.ts";
import { AGE, column, NAME } from "../columns.ts";
import { specOf } from "../fields.ts";
import { formatSelectorStruct, validateLabelSelector } from "../label-selectors.ts";
import { type CodeRules, schemaErrors } from "../schema-rules.ts";
import { ofAdmission, RULE_CODE, validateMutatingOperations } from "./rules.ts";

const ACTIONS = ["Audit", "Deny", "Warn"];
const isSegment = (name: string): string[] => isPathSegmentName(name, false);
const MATCHING = "io.k8s.api.admissionregistration.v1.MatchResources";

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
  nameOrSelector: ({ field, owner }) => validateNameOrSelector(field, owner),
  /** The path is misspelt in the findings of a real server. */
  matching({ field, owner }) {
    const matching = objectAt(owner, "matchResources");
    return matching ? schemaErrors(MATCHING, matching, { field: `${field}.matchResouces`, code: rules }) : [];
  },
  actions: ({ field, owner }) =>
    validateActions(`${field}.validationActions`, textsAt(owner, "validationActions")),
  operations: ({ field, owner }) =>
    validateMutatingOperations(objectAt(owner, "matchResources"), `${field}.matchResources`),
};

const EXCLUSIVE = "name and selector are mutually exclusive";

function validateNameOrSelector(path: string, ref: JsonObject): FieldError[] {
  const name = textAt(ref, "name");
  const selector = objectAt(ref, "selector");
  const errors: FieldError[] = [];
  if (name !== "") {
    append(errors, formErrors(isSegment, `${path}.name`, name));
    if (selector) errors.push(forbidden(`${path}.name`, EXCLUSIVE));
  }
  append(errors, validateLabelSelector(`${path}.selector`, selector));
  if (selector && name !== "") errors.push(forbidden(`${path}.selector`, EXCLUSIVE));
  if (!selector && name === "") errors.push(required(path, "one of name or selector must be specified"));
  return errors;
}

function validateActions(field: string, actions: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${field}[${index}]`, action, ACTIONS));
    if (seen.has(action)) errors.push(duplicate(`${field}[${index}]`, action));
    seen.add(action);
  });
  if (seen.has("Deny") && seen.has("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalid(field, actions, why));
  }
  if (seen.size === 0) errors.push(required(field, "at least one validation action is required"));
  return errors;
}

export const validatingAdmissionPolicyBindings = bindingKind("ValidatingAdmissionPolicyBinding");
export const mutatingAdmissionPolicyBindings = bindingKind("MutatingAdmissionPolicyBinding");
