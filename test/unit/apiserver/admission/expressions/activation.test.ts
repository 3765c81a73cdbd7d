import { describe, expect, test } from "vitest";
import { DYN } from "../../../../../src/apimachinery/cel/language/types.ts";
import {
  Activation,
  Budget,
  checkConditions,
  compileMatchConditions,
  type ExpressionInput,
  OutOfBudget,
} from "../../../../../src/apiserver/admission/expressions/activation.ts";
import {
  ANYTHING,
  compileAdmission,
  TRUTH,
  VariableTypes,
} from "../../../../../src/apiserver/admission/expressions/compile.ts";

const INPUT: ExpressionInput = {
  object: { spec: { n: 3 } },
  oldObject: undefined,
  request: { operation: "CREATE" },
  namespaceObject: undefined,
  params: undefined,
  by: {
    authorizer: {
      authorize: (asked) => ({
        allowed: asked.verb === "get",
        reason: JSON.stringify({ ...asked, user: asked.user.name }),
      }),
      rulesFor: () => ({ rules: [], error: undefined }),
    },
    user: { name: "me", groups: [] },
  },
  asked: { group: "", resource: "pods", subresource: "", namespace: "a", name: "b" },
};

const SCOPE = { params: false, authorizer: true };

function evaluate(text: string, budget = new Budget(1_000_000)) {
  return new Activation(INPUT, [], budget).evaluate(compileAdmission(text, SCOPE, ANYTHING));
}

describe("an expression", () => {
  test.each<[text: string, outcome: object]>([
    ["object.spec.n + 1", { value: 4n }],
    ["oldObject == null && namespaceObject == null", { value: true }],
    ["object.spec.m", { error: "expression 'object.spec.m' resulted in error: no such key: m" }],
    ["authorizer.requestResource.check('get').allowed()", { value: true }],
    ["authorizer.path('/x').check('post').allowed()", { value: false }],
    [
      "authorizer.path(' ')",
      { error: "expression 'authorizer.path(' ')' resulted in error: path must not be empty" },
    ],
    [
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace('n').name('d').check('get').reason()",
      {
        value: JSON.stringify({
          type: "resource",
          user: "me",
          verb: "get",
          version: "*",
          group: "apps",
          resource: "deployments",
          subresource: "scale",
          namespace: "n",
          name: "d",
        }),
      },
    ],
    [
      "authorizer.serviceAccount('n', 's').path('/x').check('get').reason().contains('system:serviceaccount:n:s')",
      { value: true },
    ],
  ])("%s", (text, outcome) => {
    expect(evaluate(text)).toEqual(outcome);
  });

  test("that does not compile says so when it is run", () => {
    const compiled = compileAdmission("object.spec.n", SCOPE, TRUTH);
    const { error } = new Activation(INPUT, [], new Budget(1)).evaluate(compiled);
    expect(error).toBe("compilation error: must evaluate to bool but got dyn");
  });

  test("spends of a budget that several share", () => {
    const budget = new Budget(400_000);
    expect(evaluate("authorizer.path('/x').check('get').allowed()", budget)).toEqual({ value: true });
    expect(() => evaluate("authorizer.path('/x').check('get').allowed()", budget)).toThrow(OutOfBudget);
  });
});

test("named values are made once, when they are asked for, and pass on their errors", () => {
  const types = new VariableTypes();
  const scope = { ...SCOPE, variables: types };
  const variables = [
    { name: "double", compiled: compileAdmission("object.spec.n * 2", scope, ANYTHING) },
    { name: "broken", compiled: compileAdmission("object.none", scope, ANYTHING) },
  ];
  for (const { name, compiled } of variables) types.add(name, compiled.expression?.type ?? DYN);
  const activation = new Activation(INPUT, variables, new Budget(1_000_000));
  const outcome = (text: string) => activation.evaluate(compileAdmission(text, scope, ANYTHING));
  expect(outcome("variables.double + variables.double")).toEqual({ value: 12n });
  expect(outcome("variables.broken").error).toContain(
    'composited variable "broken" fails to evaluate: no such key: none',
  );
  expect(compileAdmission("variables.other", scope, ANYTHING).problem).toContain("undefined field 'other'");
});

describe("conditions", () => {
  const check = (failurePolicy: string, ...expressions: string[]) =>
    checkConditions(
      compileMatchConditions(
        { failurePolicy, matchConditions: expressions.map((expression) => ({ name: "x", expression })) },
        { params: false },
      ),
      INPUT,
    );
  const ERROR = "object.none == 1";

  test.each<[what: string, policy: string, expressions: string[], result: object]>([
    ["none", "Fail", [], { matches: true }],
    ["all hold", "Fail", ["true", "object.spec.n == 3"], { matches: true }],
    ["one does not", "Fail", ["true", "false"], { matches: false }],
    ["one does not, and one errs", "Fail", [ERROR, "false"], { matches: false }],
    ["errors are ignored", "Ignore", [ERROR, "true"], { matches: false }],
    [
      "one errs",
      "Fail",
      [ERROR, "true"],
      { error: "expression 'object.none == 1' resulted in error: no such key: none" },
    ],
    [
      "several err",
      "Fail",
      [ERROR, "object.a == 1"],
      {
        error:
          "[expression 'object.none == 1' resulted in error: no such key: none, expression 'object.a == 1' resulted in error: no such key: a]",
      },
    ],
  ])("%s", (_what, policy, expressions, result) => {
    expect(check(policy, ...expressions)).toEqual(result);
  });
});
