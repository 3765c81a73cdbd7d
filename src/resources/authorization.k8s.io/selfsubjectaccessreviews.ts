// SelfSubjectAccessReview: may I do that? Behind kubectl auth can-i.
import { objectAt } from "../../meta/json.ts";
import { answer, attributeErrors, attributesOf, metadataErrors, refuseInvalid } from "./access-question.ts";
import { GROUP, reviewKind } from "./review-kind.ts";

export const selfSubjectAccessReviews = reviewKind(
  "SelfSubjectAccessReview",
  false,
  (object, { user, authorizer }) => {
    const spec = objectAt(object, "spec");
    refuseInvalid(GROUP, [...attributeErrors(spec), ...metadataErrors(object.metadata)]);
    return answer(object, attributesOf(user, spec), authorizer);
  },
);
