import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import {
  describeRules,
  readRules,
  ruleAllows,
  uncoveredRules,
} from "../../../../src/apiserver/authorization/rbac/policy-rule.ts";
import { ask, askPath, paths, rule, user } from "./support.ts";

const BOB = user("bob");
const one = (json: JsonObject) => {
  const [read] = readRules([json]);
  if (read === undefined) throw new Error("no rule was read");
  return read;
};

describe("a rule", () => {
  it.each([
    ["allows its verbs", rule("core", "pods", "get list"), "list core pods", true],
    ["and no others", rule("core", "pods", "get list"), "watch core pods", false],
    ["a star is any verb", rule("core", "pods", "*"), "bind core pods", true],
    ["a star is not part of a word", rule("core", "pods", "ge*"), "get core pods", false],
    ["allows its groups", rule("core apps", "pods", "get"), "get apps pods", true],
    ["and no others", rule("apps", "pods", "get"), "get core pods", false],
    ["a star is any group", rule("*", "pods", "get"), "get x.y pods", true],
    ["a resource is not its subresources", rule("core", "pods", "get"), "get core pods/log", false],
    ["nor the other way round", rule("core", "pods/log", "get"), "get core pods", false],
    ["a subresource is named in full", rule("core", "pods/log", "get"), "get core pods/log", true],
    ["or as that of any resource", rule("core", "*/scale", "get"), "get core pods/scale", true],
    ["which is only that one", rule("core", "*/scale", "get"), "get core pods/status", false],
    ["a star is every resource and subresource", rule("core", "*", "get"), "get core pods/log", true],
    ["names let nobody at the others", rule("core", "pods", "get", "a b"), "get core pods c", false],
    ["nor at all of them", rule("core", "pods", "list", "a b"), "list core pods", false],
    ["but at those", rule("core", "pods", "get", "a b"), "get core pods b", true],
    ["a rule about paths says nothing of resources", paths("*", "*"), "get core pods", false],
  ])("%s", (_rule, json, question, allowed) => {
    expect(ruleAllows(one(json), ask(BOB, question))).toBe(allowed);
  });

  it.each([
    ["a path", "/version", "/version", true],
    ["not what lies below it", "/version", "/version/", false],
    ["a star at the end", "/api/*", "/api/v1", true],
    ["which is not the path before it", "/api/*", "/api", false],
    ["a star alone is every path", "*", "/any/thing", true],
    ["a star in the middle means nothing", "/a/*/c", "/a/b/c", false],
    ["also before one at the end", "/a/*/c/*", "/a/b/c/d", false],
    ["but itself", "/a/*/c/*", "/a/*/c/d", true],
    ["several stars are one", "/a/**", "/a/b", true],
  ])("of paths: %s", (_rule, pattern, path, allowed) => {
    expect(ruleAllows(one(paths(pattern, "get")), askPath(BOB, "get", path))).toBe(allowed);
    expect(ruleAllows(one(paths(pattern, "get")), askPath(BOB, "post", path))).toBe(false);
  });

  it("about resources says nothing of paths", () => {
    expect(ruleAllows(one(rule("*", "*", "*")), askPath(BOB, "get", "/"))).toBe(false);
  });

  it.each([["no list"], [{}], [[{ verbs: "get" }, null, "x"]]])("reads %j without harm", (value) => {
    const allowed = readRules(value).some((item) => ruleAllows(item, ask(BOB, "get core pods")));
    expect(allowed).toBe(false);
  });
});

describe("rights that go beyond others", () => {
  const beyond = (held: JsonObject[], wanted: JsonObject[]): string[] =>
    describeRules(uncoveredRules(readRules(held), readRules(wanted)));

  it.each([
    ["are none where all is held", [rule("*", "*", "*")], [rule("core apps", "pods pods/log", "get x")], []],
    [
      "are told by resource, with their verbs",
      [rule("core", "pods", "get")],
      [rule("core", "pods nodes", "get list watch")],
      [
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list" "watch"]}',
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      ],
    ],
    [
      "are put together from several rules",
      [rule("core", "pods", "get"), rule("core", "pods", "list")],
      [rule("core", "pods", "get list")],
      [],
    ],
    [
      "a subresource of any resource covers one",
      [rule("core", "*/log", "get")],
      [rule("core", "pods/log", "get")],
      [],
    ],
    [
      "rights to one object are not rights to all",
      [rule("core", "pods", "get", "a")],
      [rule("core", "pods", "get")],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ],
    [
      "rights to all are rights to each",
      [rule("core", "pods", "get")],
      [rule("core", "pods", "get", "a b")],
      [],
    ],
    [
      "rights to one object are rights to that one",
      [rule("core", "pods", "get", "a b")],
      [rule("core", "pods", "get", "b c")],
      ['{APIGroups:[""], Resources:["pods"], ResourceNames:["c"], Verbs:["get"]}'],
    ],
    [
      "rights to a resource are none to what lies below it",
      [rule("core", "pods", "get")],
      [rule("core", "pods/log", "get")],
      ['{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}'],
    ],
    [
      "nor the other way round",
      [rule("core", "*/log", "get")],
      [rule("core", "pods", "get")],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ],
    ["any of several paths covers one", [paths("/healthz /api/*", "get")], [paths("/api/v1", "get")], []],
    [
      "a star of names is a name",
      [rule("core", "pods", "get", "*")],
      [rule("core", "pods", "get", "a")],
      ['{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}'],
    ],
    [
      "a wanted star is covered by a star alone",
      [rule("core", "pods nodes", "get")],
      [rule("core", "*", "get")],
      ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}'],
    ],
    [
      "paths stand one by one",
      [paths("/api/*", "get")],
      [paths("/api/v1 /healthz", "get post")],
      [
        '{NonResourceURLs:["/api/v1"], Verbs:["post"]}',
        '{NonResourceURLs:["/healthz"], Verbs:["get"]}',
        '{NonResourceURLs:["/healthz"], Verbs:["post"]}',
      ],
    ],
  ])("%s", (_rule, held, wanted, shown) => {
    expect(beyond(held, wanted)).toEqual(shown);
  });
});
