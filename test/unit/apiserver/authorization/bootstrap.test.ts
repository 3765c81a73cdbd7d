import { describe, expect, it } from "vitest";
import {
  bootstrapClusterRoleBindings,
  bootstrapClusterRoles,
  reconcilePolicyObject,
} from "../../../../src/apiserver/authorization/rbac/bootstrap-roles.ts";
import { createRbacAuthorizer } from "../../../../src/apiserver/authorization/rbac/rbac-authorizer.ts";
import { cloneJson, type JsonObject } from "../../../../src/meta/json.ts";
import type { KubeObject } from "../../../../src/meta/object-meta.ts";
import { ask, askPath, binding, policyOf, user } from "./support.ts";

const policy = policyOf({
  ClusterRole: bootstrapClusterRoles(),
  ClusterRoleBinding: bootstrapClusterRoleBindings(),
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

describe("a default role that is there already", () => {
  const wanted = (name: string, list: readonly KubeObject[]): KubeObject => {
    const found = list.find(({ metadata }) => metadata.name === name);
    if (!found) throw new Error(`${name} is no default`);
    return cloneJson(found);
  };
  const basic = wanted("system:basic-user", bootstrapClusterRoles());
  const bound = wanted("system:basic-user", bootstrapClusterRoleBindings());
  const rulesOf = (object: KubeObject | undefined) => object?.["rules"] as JsonObject[]; // of a role
  const extraRule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };

  it("stays as it is when it lacks nothing", () => {
    expect(reconcilePolicyObject(basic, basic)).toBeUndefined();
    expect(reconcilePolicyObject({ ...basic, rules: [...rulesOf(basic), extraRule] }, basic)).toBeUndefined();
  });

  it("gets back what it lacks, beside what was added", () => {
    const mended = reconcilePolicyObject({ ...basic, rules: [extraRule, ...rulesOf(basic).slice(1)] }, basic);
    expect(rulesOf(mended)).toEqual([extraRule, ...rulesOf(basic).slice(1), ...rulesOf(basic).slice(0, 1)]);
  });

  it("gets back its label", () => {
    const bare = { ...basic, metadata: { name: "system:basic-user", labels: { own: "x" } } };
    expect(reconcilePolicyObject(bare, basic)?.metadata.labels).toEqual({
      own: "x",
      "kubernetes.io/bootstrapping": "rbac-defaults",
    });
  });

  it("is bound again to whom it was bound", () => {
    const eve = { kind: "User", name: "eve" };
    const mended = reconcilePolicyObject({ ...bound, subjects: [eve] }, bound);
    expect(mended?.["subjects"]).toEqual([eve, ...(bound["subjects"] as unknown[])]);
  });

  it("is left alone when somebody wants it so", () => {
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    const own = { ...basic, metadata: { ...basic.metadata, annotations }, rules: [] };
    expect(reconcilePolicyObject(own, basic)).toBeUndefined();
  });
});
