// MutatingAdmissionPolicyBinding: puts a mutating policy in force.
import type { FieldError } from "../../meta/field-error.ts";
import { objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { builtIn } from "../define.ts";
import { BINDING_COLUMNS, printBinding, validateBinding } from "./bindings.ts";
import { defaultBinding, specOf } from "./policy.ts";
import { MUTATING_OPERATIONS, validateOperations } from "./rules.ts";

function validate(object: Readonly<KubeObject>): FieldError[] {
  const errors = validateBinding(object);
  const matching = objectAt(specOf(object), "matchResources");
  if (matching === undefined) return errors;
  const path = "spec.matchResources";
  return [...errors, ...validateOperations(matching, "resourceRules", path, MUTATING_OPERATIONS)];
}

export const mutatingAdmissionPolicyBindings = builtIn(
  "admissionregistration.k8s.io/v1",
  "MutatingAdmissionPolicyBinding",
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
