// Impersonate-* headers: a request that is made in somebody else's name. Each member that the headers name must be
// allowed. There are several ways to allow it (KEP-5284): the narrow ones say for which verbs on which resources
// somebody may be impersonated, the old verb "impersonate" holds for everything. The first way that allows all of it counts;
// when none does, the refusal is that of the first way that was possible.

import { goQuote } from "../../go/strconv.ts";
import { badRequest, StatusError } from "../../meta/status.ts";
import type { AccessAttributes, Authorizer, UserInfo } from "../../registry/definition/request-context.ts";
import type { ImpersonatedUser } from "../api-request.ts";
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  accessForbidden,
  demandAccess,
  NODES_GROUP,
  nodeOf,
  PRIVILEGED_GROUP,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED_GROUP,
} from "./access-check.ts";

/** What stands behind the colon in the verbs of a mode, and whom it suits; undefined: the old verb alone. */
const MODES: readonly (readonly [word: string | undefined, suits: (wanted: ImpersonatedUser) => boolean])[] =
  [
    ["arbitrary-node", (wanted) => nameOnly(wanted) && nodeOf(wanted.name) !== undefined],
    ["serviceaccount", (wanted) => nameOnly(wanted) && serviceAccountOf(wanted.name) !== undefined],
    ["user-info", ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined],
    [undefined, () => true],
  ];

/** The user in whose name the request is made. Throws 400 and 403. */
export function impersonate(
  authorizer: Authorizer,
  attributes: AccessAttributes,
  wanted: ImpersonatedUser,
): UserInfo {
  if (wanted.name === "") {
    throw badRequest(`requested ${describeWanted(wanted)} without impersonating a user name`);
  }
  let refusal: unknown;
  for (const [word, suits] of MODES) {
    if (!suits(wanted)) continue;
    try {
      return impersonateBy(word, authorizer, attributes, wanted);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** One attempt: the checks of one mode for one request. */
function impersonateBy(
  mode: string | undefined,
  authorizer: Authorizer,
  attributes: AccessAttributes,
  { name, uid, groups, extra }: ImpersonatedUser,
): UserInfo {
  const verb = mode === undefined ? "impersonate" : `impersonate:${mode}`;
  // The group in which rules name users, groups and accounts: the old verb looks for them in the core group.
  const people = mode === undefined ? "" : AUTHENTICATION;
  const base = { type: "resource", user: attributes.user, verb, version: "v1", subresource: "" } as const;
  const question = (resource: string, asked: string, namespace = "") => ({
    ...base,
    group: people,
    resource,
    name: asked,
    namespace,
  });
  const demand = (asked: AccessAttributes) => demandAccess(authorizer, asked);
  const refuse = (resource: string, asked: string, why: string) => {
    if (mode !== undefined) throw accessForbidden(question(resource, asked), `impersonating the ${why}`);
  };
  if (mode !== undefined) {
    demand({ ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` });
  }
  const node = mode === undefined ? undefined : nodeOf(name);
  const account = serviceAccountOf(name);
  if (node !== undefined) demand(question("nodes", node));
  else if (account) demand(question("serviceaccounts", account.name, account.namespace));
  else demand(question("users", name));
  if (uid !== "") demand({ ...question("uids", uid), group: AUTHENTICATION });
  if (groups.includes("")) refuse("groups", "", "empty string group is not allowed");
  if (groups.includes(PRIVILEGED_GROUP))
    refuse("groups", PRIVILEGED_GROUP, `${PRIVILEGED_GROUP} group is not allowed`);
  for (const group of groups) demand(question("groups", group));
  for (const [key, values] of Object.entries(extra)) {
    if (values.includes("")) refuse("userextras", "", "empty string value in extra is not allowed");
    const asked = { group: AUTHENTICATION, subresource: key };
    for (const value of values) demand({ ...question("userextras", value), ...asked });
  }
  // Nodes and ServiceAccounts have groups that follow from what they are.
  const ofAccount = account && groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: withStanding(name, node === undefined ? ofAccount : [NODES_GROUP]),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

const AUTHENTICATION = "authentication.k8s.io";

const nameOnly = ({ uid, groups, extra }: ImpersonatedUser): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0;

/** Everybody but the anonymous user is one whom the server knows, unless it is said otherwise. */
function withStanding(name: string, groups: readonly string[]): readonly string[] {
  const group = name === ANONYMOUS_USER ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP;
  return groups.includes(group) || groups.includes(UNAUTHENTICATED_GROUP) ? groups : [...groups, group];
}

/** As Go prints the struct that holds it. */
function describeWanted({ uid, groups, extra }: ImpersonatedUser): string {
  const list = (texts: readonly string[]) => `[]string{${texts.map(goQuote).join(", ")}}`;
  const shownGroups = groups.length > 0 ? list(groups) : "[]string(nil)";
  const pairs = Object.entries(extra).map(([key, values]) => `${goQuote(key)}:${list(values)}`);
  const shownExtra =
    pairs.length > 0 ? `map[string][]string{${pairs.join(", ")}}` : "map[string][]string(nil)";
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}
