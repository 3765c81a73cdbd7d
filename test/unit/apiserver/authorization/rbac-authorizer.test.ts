import { describe, expect, it } from "vitest";
import { createRbacAuthorizer } from "../../../../src/apiserver/authorization/rbac/rbac-authorizer.ts";
import { ask, askPath, binding, gathering, paths, policyOf, role, rule, user } from "./support.ts";

const READ_PODS = rule("core", "pods", "get list");

describe("RBAC", () => {
  const policy = policyOf({
    ClusterRole: [
      role("reader", [READ_PODS]),
      role("paths", [paths("/metrics", "get")]),
      role("node-reader", [rule("core", "nodes", "get")]),
    ],
    Role: [role("writer", [rule("core", "pods", "create")], { namespace: "a" })],
    ClusterRoleBinding: [
      binding("devs", "ClusterRole:reader", "Group:dev User:eve"),
      binding("paths", "ClusterRole:paths", "User:eve ServiceAccount:a/robot"),
    ],
    RoleBinding: [
      binding("bob", "ClusterRole:reader", "User:bob", "a"),
      binding("writers", "Role:writer", "User:bob ServiceAccount:robot ServiceAccount:b/robot", "a"),
      binding("elsewhere", "Role:writer", "User:carol", "b"),
      binding("nodes", "ClusterRole:node-reader", "User:bob", "a"),
    ],
  });
  const authorizer = createRbacAuthorizer(policy);

  const robot = (namespace: string) => user(`system:serviceaccount:${namespace}:robot`);
  it.each([
    ["nobody may do what nobody is allowed", user("x"), "get core pods", "a", ""],
    [
      "a binding of the cluster holds in every namespace",
      user("x", "dev"),
      "get core pods",
      "z",
      'RBAC: allowed by ClusterRoleBinding "devs" of ClusterRole "reader" to Group "dev"',
    ],
    [
      "and across them",
      user("eve"),
      "list core pods",
      "",
      'RBAC: allowed by ClusterRoleBinding "devs" of ClusterRole "reader" to User "eve"',
    ],
    [
      "of the subjects that fit the first is told",
      user("eve", "dev"),
      "list core pods",
      "",
      'RBAC: allowed by ClusterRoleBinding "devs" of ClusterRole "reader" to Group "dev"',
    ],
    [
      "a binding in a namespace holds there",
      user("bob"),
      "get core pods",
      "a",
      'RBAC: allowed by RoleBinding "bob/a" of ClusterRole "reader" to User "bob"',
    ],
    ["not in another", user("bob"), "get core pods", "b", ""],
    ["nor across them", user("bob"), "list core pods", "", ""],
    ["nor for what has no namespace", user("bob"), "get core nodes n", "", ""],
    [
      "a role of the namespace",
      user("bob"),
      "create core pods",
      "a",
      'RBAC: allowed by RoleBinding "writers/a" of Role "writer" to User "bob"',
    ],
    [
      "an account without a namespace is one of the binding's",
      robot("a"),
      "create core pods",
      "a",
      'RBAC: allowed by RoleBinding "writers/a" of Role "writer" to ServiceAccount "robot/a"',
    ],
    [
      "one of another namespace is named with it",
      robot("b"),
      "create core pods",
      "a",
      'RBAC: allowed by RoleBinding "writers/a" of Role "writer" to ServiceAccount "robot/b"',
    ],
    ["a name alone makes no group", user("dev"), "get core pods", "a", ""],
    ["a group makes no name", user("x", "bob"), "get core pods", "a", ""],
  ])("%s", (_rule, who, question, namespace, reason) => {
    expect(authorizer.authorize(ask(who, question, namespace))).toEqual({ allowed: reason !== "", reason });
  });

  it("paths are allowed by bindings of the cluster alone", () => {
    expect(authorizer.authorize(askPath(user("eve"), "get", "/metrics")).allowed).toBe(true);
    expect(authorizer.authorize(askPath(user("bob"), "get", "/metrics")).allowed).toBe(false);
  });

  it("system:masters may do everything, and no reason is given", () => {
    const decision = { allowed: true, reason: "" };
    expect(authorizer.authorize(ask(user("x", "system:masters"), "any x y"))).toEqual(decision);
    expect(authorizer.authorize(askPath(user("x", "system:masters"), "get", "/"))).toEqual(decision);
  });

  it("a binding to a role that is not there is told with the refusal", () => {
    const why = 'RBAC: role.rbac.authorization.k8s.io "writer" not found';
    expect(authorizer.authorize(ask(user("carol"), "get core pods", "b"))).toEqual({
      allowed: false,
      reason: why,
    });
    expect(authorizer.rulesFor(user("carol"), "b")).toEqual({
      rules: [],
      error: 'role.rbac.authorization.k8s.io "writer" not found',
    });
  });

  it("tells all rules of a user in a namespace, those of the cluster first", () => {
    const { rules, error } = authorizer.rulesFor(user("bob", "dev"), "a");
    expect(error).toBeUndefined();
    expect(rules.map(({ resources, verbs }) => `${verbs} ${resources}`)).toEqual([
      "get,list pods",
      "get,list pods",
      "get nodes",
      "create pods",
    ]);
  });
});

