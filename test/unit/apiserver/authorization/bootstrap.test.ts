import { describe, expect, it } from "vitest";
import { cloneJson, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { POLICY_RESOURCES } from "../../../../src/apiserver/authorization/rbac/bootstrap-policy.ts";
import { createRbacAuthorizer } from "../../../../src/apiserver/authorization/rbac/rbac-authorizer.ts";
import { reconcilePolicyObject } from "../../../../src/apiserver/authorization/rbac/reconcile-policy.ts";
import { readPolicySources } from "../../../../src/server/bootstrap-policy.ts";
import { ask, askPath, binding, policyOf, user } from "./support.ts";

const all = await readPolicySources();
const ofKind = (kind: string): readonly KubeObject[] => all.filter((object) => object.kind === kind);

const policy = policyOf({
  ClusterRole: ofKind("ClusterRole"),
  ClusterRoleBinding: ofKind("ClusterRoleBinding"),
  RoleBinding: ["admin", "edit", "view"].map((name) =>
    binding(name, `ClusterRole:${name}`, `User:${name}`, "a"),
  ),
});
const { authorize } = createRbacAuthorizer(policy);

describe("the roles that a cluster starts with", () => {
  const known = user("x", "system:authenticated");
  const unknown = user("system:anonymous", "system:unauthenticated");

  it.each([
    ["/version", true, true],
    ["/healthz", true, true],
    ["/livez", true, true],
    ["/readyz", true, true],
    ["/healthz/ping", false, false],
    ["/api", true, false],
    ["/apis/k8s.ovn.org/v1", true, false],
    ["/openapi/v3/api/v1", true, false],
    ["/metrics", false, false],
    ["/", false, false],
    ["/egret/v1/reset", false, false],
  ])("%s may be read by those who are known (%s) and by others (%s)", (path, whenKnown, whenNot) => {
    expect(authorize(askPath(known, "get", path)).allowed).toBe(whenKnown);
    expect(authorize(askPath(unknown, "get", path)).allowed).toBe(whenNot);
    expect(authorize(askPath(known, "post", path)).allowed).toBe(false);
  });

  it.each([
    ["authorization.k8s.io selfsubjectaccessreviews", true],
    ["authorization.k8s.io selfsubjectrulesreviews", true],
    ["authentication.k8s.io selfsubjectreviews", true],
    ["authorization.k8s.io subjectaccessreviews", false],
    ["authentication.k8s.io tokenreviews", false],
  ])("those who are known may ask %s: %s", (kind, allowed) => {
    expect(authorize(ask(known, `create ${kind}`)).allowed).toBe(allowed);
    expect(authorize(ask(unknown, `create ${kind}`)).allowed).toBe(false);
  });

  it.each([
    ["get core pods", "admin edit view"],
    ["list networking.k8s.io ingresses", "admin edit view"],
    ["get core namespaces", "admin edit view"],
    ["get core secrets", "admin edit"],
    ["create core pods", "admin edit"],
    ["update apps deployments/scale", "admin edit"],
    ["impersonate core serviceaccounts", "admin edit"],
    ["create rbac.authorization.k8s.io roles", "admin"],
    ["create authorization.k8s.io localsubjectaccessreviews", "admin"],
    ["create core pods/status", ""],
    ["get k8s.ovn.org egressips", ""],
  ])("%s may be done by %j in a namespace", (question, names) => {
    const allowed = ["admin", "edit", "view"].filter(
      (name) => authorize(ask(user(name), question, "a")).allowed,
    );
    expect(allowed.join(" ")).toBe(names);
    for (const name of allowed) expect(authorize(ask(user(name), question, "b")).allowed).toBe(false);
  });
});

describe("the bootstrap policy", () => {
  it("has the objects of a kube-apiserver, each once", () => {
    const counts = [...POLICY_RESOURCES.keys()].map((kind) => [kind, ofKind(kind).length]);
    expect(counts).toEqual([
      ["ClusterRole", 70],
      ["Role", 7],
      ["ClusterRoleBinding", 51],
      ["RoleBinding", 7],
    ]);
    const keys = all.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
    expect(new Set(keys).size).toBe(135);
  });

  it("marks all of them as defaults that are kept up to date", () => {
    for (const { metadata } of all) {
      expect(metadata.labels).toMatchObject({ "kubernetes.io/bootstrapping": "rbac-defaults" });
      expect(metadata.annotations).toEqual({ "rbac.authorization.kubernetes.io/autoupdate": "true" });
    }
  });

  it("lets extension API servers of the control plane read whom the server trusts", () => {
    const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name);
    expect(named("Role", "extension-apiserver-authentication-reader")).toMatchObject({
      metadata: { namespace: "kube-system" },
      rules: [
        {
          apiGroups: [""],
          resources: ["configmaps"],
          resourceNames: ["extension-apiserver-authentication"],
          verbs: ["get", "list", "watch"],
        },
      ],
    });
    expect(named("RoleBinding", "system::extension-apiserver-authentication-reader")).toMatchObject({
      roleRef: { kind: "Role", name: "extension-apiserver-authentication-reader" },
      subjects: [
        { kind: "User", name: "system:kube-controller-manager" },
        { kind: "User", name: "system:kube-scheduler" },
      ],
    });
    expect(named("ClusterRoleBinding", "system:controller:job-controller")?.["subjects"]).toEqual([
      { kind: "ServiceAccount", name: "job-controller", namespace: "kube-system" },
    ]);
    expect(named("ClusterRoleBinding", "system:node")).not.toHaveProperty("subjects");
  });
});

