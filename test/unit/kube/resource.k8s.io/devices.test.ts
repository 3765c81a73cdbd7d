import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, fixturesOf, lines, rowOf, update } from "../passage.ts";

const CLAIM = definitionOf("resource.k8s.io/ResourceClaim");
const TEMPLATE = definitionOf("resource.k8s.io/ResourceClaimTemplate");
const SLICE = definitionOf("resource.k8s.io/ResourceSlice");

const exactly = { deviceClassName: "a" };
const claim = (devices: JsonObject, more: JsonObject = {}) => ({
  metadata: { name: "a", namespace: "n" },
  spec: { devices },
  ...more,
});
const claimErrors = (devices: JsonObject) => lines(create(CLAIM, claim(devices)).errors);
const slice = fixturesOf(SLICE).find(({ name }) => name === "valid")?.body ?? {};
const withDevice = (device: JsonObject, spec: JsonObject = {}) => ({
  ...slice,
  spec: { ...(slice["spec"] as JsonObject), devices: [{ name: "d", ...device }], ...spec },
});

describe("a ResourceClaim", () => {
  it("asks for one device unless it says otherwise", () => {
    const requests = [
      { name: "a", exactly },
      { name: "b", exactly: { ...exactly, allocationMode: "All", tolerations: [{ key: "k" }] } },
    ];
    const { object } = create(CLAIM, claim({ requests }, { status: { devices: [] } }));
    expect(object["status"]).toEqual({});
    expect(object["spec"]).toMatchObject({
      devices: {
        requests: [
          { exactly: { allocationMode: "ExactCount", count: 1 } },
          { exactly: { allocationMode: "All", tolerations: [{ operator: "Equal" }] } },
        ],
      },
    });
    expect(JSON.stringify(object["spec"]).match(/"count"/g)).toHaveLength(1);
  });

  it("may have parameters with numbers that no double holds", () => {
    const opaque = { driver: "gpu.example.com", parameters: { seed: 9223372036854775807n } };
    expect(claimErrors({ requests: [{ name: "a", exactly }], config: [{ opaque }] })).toEqual([]);
  });

  it.each([
    ["nobody", "must be the name of a request"],
    ["a/nobody", "must be the name of a request"],
    ["a/b/c", "must be the name of a request"],
    ["A", "a lowercase RFC 1123 label"],
  ])("has no constraint for %s", (name, why) => {
    const requests = [{ name: "a", exactly }];
    const errors = claimErrors({ requests, constraints: [{ requests: [name], matchAttribute: "a.b/c" }] });
    expect(errors[0]).toContain(`spec.devices.constraints[0].requests[0]: Invalid value: "${name}": ${why}`);
  });

  it.each([
    ["a/b/c", []],
    ["a.b/c", []],
    ["/c", ['Invalid value: "": the domain must not be empty']],
    ["a.b/", ['Invalid value: "": the name must not be empty']],
    [`a.b/${"c".repeat(33)}`, ["Too long: may not be more than 32 bytes"]],
  ])("matches the attribute %s", (matchAttribute, expected) => {
    expect(claimErrors({ constraints: [{ matchAttribute }] })).toEqual(
      expected.map((line) => `spec.devices.constraints[0].matchAttribute: ${line}`),
    );
  });

  it.each([
    ["true", []],
    ['device.attributes["a.b"].c', []],
    ["device.driver", ["must evaluate to bool or the unknown type, not string"]],
    ["1 +", ["compilation failed: ERROR: <input>:1:4: Syntax error"]],
    ["claim.name", ["compilation failed: ERROR: <input>:1:1: undeclared reference to 'claim'"]],
  ])("selects devices by %s", (expression, expected) => {
    const selectors = [{ cel: { expression } }];
    const errors = claimErrors({ requests: [{ name: "a", exactly: { ...exactly, selectors } }] });
    expect(errors).toEqual(expected.map((line) => expect.stringContaining(line)));
  });

  it("looks after devices in no namespace that does not say so", () => {
    const requests = [{ name: "a", exactly: { ...exactly, adminAccess: true } }];
    expect(claimErrors({ requests })).toEqual([
      "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace",
    ]);
  });

  it("stays as it is, and tells what it was to be", () => {
    const before = create(CLAIM, claim({ requests: [{ name: "a", exactly }] })).object;
    expect(lines(update(CLAIM, { before, body: claim({ requests: [] }) }).errors)).toEqual([
      'spec: Invalid value: {"Devices":{"Requests":[],"Constraints":null,"Config":null}}: field is immutable',
    ]);
    const empty = create(CLAIM, claim({ requests: [] })).object;
    expect(empty["spec"]).toEqual({ devices: { requests: null } });
    expect(update(CLAIM, { before: empty, body: claim({ requests: [] }) }).errors).toEqual([]);
  });

  it("is used by nobody before the devices were given, and they stay given", () => {
    const before = create(CLAIM, claim({ requests: [{ name: "a", exactly }] })).object;
    const user = { resource: "pods", name: "p", uid: "1" };
    const result = { request: "a", driver: "d.e", pool: "p", device: "d" };
    const allocation = { devices: { results: [result] } };
    const written = (old: typeof before, status: JsonObject) =>
      update(CLAIM, { before: old, body: claim({}, { status }) }, "status");
    expect(lines(written(before, { reservedFor: [user, user] }).errors)).toEqual([
      'status.reservedFor[1]: Duplicate value: "1"',
      "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
    ]);
    const given = written(before, { allocation, reservedFor: [user] });
    expect(lines(given.errors)).toEqual([]);
    expect(given.object["spec"]).toEqual(before["spec"]);
    expect(rowOf(CLAIM, given.object)).toMatchObject({ State: "allocated,reserved" });
    const other = { devices: { results: [{ ...result, request: "b" }] } };
    expect(lines(written(before, { allocation: other }).errors)).toEqual([
      expect.stringContaining('status.allocation.devices.results[0].request: Invalid value: "b"'),
    ]);
    expect(lines(written(given.object, { allocation: { devices: {} } }).errors)).toEqual([
      expect.stringContaining("status.allocation: Invalid value"),
    ]);
  });

  it("hears of the devices that were given, and of no others", () => {
    const before = create(CLAIM, claim({ requests: [{ name: "a", exactly }] })).object;
    const device = { driver: "d.e", pool: "p", device: "d" };
    const status = {
      allocation: { devices: { results: [{ request: "a", ...device, shareID: "x" }] } },
      devices: [
        {
          ...device,
          conditions: [{ type: "a/b/c", status: "x" }],
          networkData: { ips: ["10.0.0.1", "10.0.0.1/8"] },
        },
        { ...device, data: "x" },
      ],
    };
    const written = update(CLAIM, { before, body: claim({}, { status }) }, "status");
    const hidden = '{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}';
    expect(lines(written.errors).filter((line) => !line.includes(".conditions["))).toEqual([
      `status.devices[0]: Invalid value: ${hidden}: must be an allocated device in the claim`,
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
      `status.devices[1]: Invalid value: ${hidden}: must be an allocated device in the claim`,
      'status.devices[1].data: Invalid value: "<value omitted>": must be a valid JSON object',
      `status.devices[1]: Duplicate value: ${hidden}`,
      'status.allocation.devices.results[0].shareID: Invalid value: "x": error validating uid: invalid UUID length: 1',
    ]);
  });

  it("is given devices to look after where they may be asked for, and forgets those that are taken away", () => {
    const before = create(CLAIM, claim({ requests: [{ name: "a", exactly }] })).object;
    const device = { driver: "d.e", pool: "p", device: "d" };
    const result = { request: "a", ...device };
    const written = (old: typeof before, results: JsonObject[], devices: JsonObject[] = []) =>
      update(
        CLAIM,
        { before: old, body: claim({}, { status: { allocation: { devices: { results } }, devices } }) },
        "status",
      );
    expect(lines(written(before, [{ ...result, adminAccess: true }]).errors)).toEqual([
      "status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace",
    ]);
    const { object, errors } = written(before, [result, { ...result, device: "e" }], [device]);
    expect(lines(errors)).toEqual([]);
    const taken = update(
      CLAIM,
      { before: object, body: claim({}, { status: { devices: [device] } }) },
      "status",
    );
    expect([lines(taken.errors), taken.object["status"]]).toEqual([[], {}]);
  });

  it.each<[JsonObject, string]>([
    [{}, "pending"],
    [{ metadata: { deletionTimestamp: "x" } }, "deleted"],
    [{ status: { allocation: {} } }, "allocated"],
  ])("%# shows how far it is", (object, State) => {
    expect(rowOf(CLAIM, { metadata: { name: "a" }, ...object })).toMatchObject({ State });
  });
});

