// Values whose protobuf form differs from their JSON form, as members of the kinds that contain them.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import {
  decodeProtobuf,
  encodeProtobuf,
  openEnvelope,
} from "../../../../../src/apiserver/endpoints/protobuf/codec.ts";

const NOTHING = { apiVersion: "", kind: "" };

const wireOf = (apiVersion: string, kind: string, value: JsonObject): string =>
  Buffer.from(openEnvelope(encodeProtobuf(apiVersion, kind, value), NOTHING).raw).toString("hex");

function readBack(apiVersion: string, kind: string, value: JsonObject): JsonObject {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    ...rest
  } = decodeProtobuf(encodeProtobuf(apiVersion, kind, value), NOTHING).value;
  return rest;
}

const LEASE = ["coordination.k8s.io/v1", "Lease"] as const;

describe("times", () => {
  test("a MicroTime is seconds and nanoseconds", () => {
    const renewed = { spec: { renewTime: "2021-01-02T03:04:05.123456Z" } };
    // renewTime (4): seconds 1609556645, nanos 123456000
    expect(wireOf(...LEASE, renewed)).toContain("220b08a5c5bfff05108094ef3a");
    expect(readBack(...LEASE, renewed)).toMatchObject(renewed);
  });

  test.each([
    ["2021-01-02T03:04:05Z", "2021-01-02T03:04:05Z"],
    ["2021-01-02T05:04:05+02:00", "2021-01-02T03:04:05Z"],
    ["1960-01-01T00:00:00Z", "1960-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"],
    ["0001-01-01T00:00:00Z", null],
    [null, null],
    [undefined, null],
  ])("a Time %s comes back as %s", (creationTimestamp, expected) => {
    expect(readBack("v1", "Namespace", { metadata: { creationTimestamp } })).toMatchObject({
      metadata: { creationTimestamp: expected },
    });
  });

  test("a Time that is a pointer is left out, one that is none is an empty message", () => {
    // creationTimestamp (8) is written, deletionTimestamp (9) is not
    expect(wireOf("v1", "Namespace", {})).toBe("0a100a0012001a0022002a0032003800420012001a020a00");
  });
});

test.each([
  [80, "080010501a00"],
  [-1, "080010ffffffffffffffffff011a00"],
  ["http", "080110001a0468747470"],
])("a port %j is a type, a number and a text", (targetPort, hex) => {
  const wire = wireOf("v1", "Service", { spec: { ports: [{ port: 1, targetPort }] } });
  expect(wire).toContain(hex);
  expect(readBack("v1", "Service", { spec: { ports: [{ targetPort }] } })).toMatchObject({
    spec: { ports: [{ targetPort }] },
  });
});

describe("numbers", () => {
  test.each([0, 1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2n ** 63n - 1n, -(2n ** 63n)])(
    "%s keeps its digits as int64",
    (generation) => {
      expect(readBack("v1", "Namespace", { metadata: { generation } })).toMatchObject({
        metadata: { generation },
      });
    },
  );

  test("a pointer to zero is written, no pointer is not", () => {
    const grace = (metadata: JsonObject) => readBack("v1", "Namespace", { metadata })["metadata"];
    expect(grace({ deletionGracePeriodSeconds: 0 })).toHaveProperty("deletionGracePeriodSeconds", 0);
    expect(grace({})).not.toHaveProperty("deletionGracePeriodSeconds");
    expect(grace({})).toHaveProperty("generation", 0);
  });
});

test("maps are written in the order of their keys", () => {
  const data = { b: "2", a: "1", __proto__x: "3" };
  const wire = wireOf("v1", "ConfigMap", { data });
  expect(wire.indexOf("0a01611201")).toBeLessThan(wire.indexOf("0a01621201"));
  expect(readBack("v1", "ConfigMap", { data })).toMatchObject({ data });
});

test("a key __proto__ is a key like others", () => {
  const data = JSON.parse('{"__proto__":"x"}') as JsonObject; // an own property
  const read = readBack("v1", "ConfigMap", { data });
  expect(Object.keys(read["data"] as JsonObject)).toEqual(["__proto__"]); // a map of strings
});