// The expectations were recorded from a kube-apiserver v1.36.3 that was started on changed objects.
describe("a default object that is stored already", () => {
  const wanted = (name: string, kind: string): KubeObject => {
    const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
    if (!found) throw new Error(`${name} is no default`);
    return cloneJson(found);
  };
  const restored = (stored: KubeObject, from: KubeObject): KubeObject | undefined => {
    const change = reconcilePolicyObject(stored, from);
    return change?.type === "update" ? change.object : undefined;
  };
  const basic = wanted("system:basic-user", "ClusterRole");
  const bound = wanted("system:basic-user", "ClusterRoleBinding");
  const rulesOf = (object: KubeObject | undefined) => object?.["rules"] as JsonObject[]; // of a role
  const extraRule = { apiGroups: ["x"], resources: ["y"], verbs: ["get"] };
  const creates = (group: string, resource: string) => ({
    verbs: ["create"],
    apiGroups: [group],
    resources: [resource],
  });

  it("stays as it is when it lacks nothing", () => {
    expect(reconcilePolicyObject(basic, basic)).toBeUndefined();
    expect(reconcilePolicyObject({ ...basic, rules: [...rulesOf(basic), extraRule] }, basic)).toBeUndefined();
  });

  it("gets the rules that it lacks one by one, beside what was added", () => {
    const first = creates("authorization.k8s.io", "selfsubjectaccessreviews");
    expect(rulesOf(restored({ ...basic, rules: [extraRule, first] }, basic))).toEqual([
      extraRule,
      first,
      creates("authorization.k8s.io", "selfsubjectrulesreviews"),
      creates("authentication.k8s.io", "selfsubjectreviews"),
    ]);
  });

  it("gets its labels, and keeps other values of them", () => {
    const label = "kubernetes.io/bootstrapping";
    const bare = { ...basic, metadata: { name: "system:basic-user", labels: { own: "x" } } };
    expect(restored(bare, basic)?.metadata.labels).toEqual({ own: "x", [label]: "rbac-defaults" });
    const changed = { ...basic, metadata: { ...basic.metadata, labels: { [label]: "mine" } } };
    expect(reconcilePolicyObject(changed, basic)).toBeUndefined();
  });

  it("gathers again what it gathered, beside what was added", () => {
    const view = wanted("view", "ClusterRole");
    const { aggregationRule, ...bare } = view;
    expect(restored({ ...bare, rules: [extraRule] }, view)).toEqual({
      ...bare,
      rules: [extraRule],
      aggregationRule,
    });
    const own = { matchLabels: { a: "b" } };
    expect(restored({ ...view, aggregationRule: { clusterRoleSelectors: [own] } }, view)).toMatchObject({
      aggregationRule: {
        clusterRoleSelectors: [
          own,
          { matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
        ],
      },
    });
  });

  it("is bound again to its subjects", () => {
    const eve = { kind: "User", name: "eve" };
    expect(restored({ ...bound, subjects: [eve] }, bound)?.["subjects"]).toEqual([
      eve,
      ...(bound["subjects"] as unknown[]), // of a binding
    ]);
  });

  it("is created anew where it binds another role", () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
    expect(reconcilePolicyObject({ ...bound, roleRef }, bound)).toEqual({ type: "recreate" });
  });

  it("is left alone where its annotation asks for that", () => {
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    const own = { ...basic, metadata: { ...basic.metadata, annotations }, rules: [] };
    expect(reconcilePolicyObject(own, basic)).toBeUndefined();
  });
});
