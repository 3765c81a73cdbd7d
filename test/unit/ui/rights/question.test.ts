// Rules of a SelfSubjectRulesReview, and whether they allow the actions that the web UI offers.
import { describe, expect, test } from "vitest";
import {
  allows,
  EVERYTHING,
  onControl,
  onObject,
  type ResourceQuestion,
  type Rules,
  refusalOf,
} from "../../../../src/ui/rights/question.ts";

const rules = (resourceRules: Rules["resourceRules"], nonResourceRules: Rules["nonResourceRules"] = []) => ({
  ...{ resourceRules, nonResourceRules, incomplete: false },
});
const asked = (verb: string, resource: string, rest: Partial<ResourceQuestion> = {}): ResourceQuestion => ({
  ...{ verb, group: "", resource, subresource: "", namespace: "", name: "" },
  ...rest,
});
const on = (verbs: string, apiGroups: string, resources: string, resourceNames?: string[]) => ({
  ...{ verbs: verbs.split(" "), apiGroups: apiGroups.split(" "), resources: resources.split(" ") },
  ...(resourceNames ? { resourceNames } : {}),
});

describe("rules of resources", () => {
  const reader = rules([on("get list", "", "pods"), on("*", "k8s.ovn.org", "*")]);
  test.each([
    [true, asked("get", "pods")],
    [false, asked("update", "pods")],
    [false, asked("get", "pods", { subresource: "status" })],
    [false, asked("get", "pods", { group: "metrics.k8s.io" })],
    [true, asked("update", "egressips", { group: "k8s.ovn.org", subresource: "status" })],
  ])("allow: %s for %o", (isAllowed, question) => {
    expect(allows(reader, question)).toBe(isAllowed);
  });

  test("name subresources, of one kind and of all", () => {
    const status = rules([on("patch", "", "pods/status"), on("update", "", "*/scale")]);
    expect(allows(status, asked("patch", "pods", { subresource: "status" }))).toBe(true);
    expect(allows(status, asked("patch", "pods"))).toBe(false);
    expect(allows(status, asked("update", "anything", { subresource: "scale" }))).toBe(true);
  });

  test("may hold for single names, and then for no list", () => {
    const one = rules([on("get list", "", "nodes", ["n1"])]);
    expect(allows(one, asked("get", "nodes", { name: "n1" }))).toBe(true);
    expect(allows(one, asked("get", "nodes", { name: "n2" }))).toBe(false);
    expect(allows(one, asked("list", "nodes"))).toBe(false);
  });
});

test("rules of paths end with a star, or not", () => {
  const paths = rules([], [{ verbs: ["get"], nonResourceURLs: ["/egret/v1/*", "/version"] }]);
  expect(allows(paths, onControl("get", "clock"))).toBe(true);
  expect(allows(paths, onControl("post", "clock"))).toBe(false);
  expect(allows(paths, { verb: "get", path: "/version" })).toBe(true);
  expect(allows(paths, { verb: "get", path: "/version/x" })).toBe(false);
});

test("everything is allowed by everything alone", () => {
  const all = rules([on("*", "*", "*")], [{ verbs: ["*"], nonResourceURLs: ["*"] }]);
  const allOf = (known: Rules) => EVERYTHING.map((question) => allows(known, question));
  expect(allOf(all)).toEqual([true, true]);
  expect(allOf(rules([on("*", "*", "*")]))).toEqual([true, false]);
  expect(allOf(rules([on("get list watch", "*", "*")]))).toEqual([false, false]);
  expect(allOf(rules([], [{ verbs: ["*"], nonResourceURLs: ["/egret/*"] }]))).toEqual([false, false]);
});

test("a Namespace counts as being in itself", () => {
  const shop = { group: "", version: "v1", resource: "namespaces", namespace: "", name: "shop" };
  expect(onObject("update", shop)).toMatchObject({ namespace: "shop", name: "shop" });
});

test("a refusal says who may not do what, and where", () => {
  const ref = {
    group: "k8s.ovn.org",
    version: "v1",
    resource: "egressqoses",
    namespace: "shop",
    name: "default",
  };
  expect(refusalOf("alice", onObject("update", ref))).toBe(
    "alice may not update egressqoses.k8s.ovn.org in the namespace shop.",
  );
  expect(refusalOf("alice", asked("patch", "nodes", { subresource: "status" }))).toBe(
    "alice may not patch nodes/status.",
  );
  expect(refusalOf("alice", onControl("post", "trace"))).toBe("alice may not post /egret/v1/trace.");
  expect(EVERYTHING.map((question) => refusalOf("alice", question))).toEqual(
    Array(2).fill("alice may not do everything, and this is for those alone who may."),
  );
});