test("managed fields are JSON in bytes", () => {
  const managedFields = [{ manager: "a", fieldsType: "FieldsV1", fieldsV1: { "f:data": { ".": {} } } }];
  const read = readBack("v1", "ConfigMap", { metadata: { managedFields } });
  expect(read).toMatchObject({ metadata: { managedFields } });
  const hex = Buffer.from('{"f:data":{".":{}}}').toString("hex");
  expect(wireOf("v1", "ConfigMap", { metadata: { managedFields } })).toContain(`13${hex}`);
});

test("a list of verbs is a message of its own", () => {
  const list = {
    groupVersion: "v1",
    resources: [{ name: "pods", namespaced: true, verbs: ["get", "list"] }],
  };
  expect(readBack("v1", "APIResourceList", list)).toMatchObject(list);
});

test("a map of lists keeps its keys; an empty list is none", () => {
  const userInfo = { extra: { a: ["x", "y"], b: [], c: null } };
  const read = readBack("authentication.k8s.io/v1", "SelfSubjectReview", { status: { userInfo } });
  expect(read).toMatchObject({ status: { userInfo: { extra: { a: ["x", "y"], b: null, c: null } } } });
});

test("a Volume holds its source in itself", () => {
  const volumes = [
    { name: "a", configMap: { name: "c", optional: false } },
    { name: "b", emptyDir: { sizeLimit: "1Gi" } },
  ];
  expect(readBack("v1", "Pod", { spec: { volumes } })).toMatchObject({ spec: { volumes } });
});

describe("a schema in a CustomResourceDefinition", () => {
  const versionOf = (openAPIV3Schema: JsonObject) => ({
    spec: { versions: [{ name: "v1", schema: { openAPIV3Schema } }] },
  });

  test.each<[what: string, schema: JsonObject]>([
    ["names with dollars and dashes", { $ref: "#/a", $schema: "b", "x-kubernetes-list-map-keys": ["name"] }],
    ["items as one schema", { items: { type: "string" } }],
    ["items as several schemas", { items: [{ type: "string" }, { type: "integer" }] }],
    ["additionalProperties as a schema", { additionalProperties: { type: "string" } }],
    ["additionalProperties allowed", { additionalProperties: true }],
    ["additionalProperties forbidden", { additionalProperties: false }],
    ["dependencies of both forms", { dependencies: { a: { type: "string" }, b: ["c"] } }],
    [
      "limits and defaults",
      { minimum: 0, maximum: 1.5, maxItems: 0, default: { a: [1, null] }, enum: ["a", 1] },
    ],
    ["schemas in schemas", { properties: { a: { properties: { b: { type: "string" } } } } }],
    ["rules", { "x-kubernetes-validations": [{ rule: "self > 0", optionalOldSelf: false }] }],
  ])("keeps %s", (_what, schema) => {
    const read = readBack("apiextensions.k8s.io/v1", "CustomResourceDefinition", versionOf(schema));
    expect(read).toMatchObject(versionOf(schema));
  });

  test("nests as deep as people go, and no deeper", () => {
    const nested = (depth: number): JsonObject => (depth === 0 ? {} : { not: nested(depth - 1) });
    const kind = ["apiextensions.k8s.io/v1", "CustomResourceDefinition"] as const;
    expect(readBack(...kind, versionOf(nested(100)))).toMatchObject(versionOf(nested(100)));
    expect(() => readBack(...kind, versionOf(nested(2000)))).toThrow("exceeded max depth");
  });
});

test("the Status of a failure has all its parts", () => {
  const status = {
    metadata: {},
    status: "Failure",
    message: 'namespaces "a" not found',
    reason: "NotFound",
    details: { name: "a", kind: "namespaces", causes: [{ reason: "r", message: "m", field: "f" }] },
    code: 404,
  };
  expect(readBack("v1", "Status", status)).toMatchObject(status);
});
