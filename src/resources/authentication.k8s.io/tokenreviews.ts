// TokenReview: whose token is this? Asked by servers that leave it to this one to know people.
import { objectAt, textAt, textsAt } from "../../meta/json.ts";
import { badRequest } from "../../meta/status.ts";
import { builtIn } from "../define.ts";
import { showUser } from "./user-info.ts";

export const tokenReviews = builtIn("authentication.k8s.io/v1", "TokenReview", {
  namespaceScoped: false,
  verbs: ["create"],
  review(object, { reviewToken }) {
    const spec = objectAt(object, "spec");
    const token = textAt(spec, "token");
    if (token === "") throw badRequest("token is required for TokenReview in authentication");
    const { user, audiences, error } = reviewToken(token, textsAt(spec, "audiences"));
    object["status"] = {
      ...(user ? { authenticated: true } : {}),
      user: user ? showUser(user) : {},
      ...(audiences ? { audiences } : {}),
      ...(error === undefined ? {} : { error }),
    };
    return object;
  },
});
