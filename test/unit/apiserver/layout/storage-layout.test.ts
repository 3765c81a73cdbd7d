// Values in etcd in every encoding that a server may have written, and invalid ones.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { encodeProtobuf, encodeProtobufAs } from "../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { createStorageLayout } from "../../../../src/apiserver/layout/storage-layout.ts";
import { parseWithoutRevision } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { LayoutError, type LayoutErrorCode, type StorageLayout } from "../../../../src/storage/layout.ts";
import { RECORDED } from "./recorded.ts";

const layout: StorageLayout = createStorageLayout({ builtIn: BUILT_IN_RESOURCES });

const METADATA = { name: "f", namespace: "shop", uid: "u", creationTimestamp: "2030-01-01T00:00:00Z" };
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: METADATA, data: { a: "1" } };
const CONFIG_MAP = "/registry/configmaps/shop/f";
const egressIp = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { creationTimestamp: METADATA.creationTimestamp, name: "e", uid: "u" },
  spec: { egressIPs: ["10.0.0.1"], text: "<&>" },
};
const EGRESS_IP = "/registry/k8s.ovn.org/egressips/e";

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const read = (key: string, bytes: Uint8Array): JsonObject =>
  parseWithoutRevision({ key, value: layout.decode(key, bytes).value });

describe("an object of a built-in kind", () => {
  const message = encodeProtobuf("v1", "ConfigMap", configMap);
  test.each([
    ["as protobuf", message, false],
    ["as JSON", json(configMap), true],
    [
      "as JSON with its members in another order",
      json(Object.fromEntries(Object.entries(configMap).reverse())),
      true,
    ],
    [
      "as YAML",
      Buffer.from(
        'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: f\n  namespace: shop\n  uid: u\n  creationTimestamp: "2030-01-01T00:00:00Z"\ndata:\n  a: "1"\n',
      ),
      true,
    ],
    ["as base64 of protobuf", Buffer.from(message.toString("base64")), true],
    ["as base64 of JSON", Buffer.from(json(configMap).toString("base64")), true],
  ])("is read %s", (_form, bytes, isStale) => {
    expect(read(CONFIG_MAP, bytes)).toEqual(configMap);
    expect(layout.decode(CONFIG_MAP, bytes).isStale).toBe(isStale);
    expect(Buffer.from(layout.encode(CONFIG_MAP, layout.decode(CONFIG_MAP, bytes).value))).toEqual(message);
  });

  test("is read without the revision and the link that a server empties", () => {
    const metadata = { ...METADATA, resourceVersion: "7", selfLink: "/a" };
    expect(read(CONFIG_MAP, json({ ...configMap, metadata }))).toEqual(configMap);
  });

  test("is read without what its kind does not know, and with its defaults", () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: METADATA,
      spec: { ports: [{ port: 80 }], odd: 1 },
    };
    const { spec } = read("/registry/services/specs/shop/f", json(service));
    expect(spec).toMatchObject({
      type: "ClusterIP",
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP" }],
    });
    expect(spec).not.toHaveProperty("odd");
  });
});

describe("an object of another version", () => {
  const KEEP = { metadata: METADATA };
  const target = { scaleTargetRef: { kind: "Deployment", name: "a" }, maxReplicas: 3 };
  const cases: [what: string, key: string, given: JsonObject, expected: JsonObject][] = [
    [
      "that is still served",
      "/registry/horizontalpodautoscalers/shop/f",
      {
        ...KEEP,
        apiVersion: "autoscaling/v1",
        kind: "HorizontalPodAutoscaler",
        spec: { ...target, targetCPUUtilizationPercentage: 50 },
      },
      { apiVersion: "autoscaling/v2", spec: { metrics: [{ type: "Resource" }] } },
    ],
    [
      "of another group with the same objects",
      "/registry/events/shop/f",
      {
        ...KEEP,
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        regarding: { kind: "Pod" },
        note: "n",
        eventTime: null,
      },
      { apiVersion: "v1", involvedObject: { kind: "Pod" }, message: "n" },
    ],
    [
      "that is served no more",
      "/registry/poddisruptionbudgets/shop/f",
      { ...KEEP, apiVersion: "policy/v1beta1", kind: "PodDisruptionBudget", spec: { minAvailable: 1 } },
      { apiVersion: "policy/v1", spec: { minAvailable: 1 } },
    ],
    [
      "with other members",
      "/registry/ingress/shop/f",
      {
        ...KEEP,
        apiVersion: "networking.k8s.io/v1beta1",
        kind: "Ingress",
        spec: { backend: { serviceName: "s", servicePort: 80 } },
      },
      {
        apiVersion: "networking.k8s.io/v1",
        spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
      },
    ],
  ];
  test.each(cases)("%s", (_what, key, given, expected) => {
    expect(read(key, json(given))).toMatchObject(expected);
    expect(layout.decode(key, json(given)).isStale).toBe(true);
  });

  test("that a kube-apiserver writes for servers of the version before it is not stale", () => {
    const written = RECORDED.find(({ object }) => object.kind === "MutatingAdmissionPolicy");
    if (written === undefined) throw new Error("nobody wrote one");
    const { key, value, object } = written;
    expect(layout.decode(key, value).isStale).toBe(false);
    expect(read(key, value)).toMatchObject({ apiVersion: object.apiVersion, spec: object["spec"] });
    const ofToday = layout.decode(
      key,
      encodeProtobuf(String(object.apiVersion), String(object.kind), object),
    );
    expect(ofToday.isStale).toBe(true);
    expect(Buffer.from(layout.encode(key, ofToday.value))).toEqual(value);
  });
});

