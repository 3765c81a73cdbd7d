// Impersonate-* headers: a request that is made in somebody else's name. Each member that the headers name must be
// allowed. There are several ways to allow it (KEP-5284): the narrow ones say for which verbs on which resources
// somebody may be impersonated, the old verb "impersonate" holds for everything. The first way that allows all of it counts;
// when none does, the refusal is that of the first way that was possible.

import { goQuote } from "../../go/strconv.ts";
import { badRequest, StatusError } from "../../meta/status.ts";
import type { AccessAttributes, Authorizer } from "../../registry/definition/access.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";
import type { ImpersonatedUser } from "../api-request.ts";
import { accessForbidden, demandAccess } from "./access-check.ts";
import {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  NODES_GROUP,
  nodeOf,
  PRIVILEGED_GROUP,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED_GROUP,
} from "./subjects.ts";

interface Mode {
  /** What stands behind the colon in the verbs of the mode; undefined: the old verb alone. */
  readonly word: string | undefined;
  suits(wanted: ImpersonatedUser): boolean;
}

const MODES: readonly Mode[] = [
  { word: "arbitrary-node", suits: (wanted) => nameOnly(wanted) && nodeOf(wanted.name) !== undefined },
  {
    word: "serviceaccount",
    suits: (wanted) => nameOnly(wanted) && serviceAccountOf(wanted.name) !== undefined,
  },
  {
    word: "user-info",
    suits: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined,
  },
  { word: undefined, suits: () => true },
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
  for (const mode of MODES) {
    if (!mode.suits(wanted)) continue;
    try {
      return new Impersonation(authorizer, attributes, mode.word).check(wanted);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** One attempt: the checks of one mode for one request. */
class Impersonation {
  readonly #authorizer: Authorizer;
  readonly #attributes: AccessAttributes;
  readonly #mode: string | undefined;

  constructor(authorizer: Authorizer, attributes: AccessAttributes, mode: string | undefined) {
    this.#authorizer = authorizer;
    this.#attributes = attributes;
    this.#mode = mode;
  }

  check(wanted: ImpersonatedUser): UserInfo {
    const { name, uid, groups, extra } = wanted;
    if (this.#mode !== undefined) {
      const verb = `impersonate-on:${this.#mode}:${this.#attributes.verb}`;
      demandAccess(this.#authorizer, { ...this.#attributes, verb });
    }
    const own = this.#checkName(name, groups);
    if (uid !== "") this.#demand("authentication.k8s.io", "uids", "", uid);
    this.#checkGroups(groups);
    this.#checkExtra(extra);
    return {
      name,
      ...(uid === "" ? {} : { uid }),
      groups: withStanding(name, own),
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    };
  }

  /** Nodes and ServiceAccounts have groups that follow from what they are. */
  #checkName(userName: string, groups: readonly string[]): readonly string[] {
    const node = this.#mode === undefined ? undefined : nodeOf(userName);
    const account = serviceAccountOf(userName);
    if (node !== undefined) this.#demand(this.#peopleGroup, "nodes", "", node);
    else if (account) this.#demand(this.#peopleGroup, "serviceaccounts", "", account.name, account.namespace);
    else this.#demand(this.#peopleGroup, "users", "", userName);
    if (node !== undefined) return [NODES_GROUP];
    return account && groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
  }

  #checkGroups(groups: readonly string[]): void {
    if (this.#mode !== undefined) {
      if (groups.includes(""))
        this.#refuse("groups", "", "impersonating the empty string group is not allowed");
      if (groups.includes(PRIVILEGED_GROUP)) {
        this.#refuse("groups", PRIVILEGED_GROUP, "impersonating the system:masters group is not allowed");
      }
    }
    for (const group of groups) this.#demand(this.#peopleGroup, "groups", "", group);
  }

  #checkExtra(extra: ImpersonatedUser["extra"]): void {
    for (const [key, values] of Object.entries(extra)) {
      if (this.#mode !== undefined && values.includes("")) {
        this.#refuse("userextras", "", "impersonating the empty string value in extra is not allowed");
      }
      for (const value of values) this.#demand("authentication.k8s.io", "userextras", key, value);
    }
  }

  /** The group in which rules name users, groups and accounts: the old verb looks for them in the core group. */
  get #peopleGroup(): string {
    return this.#mode === undefined ? "" : "authentication.k8s.io";
  }

  #demand(group: string, resource: string, subresource: string, name: string, namespace = ""): void {
    demandAccess(this.#authorizer, this.#question(group, resource, subresource, name, namespace));
  }

  #refuse(resource: string, name: string, why: string): never {
    throw accessForbidden(this.#question(this.#peopleGroup, resource, "", name, ""), why);
  }

  #question(group: string, resource: string, subresource: string, name: string, namespace: string) {
    const verb = this.#mode === undefined ? "impersonate" : `impersonate:${this.#mode}`;
    const { user } = this.#attributes;
    return {
      type: "resource",
      user,
      verb,
      group,
      version: "v1",
      resource,
      subresource,
      namespace,
      name,
    } as const;
  }
}

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
