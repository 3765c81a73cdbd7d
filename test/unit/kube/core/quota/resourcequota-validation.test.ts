import { expect, it } from "vitest";
import { create, definitionOf, lines, update } from "../../passage.ts";

it("a ResourceQuota names no values beside operators that want none", () => {
  const matchExpressions = [{ scopeName: "PriorityClass", operator: "Exists", values: ["high"] }];
  const spec = { hard: { pods: "1" }, scopeSelector: { matchExpressions } };
  expect(lines(create(definitionOf("ResourceQuota"), { metadata: { name: "q" }, spec }).errors)).toEqual([
    "spec.scopeSelector.matchExpressions.values: Invalid value: [\"high\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
  ]);
});

it.each([
  ["left out", {}, "null"],
  ["emptied", { scopes: [] }, "[]"],
  ["other ones", { scopes: ["BestEffort"] }, '["BestEffort"]'],
])("the scopes of a ResourceQuota stay: %s", (_change, spec, shown) => {
  const definition = definitionOf("ResourceQuota");
  const metadata = { name: "q" };
  const { object: before } = create(definition, { metadata, spec: { scopes: ["NotTerminating"] } });
  expect(lines(update(definition, { before, body: { metadata, spec } }).errors)).toEqual([
    `spec.scopes: Invalid value: ${shown}: field is immutable`,
  ]);
});
