import { expect, test } from "vitest";
import { alwaysAllow } from "../../../../src/apiserver/authorization/access-check.ts";
import {
  alwaysDeny,
  createAuthorizerUnion,
} from "../../../../src/apiserver/authorization/authorizer-union.ts";
import type { Authorizer } from "../../../../src/apiserver/registry/definition/request-context.ts";

const attributes = (groups: readonly string[] = []) =>
  ({ type: "path", user: { name: "alice", groups }, verb: "get", path: "/version" }) as const;
const rule = { verbs: ["get"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["/a"] };
const authorizer = (reason: string, error?: string, allowed = false): Authorizer => ({
  authorize: () => ({ allowed, reason }),
  rulesFor: () => ({ rules: [rule], error }),
});

test.each<[string, readonly Authorizer[], object]>([
  ["none", [], { allowed: false, reason: "" }],
  ["one that has nothing to say", [authorizer("")], { allowed: false, reason: "" }],
  [
    "two with reasons",
    [authorizer("a"), alwaysDeny],
    { allowed: false, reason: "a\nEverything is forbidden." },
  ],
  [
    "one that allows behind one that does not",
    [alwaysDeny, authorizer("b", "", true)],
    { allowed: true, reason: "b" },
  ],
  ["one that allows all", [authorizer("a"), alwaysAllow], { allowed: true, reason: "" }],
])("a union of %s", (_what, authorizers, decision) => {
  expect(createAuthorizerUnion(authorizers).authorize(attributes())).toEqual(decision);
});

test("system:masters is allowed everything", () => {
  const union = createAuthorizerUnion([alwaysDeny]);
  expect(union.authorize(attributes(["system:masters"]))).toEqual({ allowed: true, reason: "" });
});

test("the rules and errors of all are listed", () => {
  const { user } = attributes();
  const of = (...authorizers: readonly Authorizer[]) => createAuthorizerUnion(authorizers).rulesFor(user, "");
  expect(of(authorizer("", "one"), alwaysDeny, authorizer(""))).toEqual({
    rules: [rule, rule],
    error: "one",
  });
  expect(of(authorizer("", "one"), authorizer("", "two"))).toMatchObject({ error: "[one, two]" });
  expect(of(alwaysDeny)).toEqual({ rules: [], error: undefined });
});
