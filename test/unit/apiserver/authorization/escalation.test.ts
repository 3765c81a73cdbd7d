import { describe, expect, it } from "vitest";
import { cloneJson, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import {
  createEscalationCheck,
  createRbacAuthorizer,
} from "../../../../src/apiserver/authorization/rbac/rbac-authorizer.ts";
import type { UserInfo } from "../../../../src/apiserver/registry/definition/request-context.ts";
import { storageView } from "../../../../src/apiserver/registry/definition/view.ts";
import { CONTEXT, definitionOf } from "../../kube/passage.ts";
import { binding, gathering, paths, policyOf, role, rule, user } from "./support.ts";

const RBAC = "rbac.authorization.k8s.io";
const READ_PODS = rule("core", "pods", "get list");
const BOB = user("bob", "dev");

/** bob holds these rules in the namespace a, and those in the whole cluster. */
function world(rules: JsonObject[], clusterRules: JsonObject[] = []) {
  const policy = policyOf({
    ClusterRole: [
      role("bob", clusterRules),
      role("pods", [READ_PODS]),
      role("nodes", [rule("core", "nodes", "get")]),
    ],
    Role: [
      role("bob", rules, { namespace: "a" }),
      role("secrets", [rule("core", "secrets", "get")], { namespace: "a" }),
    ],
    ClusterRoleBinding: [binding("bob", "ClusterRole:bob", "User:bob")],
    RoleBinding: [binding("bob", "Role:bob", "User:bob", "a")],
  });
  const check = createEscalationCheck(policy, createRbacAuthorizer(policy));
  return (kind: string, object: KubeObject, old?: KubeObject, who: UserInfo = BOB) => {
    const definition = definitionOf(`${RBAC}/${kind}`);
    check.admitMutated({
      operation: old ? "UPDATE" : "CREATE",
      view: storageView(definition),
      subresource: "",
      namespace: definition.namespaceScoped ? "a" : "",
      name: object.metadata.name ?? "",
      object,
      oldObject: old,
      context: { ...CONTEXT, user: who },
    });
  };
}

describe("who writes a role", () => {
  it("must hold what it gives", () => {
    const write = world([READ_PODS]);
    expect(() => write("Role", role("r", [READ_PODS]))).not.toThrow();
    expect(() => write("Role", role("r", [READ_PODS, rule("core", "pods", "get delete")]))).toThrow(
      'roles.rbac.authorization.k8s.io "r" is forbidden: user "bob" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    );
  });

  it("of the cluster must hold it in the whole cluster", () => {
    expect(() => world([READ_PODS])("ClusterRole", role("r", [READ_PODS]))).toThrow("not currently held");
    expect(() => world([], [READ_PODS])("ClusterRole", role("r", [READ_PODS]))).not.toThrow();
  });

  it("may do so with the verb escalate, for a name that the URL says", () => {
    const any = world([rule(RBAC, "roles", "escalate")]);
    expect(() => any("Role", role("r", [READ_PODS]))).not.toThrow();
    const one = world([rule(RBAC, "roles", "escalate", "r")]);
    expect(() => one("Role", role("r", [READ_PODS]))).toThrow("not currently held");
    expect(() => one("Role", role("r", [READ_PODS]), role("r", []))).not.toThrow();
  });

  it("may do so in system:masters", () => {
    expect(() =>
      world([])("Role", role("r", [READ_PODS]), undefined, user("x", "system:masters")),
    ).not.toThrow();
  });

  it("that is there already must hold all of it, changed or not", () => {
    const old = role("r", [READ_PODS]);
    const labelled = role("r", [READ_PODS], { labels: { a: "b" } });
    expect(() => world([])("Role", labelled, old)).toThrow("not currently held");
  });

  it("may change owners and finalizers alone", () => {
    const old = role("r", [READ_PODS], { finalizers: ["x/y"] });
    const next: KubeObject = cloneJson(old);
    delete next.metadata.finalizers;
    next.metadata.ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }];
    expect(() => world([])("Role", next, old)).not.toThrow();
  });

  it("that gathers others must be able to do everything", () => {
    const all = [rule("*", "*", "*"), paths("*", "*")];
    const plain = role("r", []);
    const refusal = "must have cluster-admin privileges to use the aggregationRule";
    const gathers = { ...gathering("r", "l"), rules: [] };
    expect(() => world([], [READ_PODS])("ClusterRole", gathers)).toThrow(refusal);
    expect(() => world([], [READ_PODS])("ClusterRole", plain, gathers)).toThrow(refusal);
    expect(() => world([], all)("ClusterRole", gathers)).not.toThrow();
  });
});

describe("who binds a role", () => {
  const bind = (to: string) => binding("b", to, "User:eve");

  it("must hold what it gives", () => {
    expect(() => world([READ_PODS])("RoleBinding", bind("ClusterRole:pods"))).not.toThrow();
    expect(() => world([READ_PODS])("RoleBinding", bind("ClusterRole:nodes"))).toThrow(
      'rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "bob"',
    );
    expect(() => world([READ_PODS])("ClusterRoleBinding", bind("ClusterRole:pods"))).toThrow(
      "not currently held",
    );
    expect(() => world([READ_PODS])("RoleBinding", bind("Role:secrets"))).toThrow('Resources:["secrets"]');
  });

  it("may do so with the verb bind", () => {
    const write = world([rule(RBAC, "clusterroles", "bind", "nodes")]);
    expect(() => write("RoleBinding", bind("ClusterRole:nodes"))).not.toThrow();
    expect(() => write("RoleBinding", bind("ClusterRole:pods"))).toThrow("not currently held");
    expect(() => write("RoleBinding", bind("Role:nodes"))).toThrow("not found");
  });

  it("may change owners and finalizers alone", () => {
    const old = bind("ClusterRole:nodes");
    const next: KubeObject = cloneJson(old);
    next.metadata.finalizers = ["x/y"];
    expect(() => world([])("RoleBinding", next, old)).not.toThrow();
    next.metadata.labels = { a: "b" };
    expect(() => world([])("RoleBinding", next, old)).toThrow("not currently held");
  });

  it("that is not there is told so", () => {
    expect(() => world([])("RoleBinding", bind("ClusterRole:none"))).toThrow(
      'clusterrole.rbac.authorization.k8s.io "none" not found',
    );
  });

  it("leaves a reference to no role to the checks of the object", () => {
    expect(() => world([])("RoleBinding", bind("Robot:x"))).not.toThrow();
  });
});
