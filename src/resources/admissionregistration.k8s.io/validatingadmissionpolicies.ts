// ValidatingAdmissionPolicy: rules that writes have to keep, as expressions.

import { type Scope, TEXT, TEXT_OR_NOTHING, TRUTH } from "../../admission/expressions/compile.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isQualifiedName } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, integerColumn, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { validateExpression } from "./expressions.ts";
import { showParamKind } from "./params.ts";
import { defaultPolicy, specOf, validatePolicy } from "./policy.ts";

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ANNOTATIONS_MAX = 20;
const VALUE_EXPRESSION_BYTES_MAX = 5 * 1024;
/** What a status update leaves as it is. */
const OWN_METADATA = [
  "deletionTimestamp",
  "generation",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const;

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  return {
    cells: [
      textAt(metadata, "name"),
      objectsAt(spec, "validations").length,
      showParamKind(spec),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function validate(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): FieldError[] {
  const spec = specOf(object);
  const { errors, variables } = validatePolicy(object, old);
  const params = objectAt(spec, "paramKind") !== undefined;
  const scope: Scope = { params, authorizer: true, ...(variables ? { variables } : {}) };
  const validations = objectsAt(spec, "validations");
  const annotations = objectsAt(spec, "auditAnnotations");
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [...errors, required("spec.validations", detail), required("spec.auditAnnotations", detail)];
  }
  validations.forEach((validation, index) => {
    append(errors, validateValidation(validation, `spec.validations[${index}]`, scope));
  });
  return [...errors, ...validateAnnotations(annotations, object.metadata.name ?? "", scope)];
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
  const { reason } = validation;
  if (reason !== undefined && !REASONS.includes(String(reason)))
    errors.push(notSupported(`${path}.reason`, reason, REASONS));
  return errors;
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
  const full = `${owner}/${key}`;
  return isQualifiedName(full).map((text) => invalid(field, full, text));
}

function validateValue(text: string, field: string, scope: Scope): FieldError[] {
  const trimmed = text.trim();
  if (trimmed === "") return [required(field, "valueExpression is not specified")];
  if (Buffer.byteLength(trimmed) > VALUE_EXPRESSION_BYTES_MAX)
    return [required(field, `must not exceed ${VALUE_EXPRESSION_BYTES_MAX} bytes in length`)];
  return validateExpression(trimmed, field, { scope, types: TEXT_OR_NOTHING, shown: text });
}

function validateStatus(object: Readonly<KubeObject>): FieldError[] {
  const checking = objectAt(objectAt(object, "status"), "typeChecking");
  return objectsAt(checking, "expressionWarnings").flatMap((warning, index) => {
    const path = `status.typeChecking.expressionWarnings[${index}]`;
    return [
      ...(textAt(warning, "warning") === "" ? [required(`${path}.warning`)] : []),
      ...(textAt(warning, "fieldRef").trim() === "" ? [required(`${path}.fieldRef`)] : []),
    ];
  });
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["new"],
  hasGeneration: true,
  resetFields: [["status"]],
  applyDefaults: defaultPolicy,
  prepareForCreate(object) {
    object["status"] = {};
  },
  prepareForUpdate(object, old) {
    object["status"] = old["status"];
  },
  validate: (object) => validate(object, undefined),
  validateUpdate: validate,
};

const status: Strategy = {
  metadataChecksOnUpdate: [],
  resetFields: [["spec"], ["metadata"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
    for (const member of OWN_METADATA) {
      if (old.metadata[member] === undefined) delete object.metadata[member];
      else Object.assign(object.metadata, { [member]: old.metadata[member] });
    }
  },
  validateUpdate: validateStatus,
};

export const validatingAdmissionPolicies = builtIn(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicy",
  {
    categories: ["api-extensions"],
    namespaceScoped: false,
    columns: [
      NAME,
      integerColumn("Validations", "How many rules there are."),
      column("ParamKind", "The kind of the parameters."),
      AGE,
    ],
    printRow,
    strategy,
    status,
  },
);
