import { describe, expect, test } from "vitest";
import { isObject, type JsonObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { schemaLibrary } from "../../../../../src/apimachinery/schema/go/schema-library.ts";
import { FORMATS } from "../../../../../src/apiserver/registry/strategy/checks.ts";
import { schemaErrors } from "../../../../../src/apiserver/registry/strategy/schema-rules.ts";

const KEYS =
  "required notBlank mustBeSet enum minimum maximum format forbidden invalid unique maxBytes maxItems items code immutable of called when unless ends atMost".split(
    " ",
  );

describe("the rules in the schemas", () => {
  const library = schemaLibrary();
  const ruled = library.names.filter((name) => library.definition(name)?.["x-egret-rules"] !== undefined);

  test.each(ruled)("%s: members that are there, and forms that are known", (name) => {
    const definition = library.definition(name) ?? {};
    const members = Object.keys(objectAt(definition, "properties") ?? {});
    for (const [member, rule] of Object.entries(objectAt(definition, "x-egret-rules") ?? {})) {
      if (!member.startsWith("(")) expect(members).toContain(member);
      const { immutable = members[0] } = rule as JsonObject;
      expect(members).toContain(immutable);
      expect(isObject(rule)).toBe(true);
      holdsForm(rule as JsonObject);
    }
  });

  function holdsForm(rule: JsonObject): void {
    for (const key of Object.keys(rule)) expect(KEYS).toContain(key);
    const { format, items, minimum, maximum } = rule;
    if (format !== undefined) expect([...FORMATS.keys()]).toContain(format);
    if (items !== undefined) holdsForm(items as JsonObject);
    for (const limit of [minimum, maximum]) {
      if (Array.isArray(limit)) expect(limit.map((part) => typeof part)).toEqual(["number", "string"]);
      else expect(["number", "undefined"]).toContain(typeof limit);
    }
  }
});

describe("what a schema asks for", () => {
  const lines = (type: string, value: JsonObject, field = "x") =>
    schemaErrors(type, value, { field }).map((error) => `${error.field}: ${error.message}`);
  const POLICY = "io.k8s.api.autoscaling.v2.HPAScalingPolicy";
  const RULES = "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior";
  const REFERENCE = "io.k8s.api.core.v1.TypedLocalObjectReference";

  test("is told in the order of the rules, in the words of the rule or the usual ones", () => {
    expect(lines(POLICY, { type: "Pods", value: 0, periodSeconds: 9999 })).toEqual([
      "x.value: Invalid value: 0: must be greater than zero",
      "x.periodSeconds: Invalid value: 9999: must be less than or equal to 1800",
    ]);
    expect(lines(POLICY, { type: "Pods", value: 1n, periodSeconds: 1800 })).toEqual([]);
  });

  test("is asked of the zero value of what is missing, unless it is optional", () => {
    expect(lines(POLICY, {}).map((line) => line.replace(/:.*/, ""))).toEqual([
      "x.type",
      "x.value",
      "x.periodSeconds",
    ]);
    expect(lines("io.k8s.api.coordination.v1.LeaseSpec", {})).toEqual([]);
  });

  test("reaches structs and the items of lists", () => {
    const wrong = {
      scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }, { type: "Some" }] },
    };
    expect(lines(RULES, wrong, "")[0]).toBe(
      'scaleDown.policies[1].type: Unsupported value: "Some": supported values: "Percent", "Pods"',
    );
    expect(lines(RULES, { scaleDown: {} })).toEqual([
      "x.scaleDown.policies: Required value: must specify at least one Policy",
    ]);
  });

  test("ends with what is required and missing; an optional text may not be empty if it has a form", () => {
    expect(lines(REFERENCE, { kind: "", name: "a/b", apiGroup: "" })).toEqual([
      expect.stringContaining('x.apiGroup: Invalid value: "": a lowercase RFC 1123 subdomain'),
      "x.kind: Required value",
      `x.name: Invalid value: "a/b": may not contain '/'`,
    ]);
  });

  test("a rule in code that nobody has written is a mistake", () => {
    const rule = { nonResourceURLs: ["/"] };
    expect(() => schemaErrors("io.k8s.api.rbac.v1.PolicyRule", rule)).toThrow("urls");
  });
});
