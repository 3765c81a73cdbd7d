// MutatingAdmissionPolicy: changes that are made to objects as they are written, by expressions.

import type { Scope } from "../../admission/expressions/compile.ts";
import { APPLIED_TYPE, PATCH_TYPE } from "../../admission/expressions/patch-types.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import { AGE, column, integerColumn, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";

import { validateExpression } from "./expressions.ts";
import { showParamKind } from "./params.ts";
import { defaultPolicy, REINVOCATION_POLICIES, specOf, validateChoiceOf, validatePolicy } from "./policy.ts";
import { MUTATING_OPERATIONS } from "./rules.ts";

/** By patchType: the member that then holds the expression, the other one, and what the expression makes. */
const FORMS = new Map([
  ["ApplyConfiguration", { member: "applyConfiguration", other: "jsonPatch", type: APPLIED_TYPE }],
  ["JSONPatch", { member: "jsonPatch", other: "applyConfiguration", type: PATCH_TYPE }],
]);

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  return {
    cells: [
      textAt(metadata, "name"),
      objectsAt(spec, "mutations").length,
      showParamKind(spec),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function validate(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): FieldError[] {
  const spec = specOf(object);
  const { errors, variables } = validatePolicy(object, old, MUTATING_OPERATIONS);
  const params = objectAt(spec, "paramKind") !== undefined;
  const scope: Scope = { params, authorizer: true, patches: true, ...(variables ? { variables } : {}) };
  const mutations = objectsAt(spec, "mutations");
  if (mutations.length === 0)
    errors.push(required("spec.mutations", "mutations must contain at least one item"));
  mutations.forEach((mutation, index) => {
    append(errors, validateMutation(mutation, `spec.mutations[${index}]`, scope));
  });
  return [...errors, ...validateChoiceOf(spec, "reinvocationPolicy", REINVOCATION_POLICIES)];
}

function validateMutation(mutation: JsonObject, path: string, scope: Scope): FieldError[] {
  const patchType = textAt(mutation, "patchType");
  if (patchType === "") return [required(`${path}.patchType`)];
  const form = FORMS.get(patchType);
  if (form === undefined) return [notSupported(`${path}.patchType`, patchType, [...FORMS.keys()])];
  const errors: FieldError[] = [];
  const given = objectAt(mutation, form.member);
  if (given === undefined) {
    const detail = `must be specified when patchType is ${patchType}`;
    errors.push(required(`${path}.${form.member}`, detail));
  } else {
    const field = `${path}.${form.member}.expression`;
    const text = textAt(given, "expression").trim();
    if (text === "") errors.push(required(field));
    else append(errors, validateExpression(text, field, { scope, types: [form.type] }));
  }
  if (objectAt(mutation, form.other) !== undefined) {
    const detail = `must not be specified when patchType is ${patchType}`;
    errors.push(invalid(`${path}.${form.other}`, `{${form.other}}`, detail));
  }
  return errors;
}

export const mutatingAdmissionPolicies = builtIn(
  "admissionregistration.k8s.io/v1",
  "MutatingAdmissionPolicy",
  {
    categories: ["api-extensions"],
    namespaceScoped: false,
    columns: [
      NAME,
      integerColumn("Mutations", "How many changes there are."),
      column("ParamKind", "The kind of the parameters."),
      AGE,
    ],
    printRow,
    strategy: {
      metadataChecksOnUpdate: ["new"],
      hasGeneration: true,
      applyDefaults: defaultPolicy,
      validate: (object) => validate(object, undefined),
      validateUpdate: validate,
    },
  },
);
