import { describe, expect, it } from "vitest";
import { create, definitionOf, lines, update } from "../passage.ts";

const CLASS = definitionOf("node.k8s.io/RuntimeClass");
const created = (tolerations: unknown[]) =>
  create(CLASS, { metadata: { name: "a" }, handler: "h", scheduling: { tolerations } });

describe("a RuntimeClass", () => {
  it("keeps its handler", () => {
    const before = created([]).object;
    const body = { metadata: { name: "a" }, handler: "other" };
    expect(lines(update(CLASS, { before, body }).errors)).toEqual([
      'handler: Invalid value: "other": field is immutable',
    ]);
  });

  it.each([
    [
      "twice the same",
      [
        { key: "k", operator: "Exists" },
        { key: "k", operator: "Exists" },
      ],
      '[1]: Duplicate value: {"Key":"k","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    ],
    [
      "a comparison of numbers",
      [{ key: "k", operator: "Gt" }],
      '[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
    ],
    [
      "what nobody knows",
      [{ key: "k", operator: "Is" }],
      '[0].operator: Unsupported value: "Is": supported values: "Equal", "Exists"',
    ],
    [
      "a value for any value",
      [{ key: "k", operator: "Exists", value: "v" }],
      "[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'",
    ],
  ])("does not tolerate %s", (_name, tolerations, expected) => {
    expect(lines(created(tolerations).errors)).toEqual([`scheduling.tolerations${expected}`]);
  });
});
