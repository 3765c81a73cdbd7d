// Names that the server itself gives a meaning to.
import { nameIsDnsLabel, nameIsDnsSubdomain } from "../../meta/names.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";
export const ANONYMOUS_USER = "system:anonymous";
/** May do everything, whatever the rules say. */
export const PRIVILEGED_GROUP = "system:masters";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
export const NODES_GROUP = "system:nodes";

const ACCOUNT = /^system:serviceaccount:([^:]*):([^:]*)$/;

export function isPrivileged({ groups }: UserInfo): boolean {
  return groups.includes(PRIVILEGED_GROUP);
}

/** The ServiceAccount that a user name stands for. */
export function serviceAccountOf(userName: string): { namespace: string; name: string } | undefined {
  const [, namespace = "", name = ""] = ACCOUNT.exec(userName) ?? [];
  const valid = nameIsDnsLabel(namespace, false).length === 0 && nameIsDnsSubdomain(name, false).length === 0;
  return valid ? { namespace, name } : undefined;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

const NODE_PREFIX = "system:node:";

/** The Node that a user name stands for. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(NODE_PREFIX)) return undefined;
  const name = userName.slice(NODE_PREFIX.length);
  return nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}
