// ValidatingAdmissionPolicy: rules that writes have to keep, as expressions.

import { type Scope, TEXT, TEXT_OR_NOTHING, TRUTH } from "../../admission/expressions/compile.ts";
import { duplicate, type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isQualifiedName } from "../../meta/names.ts";
import { formErrors } from "../checks.ts";
import { AGE, integerColumn, itemsIn, NAME } from "../columns.ts";
import { keepingStatus, keepOwnMetadata, specOf } from "../fields.ts";
import { type CodeRules, schemaErrors } from "../schema-rules.ts";
import { validateExpression } from "./expressions.ts";
import { defaultPolicy, PARAM_KIND_COLUMN, POLICY_CODE, policyScope } from "./policy.ts";
import { ofAdmission } from "./rules.ts";

const VALIDATION = "io.k8s.api.admissionregistration.v1.Validation";
const ANNOTATIONS_MAX = 20;
const VALUE_EXPRESSION_BYTES_MAX = 5 * 1024;

const rules: CodeRules = {
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
  strategy: { ...keepingStatus({}), allowUnconditionalUpdate: false, applyDefaults: defaultPolicy },
  status: {
    metadataChecksOnUpdate: [],
    resetFields: [["spec"], ["metadata"]],
    prepareForUpdate(object, old) {
      object["spec"] = old["spec"];
      keepOwnMetadata(object, old, ["deletionTimestamp", "generation"]);
    },
  },
  rules,
});
