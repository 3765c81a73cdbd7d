// SubjectAccessReview: may somebody else do that? Asked by servers that leave the decision to this one.
import { objectAt } from "../../meta/json.ts";
import { answer, attributeErrors, attributesOf, metadataErrors, refuseInvalid } from "./access-question.ts";
import { askedUser, askedUserErrors } from "./asked-user.ts";
import { GROUP, reviewKind } from "./review-kind.ts";

export const subjectAccessReviews = reviewKind("SubjectAccessReview", false, (object, { authorizer }) => {
  const spec = objectAt(object, "spec");
  refuseInvalid(GROUP, [...attributeErrors(spec, askedUserErrors(spec)), ...metadataErrors(object.metadata)]);
  return answer(object, attributesOf(askedUser(spec), spec), authorizer);
});
