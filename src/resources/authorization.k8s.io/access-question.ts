// The question of an access review: which attributes it names, whether it is well put, and the answer as a status.

import { type FieldError, forbidden, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isLabelValue, isQualifiedName } from "../../meta/names.ts";
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";
import { invalidObject } from "../../meta/status.ts";
import type { AccessAttributes, Authorizer } from "../../registry/definition/access.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";

type Spec = JsonObject | undefined;

/** An empty version stands for all of them. */
export function attributesOf(user: UserInfo, spec: Spec): AccessAttributes {
  const asked = objectAt(spec, "resourceAttributes");
  if (asked === undefined) {
    const path = objectAt(spec, "nonResourceAttributes");
    return { type: "path", user, verb: textAt(path, "verb"), path: textAt(path, "path") };
  }
  return {
    type: "resource",
    user,
    verb: textAt(asked, "verb"),
    group: textAt(asked, "group"),
    version: textAt(asked, "version") || "*",
    resource: textAt(asked, "resource"),
    subresource: textAt(asked, "subresource"),
    namespace: textAt(asked, "namespace"),
    name: textAt(asked, "name"),
  };
}

/** Fills the status in. */
export function answer(object: KubeObject, attributes: AccessAttributes, authorizer: Authorizer): KubeObject {
  const { allowed, reason } = authorizer.authorize(attributes);
  object["status"] = { allowed, ...(reason === "" ? {} : { reason }) };
  return object;
}

/** Throws 422. A real server does not say the kind here. */
export function refuseInvalid(group: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group, kind: "" }, "", errors);
}

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
    ...(fields ? formErrors(fields, `${RESOURCE}.fieldSelector`, () => []) : []),
    ...(labels ? formErrors(labels, `${RESOURCE}.labelSelector`, labelErrors) : []),
  ];
}

function formErrors(
  selector: JsonObject,
  field: string,
  moreErrors: (requirement: JsonObject, field: string) => FieldError[],
): FieldError[] {
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
    append(errors, requirementErrors(requirement, at), moreErrors(requirement, at));
  });
  return errors;
}

/** Operators that are not known here may be known to others: they are let pass. */
function requirementErrors(requirement: JsonObject, field: string): FieldError[] {
  const values = textsAt(requirement, "values");
  const errors: FieldError[] = [];
  if (textAt(requirement, "key") === "") errors.push(required(`${field}.key`, "must be specified"));
  switch (textAt(requirement, "operator")) {
    case "In":
    case "NotIn":
      if (values.length > 0) break;
      errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) break;
      errors.push(
        forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
  }
  return errors;
}

function labelErrors(requirement: JsonObject, field: string): FieldError[] {
  const key = textAt(requirement, "key");
  return [
    ...isQualifiedName(key).map((complaint) => invalid(`${field}.key`, key, complaint)),
    ...textsAt(requirement, "values").flatMap((value, index) =>
      isLabelValue(value).map((complaint) => invalid(`${field}.values[${index}]`, value, complaint)),
    ),
  ];
}
