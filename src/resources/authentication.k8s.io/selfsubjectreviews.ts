// SelfSubjectReview: who am I taken for? Behind kubectl auth whoami.
import { formatTime } from "../../meta/clock.ts";
import { builtIn } from "../define.ts";
import { showUser } from "./user-info.ts";

export const selfSubjectReviews = builtIn("authentication.k8s.io/v1", "SelfSubjectReview", {
  namespaceScoped: false,
  verbs: ["create"],
  review: ({ apiVersion, kind }, { user, clock }) => ({
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: showUser(user) },
  }),
});
