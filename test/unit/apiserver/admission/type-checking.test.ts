import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { checkPolicyTypes } from "../../../../src/apiserver/admission/type-checking.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";

const registry = new ResourceRegistry();
registry.set(...BUILT_IN_RESOURCES);

const RULE = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments"] };

function check(expression: string, spec: JsonObject = {}, rule: JsonObject = {}) {
  const matchConstraints = { resourceRules: [{ ...RULE, ...rule }] };
  const policy = { metadata: {}, spec: { matchConstraints, validations: [{ expression }], ...spec } };
  return checkPolicyTypes(policy, registry);
}

describe("an expression", () => {
  test.each([
    "object.spec.replicas > 1 && oldObject.spec.paused",
    "object.spec.template.spec.containers.all(c, c.image.startsWith('a') && c.ports[0].containerPort > 1)",
    "object.metadata.labels['a'] == 'b' && object.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')",
    "object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == '1'",
  ])("%s is sound", (expression) => {
    expect(check(expression)).toEqual([]);
  });

  test("may name a field that is a reserved word plainly", () => {
    const bindings = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["rolebindings"] };
    expect(check("object.subjects.all(s, s.namespace == s.__namespace__)", {}, bindings)).toEqual([]);
  });

  test("that asks for what is not there is told of, with its place", () => {
    expect(check("object.replicas > 1")).toEqual([
      {
        fieldRef: "spec.validations[0].expression",
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n",
      },
    ]);
  });

  test("is held against all kinds that the rules name", () => {
    const [found] = check(
      "object.data.x == 1",
      {},
      { apiGroups: ["", "apps"], resources: ["deployments", "configmaps"] },
    );
    expect(found?.warning).toContain("apps/v1, Kind=Deployment: ERROR");
    expect(found?.warning).toContain("v1, Kind=ConfigMap: ERROR: <input>:1:15: found no matching overload");
  });

  test("is not looked at where the rules name no kind", () => {
    expect(check("object.x", {}, { apiGroups: ["*"] })).toEqual([]);
    expect(check("object.x", {}, { resources: ["*", "deployments/status"] })).toEqual([]);
  });

  test("may use variables and parameters, whose types are known, too", () => {
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      variables: [{ name: "n", expression: "object.spec.replicas" }],
    };
    expect(check("variables.n > int(params.data['max'])", spec)).toEqual([]);
    expect(check("variables.n > params.data['max']", spec)).toHaveLength(1);
    expect(check("params.date.size() > 1", spec)[0]?.warning).toContain("undefined field 'date'");
  });
});
