// What the bindings of validating and mutating policies have in common.
import type { FieldError } from "../../meta/field-error.ts";
import { objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { validateMatching } from "./match-resources.ts";
import { showParamRef, validateParamRef, validatePolicyName } from "./params.ts";
import { specOf } from "./policy.ts";

export const BINDING_COLUMNS = [
  NAME,
  column("PolicyName", "The policy that is put in force."),
  column("ParamRef", "Where its parameters are."),
  AGE,
];

export const printBinding: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  return {
    cells: [
      textAt(metadata, "name"),
      textAt(spec, "policyName"),
      showParamRef(spec),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

export function validateBinding(object: Readonly<KubeObject>): FieldError[] {
  const spec = specOf(object);
  return [
    ...validatePolicyName(spec),
    ...validateParamRef(spec),
    // The path is misspelt in the findings of a real server.
    ...validateMatching(objectAt(spec, "matchResources"), "spec.matchResouces"),
  ];
}
