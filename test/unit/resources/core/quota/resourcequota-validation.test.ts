import { expect, it } from "vitest";
import { create, definitionOf, lines } from "../../passage.ts";

it("a ResourceQuota names no values beside operators that want none", () => {
  const matchExpressions = [{ scopeName: "PriorityClass", operator: "Exists", values: ["high"] }];
  const spec = { hard: { pods: "1" }, scopeSelector: { matchExpressions } };
  expect(lines(create(definitionOf("ResourceQuota"), { metadata: { name: "q" }, spec }).errors)).toEqual([
    "spec.scopeSelector.matchExpressions.values: Invalid value: [\"high\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
  ]);
});