describe("a ResourceClaimTemplate", () => {
  it("stays as it is, and tells the metadata of the claims among the rest", () => {
    const body = (spec: JsonObject) => ({ metadata: { name: "a", namespace: "n" }, spec });
    const before = create(TEMPLATE, body({ spec: {} })).object;
    const changed = body({ metadata: { labels: { a: "b" } }, spec: {} });
    expect(lines(update(TEMPLATE, { before, body: changed }).errors)).toEqual([
      'spec: Invalid value: {"labels":{"a":"b"},"Spec":{"Devices":{"Requests":null,"Constraints":null,"Config":null}}}: field is immutable',
    ]);
  });
});

/** A device that several may have a part of. */
const shared = (requestPolicy: JsonObject): JsonObject => ({
  allowMultipleAllocations: true,
  capacity: { c: { value: "10", requestPolicy } },
});

describe("a ResourceSlice", () => {
  it("dates its taints and drops what is switched off", () => {
    const attributes = { a: { string: "x", strings: ["y"] } };
    const device = {
      taints: [{ key: "a", effect: "None" }],
      attributes,
      nodeAllocatableResourceMappings: { cpu: {} },
    };
    const { object, errors } = create(SLICE, withDevice(device));
    expect(lines(errors)).toEqual([]);
    expect(object["spec"]).toMatchObject({ devices: [{ taints: [{ timeAdded: expect.any(String) }] }] });
    expect(JSON.stringify(object)).not.toMatch(/strings|nodeAllocatable/);
  });

  it.each<[string, JsonObject, JsonObject, string | string[]]>([
    [
      "two values of a quality",
      { attributes: { a: { int: 1, string: "x" } } },
      {},
      'spec.devices[0].attributes[a]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":"x","VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
    ],
    [
      "nodes twice",
      {},
      { allNodes: true },
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ],
    [
      "devices that do not say their nodes",
      {},
      { nodeName: undefined, perDeviceNodeSelection: true },
      "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    ],
    [
      "devices that say their nodes in wrong ways, and in two",
      { nodeName: "A", nodeSelector: { nodeSelectorTerms: [] }, allNodes: false },
      { nodeName: undefined, perDeviceNodeSelection: true },
      [
        expect.stringMatching(
          /^spec.devices\[0\].nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain/,
        ),
        "spec.devices[0].nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term",
        "spec.devices[0].allNodes: Invalid value: false: must be either unset or set to true",
        'spec.devices[0]: Invalid value: "{`nodeName`, `nodeSelector`}": exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      ],
    ],
    [
      "a device without names",
      { name: "", nodeName: "" },
      { driver: "", nodeName: undefined, perDeviceNodeSelection: true },
      [
        "spec.driver: Required value",
        expect.stringMatching(/^spec.devices\[0\].name: Invalid value: "": a lowercase RFC 1123 label/),
        'spec.devices[0].nodeName: Invalid value: "": must not be empty',
        expect.stringContaining("spec.devices[0]: Required value: exactly one of"),
      ],
    ],
    [
      "counters of one set twice",
      {
        consumesCounters: [
          { counterSet: "a", counters: { c: {} } },
          { counterSet: "a", counters: { c: {} } },
        ],
      },
      {},
      'spec.devices[0].consumesCounters[1]: Duplicate value: "a"',
    ],
    [
      "conditions of failure alone",
      { bindingFailureConditions: ["A"] },
      {},
      "spec.devices[0].bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions",
    ],
    [
      "conditions that mean both",
      { bindingConditions: ["A", "A"], bindingFailureConditions: ["A"] },
      {},
      [
        'spec.devices[0].bindingConditions[1]: Duplicate value: "A"',
        'spec.devices[0].bindingFailureConditions[0]: Invalid value: "A": bindingFailureConditions must not overlap with bindingConditions',
      ],
    ],
    [
      "amounts that nobody can ask for",
      shared({ default: "3", validValues: ["2", "1", "20", "1"] }),
      {},
      [
        'spec.devices[0].capacity[c].requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
        'spec.devices[0].capacity[c].requestPolicy.validValues[3]: Invalid value: "1": values must be sorted in ascending order',
        'spec.devices[0].capacity[c].requestPolicy.validValues[2]: Invalid value: "20": option is larger than capacity value: 10',
        'spec.devices[0].capacity[c].requestPolicy.validValues[3]: Duplicate value: "1"',
        'spec.devices[0].capacity[c].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
      ],
    ],
    [
      "a range that is none",
      shared({ default: "1", validRange: { min: "2", max: "1", step: "9" } }),
      {},
      [
        'spec.devices[0].capacity[c].requestPolicy.validRange.default: Invalid value: "1": default is less than min: 2',
        'spec.devices[0].capacity[c].requestPolicy.validRange.max: Invalid value: "2": min is larger than max: 1',
        'spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "9": one step 11 is larger than capacity value: 10',
        'spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "1": value is not a multiple of a given step (9) from (2)',
        'spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "1": value is not a multiple of a given step (9) from (2)',
      ],
    ],
    [
      "two policies, or one without a usual amount",
      {
        ...shared({ validValues: ["1"], validRange: { min: "1" } }),
        bindingConditions: [],
      },
      {},
      'spec.devices[0].capacity[c].requestPolicy: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    ],
    [
      "counters beside its devices",
      {},
      { sharedCounters: [{ name: "c", counters: { a: { value: "1" } } }] },
      'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
    ],
    [
      "nodes that are selected twice",
      {},
      { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [{}, {}] } },
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":null,"MatchFields":null},{"MatchExpressions":null,"MatchFields":null}]: must have exactly one node selector term',
    ],
    [
      "nodes that are not selected",
      {},
      { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [] } },
      [
        "spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term",
        "spec.nodeSelector.nodeSelectorTerms: Invalid value: []: must have exactly one node selector term",
      ],
    ],
    [
      "an empty node",
      {},
      { nodeName: "", allNodes: true },
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
    ],
  ])("has not %s", (_name, device, spec, expected) => {
    expect(lines(create(SLICE, withDevice(device, spec)).errors)).toEqual([expected].flat());
  });

  it("keeps driver, pool and node", () => {
    const before = create(SLICE, slice).object;
    const spec = { driver: "b.c", nodeName: "b", pool: { name: "b", generation: 1, resourceSliceCount: 1 } };
    expect(lines(update(SLICE, { before, body: withDevice({}, spec) }).errors)).toEqual([
      'spec.pool.name: Invalid value: "b": field is immutable',
      'spec.driver: Invalid value: "b.c": field is immutable',
      'spec.nodeName: Invalid value: "b": field is immutable',
    ]);
  });
});
