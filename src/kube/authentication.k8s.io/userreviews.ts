// SelfSubjectReview and TokenReview: authentication of a user.

import { type JsonObject, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import type { UserInfo } from "../../apiserver/registry/definition/request-context.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";

/** Returns the user info of the caller (kubectl auth whoami). */
export const selfSubjectReviews = builtIn("authentication.k8s.io/v1", "SelfSubjectReview", {
  namespaceScoped: false,
  verbs: ["create"],
  review: {
    emptyStatus: { userInfo: {} },
    answer: ({ apiVersion, kind }, { user, clock }) => ({
      ...(kind === undefined ? {} : { kind }),
      ...(apiVersion === undefined ? {} : { apiVersion }),
      metadata: { creationTimestamp: formatTime(clock.now()) },
      status: { userInfo: showUser(user) },
    }),
  },
});

/** Authenticates a token for other servers (webhook token authentication). */
export const tokenReviews = builtIn("authentication.k8s.io/v1", "TokenReview", {
  namespaceScoped: false,
  verbs: ["create"],
  review: {
    emptyStatus: { user: {} },
    check(object) {
      if (textAt(objectAt(object, "spec"), "token") === "")
        throw badRequest("token is required for TokenReview in authentication");
    },
    answer(object, { reviewToken }) {
      const spec = objectAt(object, "spec");
      const { user, audiences, error } = reviewToken(textAt(spec, "token"), textsAt(spec, "audiences"));
      object["status"] = {
        ...(user ? { authenticated: true } : {}),
        user: user ? showUser(user) : {},
        ...(audiences ? { audiences } : {}),
        ...(error === undefined ? {} : { error }),
      };
      return object;
    },
  },
});

function showUser({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
