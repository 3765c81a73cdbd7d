// ValidatingAdmissionPolicy and MutatingAdmissionPolicy, and their shared parts.

import {
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { isDns1035Label, isDns1123Subdomain, isQualifiedName } from "../../apimachinery/meta/names.ts";
import {
  APPLIED_TYPE,
  PATCH_TYPE,
  type Scope,
  TEXT,
  TEXT_OR_NOTHING,
  TRUTH,
} from "../../apiserver/admission/expressions/compile.ts";
import { formErrors, joinedErrors } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, integerColumn, itemsIn, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { keepingStatus, nameOf, ONLY_STATUS, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { type CodeRules, type Place, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import {
  expressionRule,
  hasParams,
  ofAdmission,
  policyScope,
  RULE_CODE,
  trimmedRule,
  validateConditions,
  validateExpression,
  validateMutatingOperations,
} from "./rules.ts";

export const PARAM_KIND_COLUMN = column("ParamKind", "The kind of the parameters.", (object) => {
  const kind = objectAt(specOf(object), "paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
});

export const POLICY_CODE: CodeRules = {
  ...RULE_CODE,
  paramVersion: validateApiVersion,
  constraints: ({ field, value }) =>
    isObject(value) && objectsAt(value, "resourceRules").length === 0
      ? [required(`${field}.resourceRules`)]
      : [],
  /** Unchanged match conditions are not validated again. */
  conditions: ({ field, owner, old }) =>
    old && ["paramKind", "matchConditions"].every((member) => equalJson(owner[member], old[member]))
      ? []
      : validateConditions(owner, field, hasParams(owner)),
};

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

// ValidatingAdmissionPolicy: CEL expressions that validate writes.

const TYPES = "io.k8s.api.admissionregistration.v1.";
const ANNOTATIONS_MAX = 20;
const VALUE_EXPRESSION_BYTES_MAX = 5 * 1024;

const VALIDATING_RULES: CodeRules = {
  ...POLICY_CODE,
  expressions: ({ owner }) => validateExpressions(specOf(owner), nameOf(owner)),
};

function validateExpressions(spec: JsonObject, name: string): FieldError[] {
  const { errors, scope } = policyScope(spec);
  const validations = objectsAt(spec, "validations");
  const annotations = objectsAt(spec, "auditAnnotations");
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [...errors, required("spec.validations", detail), required("spec.auditAnnotations", detail)];
  }
  const ofMessage = expressionRule({ ...scope, authorizer: false }, TEXT);
  const code: CodeRules = {
    truth: expressionRule(scope, TRUTH),
    messageExpression(place) {
      const { field, value } = place;
      if (value === "" || String(value).trim() !== "") return value === "" ? [] : ofMessage(place);
      return [invalid(field, value, "must be non-empty if specified")];
    },
    key: ({ field, value }) =>
      name === ""
        ? [invalid(field, value, "requires metadata.name be non-empty")]
        : formErrors(isQualifiedName, field, `${name}/${value}`),
    valueExpression: ({ field, value }) => validateValue(String(value), field, scope),
  };
  append(errors, schemaErrors(`${TYPES}Validation`, validations, { field: "spec.validations", code }));
  if (annotations.length > ANNOTATIONS_MAX) {
    const detail = `must not have more than ${ANNOTATIONS_MAX} auditAnnotations`;
    errors.push(invalid("spec.auditAnnotations", annotations, detail));
  }
  return [
    ...errors,
    ...schemaErrors(`${TYPES}AuditAnnotation`, annotations, { field: "spec.auditAnnotations", code }),
  ];
}

function validateValue(text: string, field: string, scope: Scope): FieldError[] {
  const trimmed = text.trim();
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
  status: { ...ONLY_STATUS, createsOnApply: true },
  rules: VALIDATING_RULES,
});

// MutatingAdmissionPolicy: CEL expressions that change objects before they are written.

const MUTATING_RULES: CodeRules = {
  ...POLICY_CODE,
  operations: ({ field, owner }) =>
    validateMutatingOperations(objectAt(owner, "matchConstraints"), `${field}.matchConstraints`),
  mutations({ field, owner }) {
    const { errors, scope: plain } = policyScope(owner);
    const scope = { ...plain, patches: true };
    const mutations = objectsAt(owner, "mutations");
    const path = `${field}.mutations`;
    if (mutations.length === 0) errors.push(required(path, "mutations must contain at least one item"));
    const code = {
      applied: trimmedRule(scope, [APPLIED_TYPE]),
      patch: trimmedRule(scope, [PATCH_TYPE]),
    };
    return [...errors, ...schemaErrors(`${TYPES}Mutation`, mutations, { field: path, code })];
  },
};

export const mutatingAdmissionPolicies = ofAdmission("MutatingAdmissionPolicy", {
  columns: [
    NAME,
    integerColumn("Mutations", "How many changes there are.", itemsIn("spec.mutations")),
    PARAM_KIND_COLUMN,
    AGE,
  ],
  rules: MUTATING_RULES,
});
