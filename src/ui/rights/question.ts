// Permissions as questions: evaluation against the rules of a SelfSubjectRulesReview, and the text of a refusal. Rules
// are matched as RBAC matches them (https://kubernetes.io/docs/reference/access-authn-authz/rbac/).
import type { ObjectRef } from "../frame/kinds.ts";

export interface ResourceQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
  /** "" for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string;
  /** "" for any name. */
  readonly name: string;
}

export interface PathQuestion {
  readonly verb: string;
  readonly path: string;
}

export type Question = ResourceQuestion | PathQuestion;

/** The status of a SelfSubjectRulesReview, reduced to the fields that are read. */
export interface Rules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[];
    readonly nonResourceURLs?: readonly string[];
  }[];
  /** True: an authorizer cannot enumerate its rules, so the list is incomplete. */
  readonly incomplete: boolean;
}

/** For a Namespace, the namespace of the request is its own name. */
export function onObject(
  verb: string,
  { group, resource, namespace, name }: ObjectRef,
  subresource = "",
): ResourceQuestion {
  const within = group === "" && resource === "namespaces" ? name : namespace;
  return { verb, group, resource, subresource, namespace: within, name };
}

/** A request to the control API; `path` is relative to /egret/v1. */
export const onControl = (method: "get" | "post", path: string): PathQuestion => ({
  verb: method,
  path: `/egret/v1/${path}`,
});

/** Most requests to the control API require unrestricted permissions. */
export const EVERYTHING: readonly Question[] = [
  { verb: "*", group: "*", resource: "*", subresource: "", namespace: "", name: "" },
  { verb: "*", path: "*" },
];

export function allows({ resourceRules, nonResourceRules }: Rules, question: Question): boolean {
  if ("path" in question) {
    const { verb, path } = question;
    return nonResourceRules.some(
      ({ verbs, nonResourceURLs = [] }) => has(verbs, verb) && nonResourceURLs.some((url) => fits(url, path)),
    );
  }
  const { verb, group, resource, subresource, name } = question;
  const wanted =
    subresource === "" ? [resource, "*"] : [`${resource}/${subresource}`, `*/${subresource}`, "*"];
  return resourceRules.some(
    ({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
      has(verbs, verb) &&
      has(apiGroups, group) &&
      wanted.some((one) => resources.includes(one)) &&
      (resourceNames.length === 0 || (name !== "" && resourceNames.includes(name))),
  );
}

const has = (list: readonly string[], word: string): boolean => list.includes("*") || list.includes(word);

/** A URL of a rule may end with "*", which matches any suffix. */
const fits = (url: string, path: string): boolean =>
  url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));

/** Reason why an action is not offered: "alice may not update egressips.k8s.ovn.org". */
export function refusalOf(user: string, question: Question): string {
  if (question.verb === "*") return `${user} may not do everything, and this is for those alone who may.`;
  if ("path" in question) return `${user} may not ${question.verb} ${question.path}.`;
  const { verb, group, resource, subresource, namespace } = question;
  const kind = [resource, group].filter((part) => part !== "").join(".");
  const what = subresource === "" ? kind : `${kind}/${subresource}`;
  return `${user} may not ${verb} ${what}${namespace === "" ? "" : ` in the namespace ${namespace}`}.`;
}