describe("a policy that changes", () => {
  const mayGet = (policy: ReturnType<typeof policyOf>, who = "bob", question = "get core pods") =>
    createRbacAuthorizer(policy).authorize(ask(user(who), question, "a")).allowed;
  const world = () =>
    policyOf({
      ClusterRole: [role("reader", [READ_PODS])],
      RoleBinding: [binding("bob", "ClusterRole:reader", "User:bob User:eve", "a")],
    });

  it("forgets a binding that is gone", () => {
    const policy = world();
    policy.remove("RoleBinding", "a/bob");
    expect(mayGet(policy)).toBe(false);
  });

  it("forgets the subjects that a binding no longer names", () => {
    const policy = world();
    policy.put("RoleBinding", binding("bob", "ClusterRole:reader", "User:eve", "a"));
    expect(mayGet(policy, "bob")).toBe(false);
    expect(mayGet(policy, "eve")).toBe(true);
  });

  it("follows a role", () => {
    const policy = world();
    policy.put("ClusterRole", role("reader", [rule("core", "nodes", "get")]));
    expect(mayGet(policy)).toBe(false);
    policy.put("ClusterRole", role("reader", [READ_PODS]));
    expect(mayGet(policy)).toBe(true);
    policy.remove("ClusterRole", "/reader");
    expect(mayGet(policy)).toBe(false);
  });

  it("forgets all of a kind", () => {
    const policy = world();
    policy.clear("ClusterRoleBinding");
    expect(mayGet(policy)).toBe(true);
    policy.clear("RoleBinding");
    expect(mayGet(policy)).toBe(false);
  });

  it("keeps objects of one name in several namespaces apart", () => {
    const policy = world();
    policy.put("RoleBinding", binding("bob", "ClusterRole:reader", "User:eve", "b"));
    policy.remove("RoleBinding", "b/bob");
    expect(mayGet(policy)).toBe(true);
  });
});

describe("an aggregated ClusterRole", () => {
  const gathered = () =>
    policyOf({
      ClusterRole: [
        gathering("all", "to-all"),
        gathering("some", "to-some", { "to-all": "true" }),
        role("nodes", [rule("core", "nodes", "get")], { labels: { "to-some": "true" } }),
        role("other", [rule("core", "secrets", "get")]),
      ],
      ClusterRoleBinding: [binding("b", "ClusterRole:all", "User:bob")],
    });
  const may = (policy: ReturnType<typeof policyOf>, question: string) =>
    createRbacAuthorizer(policy).authorize(ask(user("bob"), question)).allowed;

  it("has the rules of those it selects, and of those that they select, and not its own", () => {
    const policy = gathered();
    expect(may(policy, "get core nodes")).toBe(true);
    expect(may(policy, "get core secrets")).toBe(false);
    expect(may(policy, "get core stale")).toBe(false);
  });

  it("follows them", () => {
    const policy = gathered();
    expect(may(policy, "get core pods")).toBe(false);
    policy.put("ClusterRole", role("pods", [READ_PODS], { labels: { "to-all": "true" } }));
    expect(may(policy, "get core pods")).toBe(true);
    policy.remove("ClusterRole", "/nodes");
    expect(may(policy, "get core nodes")).toBe(false);
  });

  it("may select in a circle", () => {
    const policy = gathered();
    policy.put("ClusterRole", gathering("ring", "to-ring", { "to-all": "true", "to-ring": "true" }));
    policy.put("ClusterRole", gathering("all", "to-all", { "to-ring": "true" }));
    expect(may(policy, "get core nodes")).toBe(true);
    policy.put("ClusterRoleBinding", binding("b", "ClusterRole:ring", "User:bob"));
    expect(may(policy, "get core nodes")).toBe(true);
  });

  it("with a selector that cannot be understood has nothing from it", () => {
    const policy = gathered();
    const clusterRoleSelectors = [{ matchExpressions: [{ key: "a", operator: "Like" }] }];
    policy.put("ClusterRole", { metadata: { name: "all" }, aggregationRule: { clusterRoleSelectors } });
    expect(may(policy, "get core nodes")).toBe(false);
  });
});
