// MutatingAdmissionPolicy: changes that are made to objects as they are written, by expressions.

import type { Scope } from "../../admission/expressions/compile.ts";
import { APPLIED_TYPE, PATCH_TYPE } from "../../admission/expressions/types.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { AGE, integerColumn, itemsIn, NAME } from "../columns.ts";
import type { CodeRules } from "../schema-rules.ts";
import { validateExpression } from "./expressions.ts";
import { defaultPolicy, PARAM_KIND_COLUMN, POLICY_CODE, policyScope } from "./policy.ts";
import { ofAdmission, validateMutatingOperations } from "./rules.ts";

/** By patchType: the member that then holds the expression, the other one, and what the expression makes. */
const FORMS = new Map([
  ["ApplyConfiguration", { member: "applyConfiguration", other: "jsonPatch", type: APPLIED_TYPE }],
  ["JSONPatch", { member: "jsonPatch", other: "applyConfiguration", type: PATCH_TYPE }],
]);

const rules: CodeRules = {
  ...POLICY_CODE,
  operations: ({ field, owner }) =>
    validateMutatingOperations(objectAt(owner, "matchConstraints"), `${field}.matchConstraints`),
  mutations({ field, owner }) {
    const { errors, scope } = policyScope(owner);
    const mutations = objectsAt(owner, "mutations");
    if (mutations.length === 0)
      errors.push(required(`${field}.mutations`, "mutations must contain at least one item"));
    mutations.forEach((mutation, index) => {
      append(errors, validateMutation(mutation, `${field}.mutations[${index}]`, { ...scope, patches: true }));
    });
    return errors;
  },
};

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

export const mutatingAdmissionPolicies = ofAdmission("MutatingAdmissionPolicy", {
  columns: [
    NAME,
    integerColumn("Mutations", "How many changes there are.", itemsIn("spec.mutations")),
    PARAM_KIND_COLUMN,
    AGE,
  ],
  strategy: { applyDefaults: defaultPolicy },
  rules,
});