describe("a custom object", () => {
  const WRITTEN =
    '{"apiVersion":"k8s.ovn.org/v1","kind":"EgressIP","metadata":{"creationTimestamp":"2030-01-01T00:00:00Z","name":"e","uid":"u"},"spec":{"egressIPs":["10.0.0.1"],"text":"\\u003c\\u0026\\u003e"}}\n';

  test("is written with sorted keys, escapes and a newline", () => {
    const { value, isStale } = layout.decode(
      EGRESS_IP,
      json(Object.fromEntries(Object.entries(egressIp).reverse())),
    );
    expect(isStale).toBe(false);
    expect(Buffer.from(layout.encode(EGRESS_IP, value)).toString()).toBe(WRITTEN);
    expect(read(EGRESS_IP, Buffer.from(WRITTEN))).toEqual(egressIp);
  });

  test("needs no definition, and keeps its version and all that it says", () => {
    const value = { ...egressIp, apiVersion: "k8s.ovn.org/v9", odd: { b: 1, a: 9007199254740993n } };
    const text = Buffer.from(
      JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? 1 : item)),
    );
    expect(read(EGRESS_IP, text)).toMatchObject({ apiVersion: "k8s.ovn.org/v9", odd: { b: 1 } });
    const big = Buffer.from(WRITTEN.replace('"spec":', '"n":9007199254740993,"spec":'));
    expect(Buffer.from(layout.encode(EGRESS_IP, layout.decode(EGRESS_IP, big).value))).toEqual(big);
  });
});

test("an APIService is JSON in the order of its struct", () => {
  const key = "/registry/apiregistration.k8s.io/apiservices/v1.apps";
  const text =
    '{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","metadata":{"name":"v1.apps","uid":"u","creationTimestamp":"2030-01-01T00:00:00Z"},"spec":{"group":"apps","version":"v1","groupPriorityMinimum":17800,"versionPriority":15},"status":{}}\n';
  const { value, isStale } = layout.decode(key, Buffer.from(text));
  expect(Buffer.from(layout.encode(key, value)).toString()).toBe(text);
  expect(isStale).toBe(false);
});

test("what is no object is kept as it is", () => {
  const [key, value] = ["/registry/ranges/servicenodeports/30000", Buffer.from("shop/s")];
  expect(layout.encode(key, value)).toBe(value);
  expect(layout.decode(layout.toEtcdKey(key), value)).toEqual({ value, isStale: false });
});

test("keys of etcd may have another prefix", () => {
  const other = createStorageLayout({ builtIn: BUILT_IN_RESOURCES, prefix: "kubernetes.io" });
  const bytes = encodeProtobuf("v1", "ConfigMap", configMap);
  const { value } = other.decode("/kubernetes.io/configmaps/shop/f", bytes);
  expect(Buffer.from(other.encode(CONFIG_MAP, value))).toEqual(bytes);
});

describe("is refused:", () => {
  const unknownKind = encodeProtobufAs(
    { apiVersion: "route.openshift.io/v1", kind: "Route" },
    configMap,
    configMap,
  );
  const cases: [what: string, key: string, bytes: Uint8Array, code: LayoutErrorCode, message: RegExp][] = [
    [
      "what is encrypted",
      CONFIG_MAP,
      Buffer.from("k8s:enc:aescbc:v1:key1:xyz"),
      "ENCRYPTED",
      /^identity transformer tried to read encrypted data$/,
    ],
    [
      "an object of another kind",
      CONFIG_MAP,
      json({ ...configMap, kind: "Secret" }),
      "UNDECODABLE",
      /^is a Secret of v1, and no ConfigMap$/,
    ],
    [
      "a kind that nobody knows, in protobuf",
      "/registry/routes/shop/f",
      unknownKind,
      "UNDECODABLE",
      /^no kind "Route" is registered for version "route.openshift.io\/v1" in scheme/,
    ],
    [
      "a version that nobody knows",
      CONFIG_MAP,
      json({ ...configMap, apiVersion: "v9" }),
      "UNDECODABLE",
      /^is a ConfigMap of v9, a version that is no more$/,
    ],
    [
      "what does not fit its kind",
      CONFIG_MAP,
      json({ ...configMap, data: [1] }),
      "UNDECODABLE",
      /json: cannot unmarshal array into/,
    ],
    [
      "a message that was cut off",
      CONFIG_MAP,
      encodeProtobuf("v1", "ConfigMap", configMap).subarray(0, -9),
      "UNDECODABLE",
      /^unexpected EOF$/,
    ],
    [
      "JSON that was cut off",
      EGRESS_IP,
      json(egressIp).subarray(0, -1),
      "UNDECODABLE",
      /^unexpected end of JSON input$/,
    ],
    ["CBOR", EGRESS_IP, Buffer.from("d9d9f7a0", "hex"), "UNDECODABLE", /CBOR/],
    ["nothing", EGRESS_IP, Buffer.alloc(0), "UNDECODABLE", /^is no object of Kubernetes$/],
    ["any text", EGRESS_IP, Buffer.from("a text"), "UNDECODABLE", /^is no object of Kubernetes$/],
  ];
  test.each(cases)("%s", (_what, key, bytes, code, message) => {
    let caught: unknown;
    try {
      layout.decode(key, bytes);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(LayoutError);
    expect(caught).toMatchObject({ code, key, message: expect.stringMatching(message) });
  });
});
