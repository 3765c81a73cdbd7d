import { describe, expect, test } from "vitest";
import type { FaultMatch } from "../../../../src/features/faults/fault.ts";
import {
  createMatcher,
  createPattern,
  type Target,
  targetOf,
} from "../../../../src/features/faults/match.ts";
import { type Asked, requestOf } from "./support.ts";

const POD = "/api/v1/namespaces/web/pods/a";
const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";

const target = (path: string, asked: Asked = {}): Target => {
  const request = requestOf(path, asked);
  return targetOf(request);
};
const matches = (match: FaultMatch, at: Target): boolean =>
  createMatcher("error", { match, error: { code: 500 } })(at);

describe("a fault is about a request", () => {
  const cases: [rule: string, match: FaultMatch, path: string, asked: Asked, expected: boolean][] = [
    ["that it says nothing against", {}, POD, {}, true],
    ["of its verb", { verb: "get" }, POD, {}, true],
    ["of one of its verbs", { verb: ["update", "get"] }, POD, {}, true],
    ["not of another verb", { verb: "list" }, POD, {}, false],
    ["of its group", { group: "k8s.ovn.org" }, `${EGRESS_IPS}/a`, {}, true],
    ["of the core group", { group: "" }, POD, {}, true],
    ["not of the core group", { group: "" }, EGRESS_IPS, {}, false],
    ["of its version", { version: "v1beta1" }, POD, {}, false],
    ["of its resource", { resource: ["pods", "nodes"] }, POD, {}, true],
    ["of its subresource", { subresource: "status" }, `${POD}/status`, {}, true],
    ["of the object itself", { subresource: "" }, `${POD}/status`, {}, false],
    ["of its namespace", { namespace: "we*" }, POD, {}, true],
    ["of its name", { name: "b" }, POD, {}, false],
    ["of its user agent", { userAgent: "kubectl/*" }, POD, { userAgent: "kubectl/v1.32" }, true],
    ["of its user", { user: "jane" }, POD, { user: "joe" }, false],
    ["in its user's name", { user: "jane" }, POD, { user: "joe", impersonate: "jane" }, true],
    ["for its path", { path: "/apis*" }, "/apis", {}, true],
    ["not for a path that it does not name", {}, "/apis", {}, false],
    ["not for a resource when it names a path", { path: "*" }, POD, {}, false],
  ];
  test.each(cases)("%s", (_rule, match, path, asked, expected) => {
    expect(matches(match, target(path, asked))).toBe(expected);
  });
});

describe("the name of a request", () => {
  const metadata = '"metadata":{"name":"made"}';
  test.each<[string, string, Asked, string]>([
    ["of the path", POD, {}, "a"],
    ["of a body", EGRESS_IPS, { method: "POST", body: `{${metadata}}` }, "made"],
    [
      "of a body in YAML",
      EGRESS_IPS,
      { method: "POST", body: "metadata: {name: made}", contentType: "application/yaml" },
      "made",
    ],
    ["of a body that cannot be read", EGRESS_IPS, { method: "POST", body: "{" }, ""],
    ["of no body", EGRESS_IPS, { method: "POST" }, ""],
    ["of a field selector", EGRESS_IPS, { query: "fieldSelector=metadata.name%3Da" }, "a"],
    ["of a field selector for all others", EGRESS_IPS, { query: "fieldSelector=metadata.name!%3Da" }, ""],
    ["of a field selector that cannot be read", EGRESS_IPS, { query: "fieldSelector=a" }, ""],
  ])("%s", (_rule, path, asked, expected) => {
    expect(target(path, asked).name).toBe(expected);
  });
});

test("controllers inside the server are hit only by faults that name a user agent", () => {
  const inside = { ...target(POD, { userAgent: "cluster-manager" }), inProcess: true };
  expect(matches({}, inside)).toBe(false);
  expect(matches({ userAgent: "cluster-*" }, inside)).toBe(true);
});

test("what can happen to some verbs only is about those", () => {
  const matcher = createMatcher("watchEnd", { watchEnd: { how: "end" } });
  expect(matcher(target("/api/v1/pods", { query: "watch=1" }))).toBe(true);
  expect(matcher(target("/api/v1/pods"))).toBe(false);
  const lost = createMatcher("error", { error: { code: 504, when: "after" } });
  expect(lost(target(POD))).toBe(false);
  expect(lost(target(POD, { method: "DELETE" }))).toBe(true);
});

test.each<[string, string, boolean]>([
  ["a*c", "abc", true],
  ["a*c", "ac", true],
  ["a*c", "acd", false],
  ["a*a", "a", false],
  ["*b*", "abc", true],
  ["a*b*c", "axbyc", true],
  ["a*b*bc", "abc", false],
  ["a.c", "abc", false],
  ["*", "", true],
])("the pattern %s and the text %j", (pattern, text, expected) => {
  expect(createPattern(pattern)(text)).toBe(expected);
});
