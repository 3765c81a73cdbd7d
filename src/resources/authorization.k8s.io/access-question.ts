// The question of an access review: whether it is well put.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import { validateExpression, validateOperator } from "../label-selectors.ts";

type Spec = JsonObject | undefined;

/** Just one kind of attributes has to be there; `more` is told before what is wrong with them. */
export function attributeErrors(spec: Spec, more: readonly FieldError[] = []): FieldError[] {
  const resource = objectAt(spec, "resourceAttributes");
  const path = objectAt(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  if (resource && path) {
    const rule = "cannot be specified in combination with resourceAttributes";
    errors.push(invalid("spec.nonResourceAttributes", internalForm(path), rule));
  }
  if (!resource && !path) {
    const rule = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalid("spec.resourceAttributes", null, rule));
  }
  append(errors, more);
  if (resource) append(errors, selectorErrors(resource));
  return errors;
}

/** As messages show it: under the names of the Go struct. */
export function internalForm(path: JsonObject): JsonObject {
  return { Path: textAt(path, "path"), Verb: textAt(path, "verb") };
}

/** A question has no name, labels or the like. */
export function metadataErrors(metadata: ObjectMeta, except: "namespace" | "" = ""): FieldError[] {
  const given = Object.entries(metadata).filter(
    ([key, value]) => value !== undefined && key !== "managedFields" && key !== except,
  );
  const rule = except === "" ? "must be empty" : `must be empty except for ${except}`;
  return given.length > 0 ? [invalid("metadata", metadata, rule)] : [];
}

const RESOURCE = "spec.resourceAttributes";

function selectorErrors(resource: JsonObject): FieldError[] {
  const fields = objectAt(resource, "fieldSelector");
  const labels = objectAt(resource, "labelSelector");
  return [
    ...(fields ? formErrors(fields, `${RESOURCE}.fieldSelector`, validateOperator) : []),
    ...(labels ? formErrors(labels, `${RESOURCE}.labelSelector`, validateExpression) : []),
  ];
}

function formErrors(selector: JsonObject, field: string, errorsOf: typeof validateOperator): FieldError[] {
  const raw = textAt(selector, "rawSelector");
  const requirements = objectsAt(selector, "requirements");
  const errors: FieldError[] = [];
  if (raw !== "" && requirements.length > 0) {
    errors.push(invalid(`${field}.rawSelector`, raw, "may not specified at the same time as requirements"));
  }
  if (raw === "" && requirements.length === 0) {
    const rule = `when ${field} is specified, requirements or rawSelector is required`;
    errors.push(required(`${field}.requirements`, rule));
  }
  requirements.forEach((requirement, index) => {
    const at = `${field}.requirements[${index}]`;
    if (textAt(requirement, "key") === "") errors.push(required(`${at}.key`, "must be specified"));
    append(errors, errorsOf(at, requirement, { knowsAll: false }));
  });
  return errors;
}
