// What somebody may be refused, as a question: whether rules of his allow it, and how it is said that they do not. The rules are
// read as RBAC reads them (https://kubernetes.io/docs/reference/access-authn-authz/rbac/).
import type { ObjectRef } from "../frame/kinds.ts";

export interface ResourceQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** "" for what has no namespace, and across namespaces. */
  readonly namespace: string;
  /** "" for any. */
  readonly name: string;
}

export interface PathQuestion {
  readonly verb: string;
  readonly path: string;
}

export type Question = ResourceQuestion | PathQuestion;

/** The status of a SelfSubjectRulesReview, as far as it is read. */
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
  /** An authoriser besides could not say what it allows. */
  readonly incomplete: boolean;
}

/** A Namespace counts as being in itself. */
export function onObject(
  verb: string,
  { group, resource, namespace, name }: ObjectRef,
  subresource = "",
): ResourceQuestion {
  const within = group === "" && resource === "namespaces" ? name : namespace;
  return { verb, group, resource, subresource, namespace: within, name };
}

/** A call of the control surface, by its path below /egret/v1. */
export const onControl = (method: "get" | "post", path: string): PathQuestion => ({
  verb: method,
  path: `/egret/v1/${path}`,
});

/** What most calls of the control surface want: somebody to whom nothing is refused. */
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

/** A URL of a rule may end with a star. */
const fits = (url: string, path: string): boolean =>
  url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));

/** "alice may not update egressips.k8s.ovn.org": why something is not offered. */
export function refusalOf(user: string, question: Question): string {
  if (question.verb === "*") return `${user} may not do everything, and this is for those alone who may.`;
  if ("path" in question) return `${user} may not ${question.verb} ${question.path}.`;
  const { verb, group, resource, subresource, namespace } = question;
  const kind = [resource, group].filter((part) => part !== "").join(".");
  const what = subresource === "" ? kind : `${kind}/${subresource}`;
  return `${user} may not ${verb} ${what}${namespace === "" ? "" : ` in the namespace ${namespace}`}.`;
}
