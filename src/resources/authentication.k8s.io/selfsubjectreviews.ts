// SelfSubjectReview: who am I taken for? Behind kubectl auth whoami.
import { formatTime } from "../../meta/clock.ts";
import { builtIn } from "../define.ts";
import { showUser } from "./user-info.ts";

export const selfSubjectReviews = builtIn({
  type: "io.k8s.api.authentication.v1.SelfSubjectReview",
  group: "authentication.k8s.io",
  version: "v1",
  resource: "selfsubjectreviews",
  namespaceScoped: false,
  verbs: ["create"],
  strategy: {},
  review: ({ apiVersion, kind }, { user, clock }) => ({
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: showUser(user) },
  }),
});
