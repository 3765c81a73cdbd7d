import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, rowOf, update } from "../passage.ts";

const CLASS = definitionOf("scheduling.k8s.io/PriorityClass");
const created = (members: JsonObject) => create(CLASS, { metadata: { name: "a" }, value: 5, ...members });

describe("a PriorityClass", () => {
  it("lets pods push out others, and begins with generation 1", () => {
    expect(created({}).object).toMatchObject({
      preemptionPolicy: "PreemptLowerPriority",
      metadata: { generation: 1 },
    });
    expect(created({ preemptionPolicy: "Never" }).object).toMatchObject({ preemptionPolicy: "Never" });
  });

  it("shows a value of 0 that nobody has given", () => {
    expect(create(CLASS, { metadata: { name: "a" } }).object).toMatchObject({ value: 0 });
  });

  it("may not have an empty policy", () => {
    const { errors } = create(CLASS, { metadata: { name: "a" }, preemptionPolicy: "" });
    expect(lines(errors)).toEqual(["preemptionPolicy: Required value"]);
  });

  it.each<[string, JsonObject, string[]]>([
    ["its description", { description: "x", globalDefault: true }, []],
    ["its value", { value: 6 }, ["value: Forbidden: may not be changed in an update."]],
    [
      "its policy",
      { preemptionPolicy: "Never" },
      ['preemptionPolicy: Invalid value: "Never": field is immutable'],
    ],
  ])("changes %s", (_name, change, expected) => {
    const before = created({}).object;
    expect(
      lines(update(CLASS, { before, body: { metadata: { name: "a" }, value: 5, ...change } }).errors),
    ).toEqual(expected);
  });

  it.each<[string, JsonObject, string]>([
    ["system-critical", { value: 1 }, "system-critical is not a known system priority class"],
    ["system-node-critical", { value: 1 }, "value of system-node-critical PriorityClass must be 2000001000"],
    [
      "system-cluster-critical",
      { value: 2_000_000_000, globalDefault: true },
      "globalDefault of system-cluster-critical PriorityClass must be false",
    ],
  ])("called %s is the system's", (name, members, why) => {
    expect(lines(create(CLASS, { metadata: { name }, ...members }).errors)).toEqual([
      `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
    ]);
  });

  it("says what it may not be", () => {
    expect(lines(created({ value: 1_000_000_001, preemptionPolicy: "Always" }).errors)).toEqual([
      "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
      'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
    ]);
  });

  it("is shown with its value", () => {
    const row = rowOf(CLASS, { metadata: { name: "a" }, value: 5, preemptionPolicy: "Never" });
    expect(row).toMatchObject({ Name: "a", Value: 5, "Global-Default": false, PreemptionPolicy: "Never" });
  });
});
