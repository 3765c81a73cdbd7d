// LocalSubjectAccessReview: a SubjectAccessReview about one namespace, so that it can be granted there alone.
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import {
  answer,
  attributeErrors,
  attributesOf,
  internalForm,
  metadataErrors,
  refuseInvalid,
} from "./access-question.ts";
import { askedUser, askedUserErrors } from "./asked-user.ts";
import { GROUP, reviewKind } from "./review-kind.ts";

export const localSubjectAccessReviews = reviewKind(
  "LocalSubjectAccessReview",
  true,
  (object, { authorizer }) => {
    const spec = objectAt(object, "spec");
    refuseInvalid(GROUP, [
      ...attributeErrors(spec, askedUserErrors(spec)),
      ...metadataErrors(object.metadata, "namespace"),
      ...placeErrors(object),
    ]);
    return answer(object, attributesOf(askedUser(spec), spec), authorizer);
  },
);

function placeErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const resource = objectAt(spec, "resourceAttributes");
  const path = objectAt(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  const namespace = textAt(resource, "namespace");
  if (resource && namespace !== object.metadata.namespace) {
    errors.push(invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace"));
  }
  if (path) {
    const rule = "disallowed on this kind of request";
    errors.push(invalid("spec.nonResourceAttributes", internalForm(path), rule));
  }
  return errors;
}
