// An RBAC policy from a few lines, and authorization requests to it.

import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { Policy, type PolicyKind } from "../../../../src/apiserver/authorization/rbac/policy.ts";
import type {
  AccessAttributes,
  UserInfo,
} from "../../../../src/apiserver/registry/definition/request-context.ts";

export const rule = (groups: string, resources: string, verbs: string, names = ""): JsonObject => ({
  apiGroups: split(groups),
  resources: split(resources),
  verbs: split(verbs),
  ...(names ? { resourceNames: split(names) } : {}),
});
export const paths = (urls: string, verbs: string): JsonObject => ({
  nonResourceURLs: split(urls),
  verbs: split(verbs),
});
/** "core" is the group with the empty name. */
const split = (text: string): string[] => text.split(" ").map((word) => (word === "core" ? "" : word));

export const role = (name: string, rules: JsonObject[], metadata: JsonObject = {}): KubeObject => ({
  metadata: { name, ...metadata },
  rules,
});

export const gathering = (name: string, label: string, labels: Record<string, string> = {}): KubeObject => ({
  metadata: { name, labels },
  rules: [rule("core", "stale", "get")],
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
});

/** "User:bob", "Group:dev", "ServiceAccount:ns/name" or "ServiceAccount:name". */
export function binding(name: string, to: string, subjects: string, namespace = ""): KubeObject {
  const [kind = "", role = ""] = to.split(":");
  return {
    metadata: { name, ...(namespace ? { namespace } : {}) },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: role },
    subjects: subjects.split(" ").map((subject) => {
      const cut = subject.indexOf(":");
      const parts = subject.slice(cut + 1).split("/");
      const subjectKind = subject.slice(0, cut);
      const [first = "", second] = parts;
      if (subjectKind !== "ServiceAccount") return { kind: subjectKind, name: parts.join("/") };
      return second === undefined
        ? { kind: subjectKind, name: first }
        : { kind: subjectKind, name: second, namespace: first };
    }),
  };
}

export function policyOf(objects: Partial<Record<PolicyKind, readonly KubeObject[]>>): Policy {
  const policy = new Policy();
  for (const kind of ["ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"] as const)
    for (const object of objects[kind] ?? []) policy.put(kind, object);
  return policy;
}

export const user = (name: string, ...groups: string[]): UserInfo => ({ name, groups });

/** "get core pods/log n1" asks for the object n1. */
export function ask(who: UserInfo, question: string, namespace = ""): AccessAttributes {
  const [verb = "", group = "", what = "", name = ""] = question.split(" ");
  const [resource = "", subresource = ""] = what.split("/");
  const asked = { user: who, verb, namespace, name, resource, subresource, version: "v1" };
  return { type: "resource", ...asked, group: group === "core" ? "" : group };
}

export const askPath = (who: UserInfo, verb: string, path: string): AccessAttributes => ({
  type: "path",
  user: who,
  verb,
  path,
});
