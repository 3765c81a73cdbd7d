import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { alwaysAllow, impersonate } from "../../../../src/apiserver/authorization/access-check.ts";
import { createRbacAuthorizer } from "../../../../src/apiserver/authorization/rbac/rbac-authorizer.ts";
import type { ImpersonatedUser } from "../../../../src/apiserver/endpoints/api-request.ts";
import { ask, binding, policyOf, role, rule, user } from "./support.ts";

const PEOPLE = "authentication.k8s.io";
const ACCOUNT = "system:serviceaccount:a:robot";
const wanted = (name: string, more: Partial<ImpersonatedUser> = {}): ImpersonatedUser => ({
  name,
  uid: "",
  groups: [],
  extra: {},
  ...more,
});

const withRules = (rules: JsonObject[]) =>
  createRbacAuthorizer(
    policyOf({
      ClusterRole: [role("r", rules)],
      ClusterRoleBinding: [binding("b", "ClusterRole:r", "User:bob")],
    }),
  );
const asBob = (rules: JsonObject[], who: ImpersonatedUser, question = "list core pods") =>
  impersonate(withRules(rules), ask(user("bob"), question, "a"), who);

describe("who is impersonated", () => {
  const anybody = (who: ImpersonatedUser) => impersonate(alwaysAllow, ask(user("bob"), "get core pods"), who);

  it.each([
    ["is authenticated", wanted("eve"), ["system:authenticated"]],
    ["has the groups that are asked for", wanted("eve", { groups: ["x"] }), ["x", "system:authenticated"]],
    [
      "is not authenticated when that is asked for",
      wanted("eve", { groups: ["system:unauthenticated"] }),
      ["system:unauthenticated"],
    ],
    ["is not authenticated as the anonymous user", wanted("system:anonymous"), ["system:unauthenticated"]],
    [
      "has the groups of a ServiceAccount as one",
      wanted(ACCOUNT),
      ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    ],
    ["or those that are asked for", wanted(ACCOUNT, { groups: ["x"] }), ["x", "system:authenticated"]],
    ["has the group of nodes as one", wanted("system:node:n1"), ["system:nodes", "system:authenticated"]],
  ])("%s", (_rule, who, groups) => {
    expect(anybody(who)).toEqual({ name: who.name, groups });
  });

  it("has the uid and the extra values that are asked for", () => {
    const extra = { scopes: ["a", "b"] };
    expect(anybody(wanted("eve", { uid: "7", extra }))).toMatchObject({ uid: "7", extra });
  });

  it("must be named", () => {
    expect(() => anybody(wanted("", { groups: ["a"], extra: { k: ["v"] } }))).toThrow(
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string{"k":[]string{"v"}}} without impersonating a user name',
    );
  });
});

describe("the verb impersonate", () => {
  it.each([
    ["of users", rule("core", "users", "impersonate", "eve"), wanted("eve")],
    ["of a ServiceAccount", rule("core", "serviceaccounts", "impersonate", "robot"), wanted(ACCOUNT)],
    ["of a node as of a user", rule("core", "users", "impersonate"), wanted("system:node:n1")],
    ["of groups", rule("core", "users groups", "impersonate", "eve dev"), wanted("eve", { groups: ["dev"] })],
  ])("%s lets one be anybody for everything", (_rule, allowed, who) => {
    expect(asBob([allowed], who).name).toBe(who.name);
  });

  it("reaches for system:masters, the group without a name and empty values", () => {
    const rules = [
      rule("core", "users groups", "impersonate"),
      rule(PEOPLE, "userextras/scopes", "impersonate"),
    ];
    const who = wanted("eve", { groups: ["system:masters", ""], extra: { scopes: [""] } });
    expect(asBob(rules, who)).toMatchObject({
      groups: ["system:masters", "", "system:authenticated"],
      extra: { scopes: [""] },
    });
  });

  it("is asked for in the whole cluster", () => {
    expect(() => asBob([], wanted("system:node:n1", { groups: ["g"] }))).toThrow(
      'users "system:node:n1" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it("is asked for each member", () => {
    const rules = [
      rule("core", "users", "impersonate"),
      rule(PEOPLE, "uids", "impersonate", "7"),
      rule(PEOPLE, "userextras/scopes", "impersonate", "a"),
    ];
    expect(asBob(rules, wanted("eve", { uid: "7", extra: { scopes: ["a"] } })).uid).toBe("7");
    for (const more of [
      { uid: "8" },
      { extra: { scopes: ["b"] } },
      { extra: { other: ["a"] } },
      { groups: ["g"] },
    ])
      expect(() => asBob(rules, wanted("eve", more))).toThrow("forbidden");
  });
});

describe("impersonation for some requests only", () => {
  const on = (mode: string) => rule("core", "pods", `impersonate-on:${mode}:list`);

  it.each([
    ["user-info", wanted("eve"), "users", "eve"],
    ["serviceaccount", wanted(ACCOUNT), "serviceaccounts", "robot"],
    ["arbitrary-node", wanted("system:node:n1"), "nodes", "n1"],
  ])(
    "%s needs the right to be somebody and the right to do so for the request",
    (mode, who, resource, name) => {
      const both = [on(mode), rule(PEOPLE, resource, `impersonate:${mode}`, name)];
      expect(asBob(both, who).name).toBe(who.name);
      expect(() => asBob(both, who, "get core pods")).toThrow(`cannot impersonate-on:${mode}:get`);
      expect(() => asBob(both.slice(0, 1), who)).toThrow(`cannot impersonate:${mode} resource "${resource}"`);
      expect(() => asBob(both.slice(1), who)).toThrow(`cannot impersonate-on:${mode}:list resource "pods"`);
    },
  );

  it("does not reach for system:masters, nor for the group without a name", () => {
    const rules = [on("user-info"), rule(PEOPLE, "users groups", "impersonate:user-info")];
    expect(asBob(rules, wanted("eve", { groups: ["dev"] })).groups).toContain("dev");
    expect(() => asBob(rules, wanted("eve", { groups: ["system:masters"] }))).toThrow(
      'groups.authentication.k8s.io "system:masters" is forbidden: User "bob" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
    expect(() => asBob(rules, wanted("eve", { groups: [""] }))).toThrow(
      'groups.authentication.k8s.io is forbidden: User "bob" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the empty string group is not allowed',
    );
  });

  it("takes no extra value that is empty", () => {
    const rules = [on("user-info"), rule(PEOPLE, "users userextras/scopes", "impersonate:user-info")];
    expect(asBob(rules, wanted("eve", { extra: { scopes: ["a"] } })).extra).toEqual({ scopes: ["a"] });
    expect(() => asBob(rules, wanted("eve", { extra: { scopes: ["a", ""] } }))).toThrow(
      'userextras.authentication.k8s.io is forbidden: User "bob" cannot impersonate:user-info resource "userextras" in API group "authentication.k8s.io" at the cluster scope: impersonating the empty string value in extra is not allowed',
    );
  });

  it("when nothing allows it the first way that is possible is told", () => {
    expect(() => asBob([], wanted("eve"))).toThrow(
      'pods is forbidden: User "bob" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
    );
    expect(() => asBob([], wanted(ACCOUNT, { groups: ["g"] }))).toThrow(
      'serviceaccounts "robot" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    );
  });
});
