import { expect, test } from "vitest";
import { findDecodeError } from "../../../../src/apimachinery/schema/coerce.ts";
import { builtInNode, customNode } from "./support.ts";

const custom = customNode({
  r: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  m: {
    type: "object",
    additionalProperties: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
});
const LABELS = "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string";

test.each<[unknown, string | undefined]>([
  ["x", "json: cannot unmarshal string into Go value of type v1.ObjectMeta"],
  [{ name: 5 }, "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string"],
  [{ labels: { a: 1 } }, LABELS],
  [
    { labels: ["a"] },
    "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string",
  ],
  [
    { annotations: { a: true } },
    "json: cannot unmarshal bool into Go struct field ObjectMeta.annotations of type string",
  ],
  [
    { finalizers: "x/y" },
    "json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string",
  ],
  [
    { ownerReferences: {} },
    "json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
  ],
  [
    { ownerReferences: [{ controller: "x" }] },
    "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
  ],
  [
    { generation: "one" },
    "json: cannot unmarshal string into Go struct field ObjectMeta.generation of type int64",
  ],
  [
    { generation: 1.5 },
    "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
  ],
  [{ uid: 1 }, "json: cannot unmarshal number into Go struct field ObjectMeta.uid of type types.UID"],
  [
    { creationTimestamp: "yesterday" },
    'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
  ],
  [
    { creationTimestamp: 5 },
    "json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string",
  ],
  [{ name: "n", labels: { a: null }, annotations: null, odd: { x: 1 } }, undefined],
  [null, undefined],
])("metadata of a custom resource: %j", (metadata, expected) => {
  expect(findDecodeError(custom, { metadata })).toBe(expected);
});

test("of several wrong types in metadata the first by name is reported, but a bad time before all", () => {
  expect(findDecodeError(custom, { metadata: { name: 5, labels: { a: 1 } } })).toBe(LABELS);
  const metadata = { annotations: 5, creationTimestamp: "x" };
  expect(findDecodeError(custom, { metadata })).toContain('parsing time "x"');
});

test.each<[string, unknown, string]>([
  [
    "metadata",
    { r: { metadata: { labels: { a: 1 } } } },
    `spec.r.metadata: Invalid value: {"labels":{"a":1}}: ${LABELS}`,
  ],
  ["kind", { r: { kind: 5 } }, "spec.r.kind: Invalid value: 5: must be a string"],
  [
    "apiVersion below a key of a map",
    { m: { k: { apiVersion: [] } } },
    "spec.m[k].apiVersion: Invalid value: []: must be a string",
  ],
])("an embedded resource: %s", (_rule, spec, expected) => {
  expect(findDecodeError(custom, { spec })).toBe(expected);
});

test.each<["core" | "discovery" | "coordination", string, unknown, string | undefined]>([
  // Members of a struct that is embedded in another stand behind its name.
  [
    "core",
    "Pod",
    { spec: { containers: [{ livenessProbe: { tcpSocket: { port: 2 ** 40 } } }] } },
    "json: cannot unmarshal number 1099511627776 into Go struct field TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.port of type int32",
  ],
  [
    "coordination",
    "Lease",
    { spec: { strategy: 0 } },
    "json: cannot unmarshal number into Go struct field LeaseSpec.spec.strategy of type v1.CoordinatedLeaseStrategy",
  ],
  // Bytes may come as a list of numbers.
  ["core", "Secret", { data: { a: [1, 255, null], b: [] } }, undefined],
  [
    "core",
    "Secret",
    { data: { a: [256] } },
    "json: cannot unmarshal number 256 into Go struct field Secret.data of type uint8",
  ],
  [
    "core",
    "Secret",
    { data: { a: ["x"] } },
    "json: cannot unmarshal string into Go struct field Secret.data of type uint8",
  ],
  [
    "core",
    "ConfigMap",
    { data: { a: 1 } },
    "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
  ],
  [
    "core",
    "ConfigMap",
    { data: [] },
    "json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string",
  ],
  ["core", "ConfigMap", { binaryData: { a: "not base64!" } }, "illegal base64 data at input byte 3"],
  [
    "core",
    "ConfigMap",
    { binaryData: { a: 5 } },
    "json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8",
  ],
  [
    "core",
    "Service",
    { metadata: { labels: { a: 1 } } },
    "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
  ],
  [
    "core",
    "Service",
    { spec: { ports: [{ port: "80" }] } },
    "json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32",
  ],
  [
    "core",
    "Service",
    { spec: { ports: [{ port: 99999999999 }] } },
    "json: cannot unmarshal number 99999999999 into Go struct field ServicePort.spec.ports.port of type int32",
  ],
  [
    "core",
    "Service",
    { spec: { ports: [{ targetPort: true }] } },
    "json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32",
  ],
  [
    "core",
    "Service",
    { spec: { ports: { port: 1 } } },
    "json: cannot unmarshal object into Go struct field ServiceSpec.spec.ports of type []v1.ServicePort",
  ],
  [
    "core",
    "Service",
    { spec: { ports: [{ protocol: 6 }] } },
    "json: cannot unmarshal number into Go struct field ServicePort.spec.ports.protocol of type v1.Protocol",
  ],
  [
    "core",
    "Service",
    { spec: [] },
    "json: cannot unmarshal array into Go struct field Service.spec of type v1.ServiceSpec",
  ],
  [
    "core",
    "Node",
    { status: { capacity: { cpu: "lots" } } },
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    "core",
    "Node",
    { status: { capacity: 4 } },
    "json: cannot unmarshal number into Go struct field NodeStatus.status.capacity of type v1.ResourceList",
  ],
  [
    "coordination",
    "Lease",
    { spec: { renewTime: "2024-01-02T03:04:05Z" } },
    'parsing time "2024-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  ["discovery", "EndpointSlice", { endpoints: [{ conditions: { ready: true } }], unknown: 1 }, undefined],
])("%s %s %j", (group, kind, object, expected) => {
  expect(findDecodeError(builtInNode(group, kind), object)).toBe(expected);
});

test("a built-in kind is read in the order of the text", () => {
  const node = builtInNode("core", "Service");
  const error = findDecodeError(node, { spec: { type: 1, clusterIP: 2 }, metadata: { name: 3 } });
  expect(error).toContain("ServiceSpec.spec.type of type v1.ServiceType");
});
