import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import {
  isExempt,
  isExemptFromPolicies,
  matchRules,
  readRule,
} from "../../../../src/apiserver/admission/matching.ts";
import { type AdmissionDeps, WriteRequest } from "../../../../src/apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { CONTEXT, definitionOf } from "../../kube/passage.ts";

const registry = new ResourceRegistry();
registry.set(...BUILT_IN_RESOURCES);
// What the rules do not look at is left out.
const DEPS = { resources: registry } as unknown as AdmissionDeps;

function requestFor(
  group: string,
  resource: string,
  change: Partial<AdmissionAttributes> = {},
): WriteRequest {
  const view = registry.findStorage(group, resource);
  if (view === undefined) throw new Error(`${resource} are served`);
  const namespace = view.definition.namespaceScoped ? "ns" : "";
  const about = {
    operation: "CREATE",
    view,
    subresource: "",
    namespace,
    name: "n",
    context: CONTEXT,
  } as const;
  return new WriteRequest({ ...about, object: undefined, oldObject: undefined, ...change }, DEPS);
}

const RULE = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] };
const matches = (rule: JsonObject, request: WriteRequest, equivalent = false): boolean =>
  matchRules([readRule({ ...RULE, ...rule })], equivalent, request) !== undefined;

describe("a rule", () => {
  const pod = requestFor("", "pods");
  const status = requestFor("", "pods", { subresource: "status", operation: "UPDATE" });
  const node = requestFor("", "nodes");
  const namespace = requestFor("", "namespaces", { name: "ns" });

  test.each<[rule: JsonObject, request: WriteRequest, expected: boolean]>([
    [{}, pod, true],
    [{}, status, false],
    [{ resources: ["*/*"] }, status, true],
    [{ resources: ["*/*"] }, pod, true],
    [{ resources: ["pods/*"] }, status, true],
    [{ resources: ["*/status"] }, status, true],
    [{ resources: ["*/status"] }, pod, false],
    [{ resources: ["pods", "pods/status"] }, status, true],
    [{ operations: ["UPDATE"] }, pod, false],
    [{ operations: ["DELETE", "CREATE"] }, pod, true],
    [{ apiGroups: [""] }, pod, true],
    [{ apiGroups: ["apps"] }, pod, false],
    [{ apiVersions: ["v2"] }, pod, false],
    [{ scope: "Namespaced" }, pod, true],
    [{ scope: "Cluster" }, pod, false],
    [{ scope: "Cluster" }, node, true],
    [{ scope: "Namespaced" }, namespace, false],
    [{ scope: "Cluster" }, namespace, true],
    [{ resourceNames: ["n"] }, pod, true],
    [{ resourceNames: ["m"] }, pod, false],
  ])("%j", (rule, request, expected) => {
    expect(matches(rule, request)).toBe(expected);
  });

  test("takes in other versions of the same objects, when it is asked to", () => {
    const event = requestFor("", "events");
    const other = { apiGroups: ["events.k8s.io"] };
    expect(matches(other, event)).toBe(false);
    expect(matches(other, event, true)).toBe(true);
    expect(matches({ apiGroups: ["apps"] }, event, true)).toBe(false);
  });
});

test("policies and webhooks are not looked at, questions by webhooks alone", () => {
  const exempt = BUILT_IN_RESOURCES.filter(isExempt).map(({ resource }) => resource);
  expect(exempt).toEqual(
    expect.arrayContaining(["mutatingwebhookconfigurations", "validatingadmissionpolicies"]),
  );
  expect(exempt).not.toContain("tokenreviews");
  const questions = BUILT_IN_RESOURCES.filter(isExemptFromPolicies).map(({ resource }) => resource);
  expect(questions).toContain("tokenreviews");
  expect(isExempt(definitionOf("ConfigMap"))).toBe(false);
});
