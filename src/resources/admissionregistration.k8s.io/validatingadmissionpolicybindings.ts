// ValidatingAdmissionPolicyBinding: puts a validating policy in force.

import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { builtIn } from "../define.ts";
import { BINDING_COLUMNS, printBinding, validateBinding } from "./bindings.ts";
import { defaultBinding, specOf } from "./policy.ts";

const ACTIONS = ["Audit", "Deny", "Warn"];
const FIELD = "spec.validationActions";

function validate(object: Readonly<KubeObject>): FieldError[] {
  return [...validateBinding(object), ...validateActions(textsAt(specOf(object), "validationActions"))];
}

function validateActions(actions: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  actions.forEach((action, index) => {
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${FIELD}[${index}]`, action, ACTIONS));
    if (seen.has(action)) errors.push(duplicate(`${FIELD}[${index}]`, action));
    seen.add(action);
  });
  if (seen.has("Deny") && seen.has("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalid(FIELD, actions, why));
  }
  if (seen.size === 0) errors.push(required(FIELD, "at least one validation action is required"));
  return errors;
}

export const validatingAdmissionPolicyBindings = builtIn(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicyBinding",
  {
    categories: ["api-extensions"],
    namespaceScoped: false,
    columns: BINDING_COLUMNS,
    printRow: printBinding,
    strategy: {
      hasGeneration: true,
      metadataChecksOnUpdate: ["new"],
      applyDefaults: defaultBinding,
      validate,
      validateUpdate: validate,
    },
  },
);
