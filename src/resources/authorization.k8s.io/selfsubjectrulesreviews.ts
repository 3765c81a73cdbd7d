// SelfSubjectRulesReview: what may I do in this namespace? Behind kubectl auth can-i --list. The answer is the rules
// alone: neither the question nor its metadata come back.
import { objectAt, textAt } from "../../meta/json.ts";
import { badRequest } from "../../meta/status.ts";
import type { PolicyRule } from "../../registry/definition/access.ts";
import { reviewKind } from "./review-kind.ts";

export const selfSubjectRulesReviews = reviewKind(
  "SelfSubjectRulesReview",
  false,
  ({ apiVersion, kind, ...object }, { user, authorizer }) => {
    const namespace = textAt(objectAt(object, "spec"), "namespace");
    if (namespace === "") throw badRequest("no namespace on request");
    const { rules, error } = authorizer.rulesFor(user, namespace);
    return {
      ...(kind === undefined ? {} : { kind }),
      ...(apiVersion === undefined ? {} : { apiVersion }),
      metadata: {},
      spec: {},
      status: {
        resourceRules: rules.filter(({ resources }) => resources.length > 0).map(resourceRule),
        nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(pathRule),
        incomplete: false,
        ...(error === undefined ? {} : { evaluationError: error }),
      },
    };
  },
);

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return {
    verbs,
    ...(apiGroups.length > 0 ? { apiGroups } : {}),
    resources,
    ...(resourceNames.length > 0 ? { resourceNames } : {}),
  };
}

function pathRule({ verbs, nonResourceURLs }: PolicyRule): object {
  return { verbs, nonResourceURLs };
}
