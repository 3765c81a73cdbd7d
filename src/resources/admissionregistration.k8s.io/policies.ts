// What validating and mutating policies have in common.
import {
  APPLIED_TYPE,
  PATCH_TYPE,
  type Scope,
  TEXT,
  TEXT_OR_NOTHING,
  TRUTH,
} from "../../admission/expressions/compile.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { equalJson, isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1035Label, isDns1123Subdomain, isQualifiedName } from "../../meta/names.ts";
import { formErrors, joinedErrors, kindErrors } from "../checks.ts";
import { AGE, column, integerColumn, itemsIn, NAME } from "../columns.ts";
import { keepingStatus, keepOwnMetadata, specOf } from "../fields.ts";
import { type CodeRules, type Place, schemaErrors } from "../schema-rules.ts";
import {
  ofAdmission,
  RULE_CODE,
  validateConditions,
  validateExpression,
  validateMutatingOperations,
  validateVariables,
} from "./rules.ts";

export const PARAM_KIND_COLUMN = column("ParamKind", "The kind of the parameters.", (object) => {
  const kind = objectAt(specOf(object), "paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
});

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

// ValidatingAdmissionPolicy: rules that writes have to keep, as expressions.

const VALIDATION = "io.k8s.api.admissionregistration.v1.Validation";
const ANNOTATIONS_MAX = 20;
const VALUE_EXPRESSION_BYTES_MAX = 5 * 1024;

const VALIDATING_RULES: CodeRules = {
  ...POLICY_CODE,
  expressions: ({ owner }) => validateExpressions(specOf(owner), textAt(objectAt(owner, "metadata"), "name")),
};

function validateExpressions(spec: JsonObject, name: string): FieldError[] {
  const { errors, scope } = policyScope(spec);
  const validations = objectsAt(spec, "validations");
  const annotations = objectsAt(spec, "auditAnnotations");
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [...errors, required("spec.validations", detail), required("spec.auditAnnotations", detail)];
  }
  validations.forEach((validation, index) => {
    append(errors, validateValidation(validation, `spec.validations[${index}]`, scope));
  });
  return [...errors, ...validateAnnotations(annotations, name, scope)];
}

function validateValidation(validation: JsonObject, path: string, scope: Scope): FieldError[] {
  const errors: FieldError[] = [];
  const expression = textAt(validation, "expression");
  if (expression.trim() === "") errors.push(required(`${path}.expression`, "expression is not specified"));
  else append(errors, validateExpression(expression, `${path}.expression`, { scope, types: TRUTH }));
  const ofMessage = textAt(validation, "messageExpression");
  const field = `${path}.messageExpression`;
  if (ofMessage !== "" && ofMessage.trim() === "")
    errors.push(invalid(field, ofMessage, "must be non-empty if specified"));
  else if (ofMessage !== "") {
    const without = { ...scope, authorizer: false };
    append(errors, validateExpression(ofMessage, field, { scope: without, types: TEXT }));
  }
  const message = textAt(validation, "message");
  if (message !== "" && message.trim() === "")
    errors.push(invalid(`${path}.message`, message, "message must be non-empty if specified"));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(`${path}.message`, message, "message must not contain line breaks"));
  return [...errors, ...schemaErrors(VALIDATION, validation, { field: path })];
}

function validateAnnotations(annotations: readonly JsonObject[], owner: string, scope: Scope): FieldError[] {
  const errors: FieldError[] = [];
  if (annotations.length > ANNOTATIONS_MAX) {
    const detail = `must not have more than ${ANNOTATIONS_MAX} auditAnnotations`;
    errors.push(invalid("spec.auditAnnotations", annotations, detail));
  }
  const keys = new Set<string>();
  annotations.forEach((annotation, index) => {
    const path = `spec.auditAnnotations[${index}]`;
    const key = textAt(annotation, "key");
    append(errors, validateKey(key, owner, `${path}.key`));
    append(errors, validateValue(textAt(annotation, "valueExpression"), `${path}.valueExpression`, scope));
    if (keys.has(key)) errors.push(duplicate(`${path}.key`, key));
    keys.add(key);
  });
  return errors;
}

function validateKey(key: string, owner: string, field: string): FieldError[] {
  if (owner === "") return [invalid(field, key, "requires metadata.name be non-empty")];
  return formErrors(isQualifiedName, field, `${owner}/${key}`);
}

function validateValue(text: string, field: string, scope: Scope): FieldError[] {
  const trimmed = text.trim();
  if (trimmed === "") return [required(field, "valueExpression is not specified")];
  if (Buffer.byteLength(trimmed) > VALUE_EXPRESSION_BYTES_MAX)
    return [required(field, `must not exceed ${VALUE_EXPRESSION_BYTES_MAX} bytes in length`)];
  return validateExpression(trimmed, field, { scope, types: TEXT_OR_NOTHING, shown: text });
}

export const validatingAdmissionPolicies = ofAdmission("ValidatingAdmissionPolicy", {
  columns: [
    NAME,
    integerColumn("Validations", "How many rules there are.", itemsIn("spec.validations")),
    PARAM_KIND_COLUMN,
    AGE,
  ],
  strategy: { ...keepingStatus({}), allowUnconditionalUpdate: false },
  status: {
    metadataChecksOnUpdate: [],
    resetFields: [["spec"], ["metadata"]],
    prepareForUpdate(object, old) {
      object["spec"] = old["spec"];
      keepOwnMetadata(object, old, ["deletionTimestamp", "generation"]);
    },
  },
  rules: VALIDATING_RULES,
});

// MutatingAdmissionPolicy: changes that are made to objects as they are written, by expressions.

/** By patchType: the member that then holds the expression, the other one, and what the expression makes. */
const FORMS = new Map([
  ["ApplyConfiguration", { member: "applyConfiguration", other: "jsonPatch", type: APPLIED_TYPE }],
  ["JSONPatch", { member: "jsonPatch", other: "applyConfiguration", type: PATCH_TYPE }],
]);

const MUTATING_RULES: CodeRules = {
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
  rules: MUTATING_RULES,
});
