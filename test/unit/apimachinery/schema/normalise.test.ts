import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { wasGivenEmpty } from "../../../../src/apimachinery/meta/given-empty.ts";
import { normaliseBuiltIn } from "../../../../src/apimachinery/schema/normalise.ts";
import { builtInNode } from "./support.ts";

type Group = Parameters<typeof builtInNode>[0];

test.each<[string, Group, string, JsonObject, JsonObject]>([
  [
    "empty maps and false pointers: the map goes, the pointer stays",
    "core",
    "ConfigMap",
    { metadata: { labels: {} }, data: {}, immutable: false },
    { metadata: {}, immutable: false },
  ],
  ["metadata is always there", "core", "ConfigMap", {}, { metadata: {} }],
  [
    "structs that are no pointers are written with their required fields",
    "core",
    "Service",
    { spec: { ports: [{}] } },
    { metadata: {}, spec: { ports: [{ port: 0 }] }, status: { loadBalancer: {} } },
  ],
  [
    "zero values of optional fields go, those of pointers stay",
    "core",
    "Service",
    { spec: { externalName: "", publishNotReadyAddresses: false, allocateLoadBalancerNodePorts: false } },
    { metadata: {}, spec: { allocateLoadBalancerNodePorts: false }, status: { loadBalancer: {} } },
  ],
  [
    "a null counts as nothing",
    "core",
    "Service",
    {
      metadata: null,
      spec: { ports: null, sessionAffinityConfig: null, ipFamilyPolicy: null },
      status: null,
    },
    { metadata: {}, spec: {}, status: { loadBalancer: {} } },
  ],
  [
    "a struct behind a pointer stays when it is empty",
    "core",
    "Service",
    { spec: { sessionAffinityConfig: {} } },
    { metadata: {}, spec: { sessionAffinityConfig: {} }, status: { loadBalancer: {} } },
  ],
  [
    "lists that are always written are null when there is none; one may stay empty until ownership is recorded",
    "discovery",
    "EndpointSlice",
    { addressType: "IPv4", endpoints: [], metadata: {} },
    { addressType: "IPv4", endpoints: [], ports: null, metadata: {} },
  ],
  [
    "elsewhere lists that are always written are null when they are empty",
    "discovery",
    "Endpoint",
    { addresses: [], conditions: {} },
    { addresses: null, conditions: {} },
  ],
  [
    "an endpoint without addresses",
    "discovery",
    "EndpointSlice",
    {
      addressType: "IPv4",
      endpoints: [{ conditions: { ready: false } }],
      ports: [{ name: "" }],
      metadata: {},
    },
    {
      addressType: "IPv4",
      endpoints: [{ addresses: null, conditions: { ready: false } }],
      ports: [{ name: "" }],
      metadata: {},
    },
  ],
  [
    "a time that is not set is null, unless it is a pointer",
    "core",
    "Node",
    {
      spec: { taints: [{ key: "k", effect: "NoSchedule", timeAdded: null }] },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    },
    {
      metadata: {},
      spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
      status: {
        conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: null, lastTransitionTime: null }],
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          architecture: "",
          bootID: "",
          containerRuntimeVersion: "",
          kernelVersion: "",
          kubeProxyVersion: "",
          kubeletVersion: "",
          machineID: "",
          operatingSystem: "",
          osImage: "",
          systemUUID: "",
        },
      },
    },
  ],
  [
    "the status of a CRD is written with its lists",
    "apiextensions",
    "CustomResourceDefinitionStatus",
    {},
    { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: null },
  ],
  [
    "a CRD is stored as JSON, so an empty list stays one",
    "apiextensions",
    "CustomResourceDefinitionStatus",
    { conditions: [], storedVersions: [] },
    { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: [] },
  ],
  [
    "schemas in a CRD: a null default is none, a bound of zero is one",
    "apiextensions",
    "JSONSchemaProps",
    {
      type: "object",
      properties: { a: { default: null, minLength: 0, pattern: "" } },
      additionalProperties: false,
    },
    { type: "object", properties: { a: { minLength: 0 } }, additionalProperties: false },
  ],
  [
    "schemas inside of items and of additionalProperties",
    "apiextensions",
    "JSONSchemaProps",
    { items: { nullable: false, enum: [null, 1] }, additionalProperties: { title: "" } },
    { items: { enum: [null, 1] }, additionalProperties: {} },
  ],
])("%s", (_rule, group, kind, object, expected) => {
  normaliseBuiltIn(builtInNode(group, kind), object);
  expect(object).toEqual(expected);
});

test("times with microseconds", () => {
  const lease = { spec: { renewTime: "2024-01-02T03:04:05.123456+01:00", leaseTransitions: 0 } };
  normaliseBuiltIn(builtInNode("coordination", "Lease"), lease);
  expect(lease).toEqual({
    metadata: {},
    spec: { renewTime: "2024-01-02T02:04:05.123456Z", leaseTransitions: 0 },
  });
});

test("quantities take their canonical form, numbers too", () => {
  const node = { status: { capacity: { cpu: 1, memory: "1024Mi", pods: "1000m" } } };
  normaliseBuiltIn(builtInNode("core", "Node"), node);
  expect(node.status.capacity).toEqual({ cpu: "1", memory: "1Gi", pods: "1" });
});

test("bytes are written without line ends", () => {
  const secret = { data: { a: "YQ\n==", b: null } };
  normaliseBuiltIn(builtInNode("core", "Secret"), secret);
  expect(secret.data).toEqual({ a: "YQ==", b: "" });
});

test("what was given empty is noted, whether it goes or becomes null", () => {
  const disk = { monitors: [] };
  normaliseBuiltIn(builtInNode("core", "CephFSVolumeSource"), disk);
  expect([disk, wasGivenEmpty(disk, "monitors")]).toEqual([{ monitors: null }, true]);
  const object = { data: {} };
  normaliseBuiltIn(builtInNode("core", "ConfigMap"), object);
  expect([wasGivenEmpty(object, "data"), wasGivenEmpty(object, "binaryData")]).toEqual([true, false]);
});
