import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, update } from "../passage.ts";

const NODES = definitionOf("Node");
const body = (spec: JsonObject, status: JsonObject = {}): JsonObject => ({
  metadata: { name: "n" },
  spec,
  status,
});
const refusals = (spec: JsonObject, status: JsonObject = {}) =>
  lines(create(NODES, body(spec, status)).errors);
const before = create(NODES, body({ podCIDRs: ["10.0.0.0/24", "fd00::/64"] })).object;
const updated = (spec: JsonObject, status: JsonObject = {}, subresource = "") =>
  lines(update(NODES, { before, body: body(spec, status) }, subresource).errors);

const LABEL_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const FAMILIES = "may specify no more than one CIDR for each IP family";

describe("the taints of a Node", () => {
  const value = `${"x".repeat(63)}!`;
  const taints = [{ key: "a", value, effect: "NoSchedule" }];
  const refusal = `metadata.taints[0].value: Invalid value: "${value}": must be no more than 63 bytes;${LABEL_RULE}`;

  it("have all complaints about a value in one", () => {
    expect(refusals({ taints })).toEqual([refusal]);
  });

  it("are looked at twice when they change", () => {
    expect(updated({ podCIDRs: ["10.0.0.0/24", "fd00::/64"], taints })).toEqual([refusal, refusal]);
  });
});

describe("the networks of a Node", () => {
  it.each<[string, string[], string[]]>([
    ["of both families", ["10.0.0.0/24", "fd00::/64"], []],
    [
      "that are the same",
      ["10.0.0.0/24", "10.0.0.0/24"],
      [`spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.0.0/24"]: ${FAMILIES}`],
    ],
    [
      "of which one is none",
      ["10.0.0.0/24", "x"],
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        "spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)",
        `spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: ${FAMILIES}`,
      ],
    ],
  ])("%s", (_name, podCIDRs, errors) => {
    expect(refusals({ podCIDRs })).toEqual(errors);
  });

  it("do not change, and are complained of one by one", () => {
    const rule = 'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid';
    expect(updated({ podCIDRs: ["10.0.1.0/24", "fd01::/64"] })).toEqual([rule, rule]);
    expect(updated({ podCIDRs: ["10.0.1.0/24"] })).toEqual([rule]);
  });
});

describe("the resources of a Node", () => {
  const amounts = { cpu: "-1", pods: "1500m" };
  const errorsOf = (member: string) => [
    `status.${member}.cpu: Invalid value: "-1": must be greater than or equal to 0`,
    `status.${member}.pods: Invalid value: "1500m": must be an integer`,
  ];
  const errors = [...errorsOf("capacity"), ...errorsOf("allocatable")];

  it("are amounts from the beginning", () => {
    expect(refusals({}, { capacity: amounts, allocatable: amounts })).toEqual(errors);
  });

  it("are amounts when the status is written", () => {
    expect(updated({}, { capacity: amounts, allocatable: amounts }, "status")).toEqual(errors);
  });
});

describe("what a Node says that it can do", () => {
  const rule =
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
  it("has names of its own, in their order", () => {
    expect(refusals({}, { declaredFeatures: ["A/b", "C"] })).toEqual([]);
    expect(refusals({}, { declaredFeatures: ["b.c", "B"] })).toEqual([
      `status.declaredFeatures[0]: Invalid value: "b.c": invalid feature name "b.c": ${rule}`,
      'status.declaredFeatures[1]: Invalid value: "B": list must be sorted alphabetically',
    ]);
    expect(refusals({}, { declaredFeatures: ["A", "A", "B".repeat(254)] })).toEqual([
      'status.declaredFeatures[1]: Duplicate value: "A"',
      `status.declaredFeatures[2]: Invalid value: "${"B".repeat(254)}": invalid feature name "${"B".repeat(254)}": must be no more than 253 characters`,
    ]);
    expect(updated({}, { declaredFeatures: ["x"] }, "status")).toEqual([
      `status.declaredFeatures[0]: Invalid value: "x": invalid feature name "x": ${rule}`,
    ]);
  });

  it("is no configuration of its agent any more", () => {
    expect(create(NODES, body({}, { config: { error: "x" } })).object["status"]).not.toHaveProperty("config");
  });
});

describe("what is left of older Nodes", () => {
  it("is an identity that stays", () => {
    expect(updated({ podCIDRs: ["10.0.0.0/24", "fd00::/64"], externalID: "x" })).toEqual([
      "spec.externalID: Forbidden: may not be updated",
    ]);
  });

  it("is no source of its configuration", () => {
    expect(create(NODES, body({ configSource: {} })).object["spec"]).not.toHaveProperty("configSource");
  });
});

it("has some memory on disk, if it says so", () => {
  expect(refusals({}, { nodeInfo: { swap: { capacity: 0 } } })).toEqual([
    "metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than 0",
  ]);
});
