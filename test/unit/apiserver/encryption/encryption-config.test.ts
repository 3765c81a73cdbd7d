import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../../src/apimachinery/meta/ids.ts";
import { TransformationMetrics } from "../../../../src/apimachinery/meta/transformation-metrics.ts";
import {
  EncryptionConfigError,
  readEncryptionConfig,
} from "../../../../src/apiserver/encryption/encryption-config.ts";
import { groupResource } from "../../../../src/apiserver/encryption/group-resource.ts";
import { TransformError } from "../../../../src/apiserver/encryption/transformers.ts";
import { createStorageLayout } from "../../../../src/apiserver/layout/storage-layout.ts";
import { encodeStored } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { LayoutError } from "../../../../src/storage/layout.ts";

const secret = (byte: number, length = 32): string => Buffer.alloc(length, byte).toString("base64");
const keys = (name: string, byte = 1, length = 32) => ({ keys: [{ name, secret: secret(byte, length) }] });
const file = (...resources: { resources: string[]; providers: object[] }[]): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources });
const read = (text: string) => readEncryptionConfig(text, systemRandom);

/** What a value of the resource begins with. */
async function beginnings(text: string, ...names: string[]): Promise<string[]> {
  const encryption = await read(text);
  return names.map((name) => {
    const stored = encryption(groupResource(name)).toStorage("/a", Buffer.from("k8s\0"));
    return /^k8s:enc:[^:]*:v1:[^:]*:/.exec(Buffer.from(stored).toString("latin1"))?.[0] ?? "as it is";
  });
}

test("what becomes of values is counted by resource, direction and prefix: of the provider, and of its key", async () => {
  const metrics = new TransformationMetrics();
  const text = file({ resources: ["secrets"], providers: [{ aescbc: keys("key1") }, { identity: {} }] });
  const transformer = (await readEncryptionConfig(text, systemRandom, metrics))(groupResource("secrets"));
  const stored = transformer.toStorage("/a", Buffer.from("k8s\0"));
  transformer.fromStorage("/a", stored);
  transformer.fromStorage("/a", Buffer.from("k8s\0"));
  expect(() => transformer.fromStorage("/a", Buffer.from("k8s:enc:aescbc:v1:other:x"))).toThrow(
    TransformError,
  );
  const shown = [...metrics].map(({ resource, direction, prefix, succeeded, failed }) =>
    [resource, direction, prefix, succeeded, failed].join(" "),
  );
  expect(shown.sort()).toEqual([
    "secrets from_storage identity 1 0",
    "secrets from_storage k8s:enc:aescbc:v1: 1 1",
    "secrets from_storage key1: 1 0",
    "secrets from_storage unknown 0 1",
    "secrets to_storage k8s:enc:aescbc:v1: 1 0",
    "secrets to_storage key1: 1 0",
  ]);
  expect([...metrics.times].map(({ seconds }) => seconds.count)).toEqual([1, 1, 1, 1, 1, 0]);
});

test("the file of Kubernetes' documents, in YAML", async () => {
  const text = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources:
      - secrets
      - configmaps
      - pandas.awesome.bears.example
    providers:
      - secretbox:
          keys:
            - name: key1
              secret: ${secret(1)}
      - aescbc:
          keys:
            - name: key1
              secret: ${secret(1, 16)}
      - identity: {}
  - resources:
      - '*.apps'
    providers:
      - aescbc:
          keys:
            - name: key2
              secret: ${secret(2, 24)}
`;
  expect(
    await beginnings(
      text,
      "secrets",
      "configmaps",
      "pandas.awesome.bears.example",
      "deployments.apps",
      "pods",
    ),
  ).toEqual([
    "k8s:enc:secretbox:v1:key1:",
    "k8s:enc:secretbox:v1:key1:",
    "k8s:enc:secretbox:v1:key1:",
    "k8s:enc:aescbc:v1:key2:",
    "as it is",
  ]);
});

test("the name of a resource counts before its group, and that before all", async () => {
  const text = file(
    { resources: ["pods"], providers: [{ aesgcm: keys("a") }] },
    { resources: ["*.", "*.apps"], providers: [{ aesgcm: keys("b") }] },
    { resources: ["secrets"], providers: [{ aesgcm: keys("masked") }] },
    { resources: ["*.*"], providers: [{ aesgcm: keys("c") }] },
    { resources: ["things.example.com"], providers: [{ aesgcm: keys("masked") }] },
  );
  expect(await beginnings(text, "pods", "secrets", "deployments.apps", "things.example.com")).toEqual([
    "k8s:enc:aesgcm:v1:a:",
    "k8s:enc:aesgcm:v1:b:",
    "k8s:enc:aesgcm:v1:b:",
    "k8s:enc:aesgcm:v1:c:",
  ]);
});

describe("is refused:", () => {
  const one = (...providers: object[]) => file({ resources: ["secrets"], providers });
  const named = (...resources: string[]) => file({ resources, providers: [{ identity: {} }] });
  test.each([
    [
      "no file of the kind",
      '{"kind":"Pod","apiVersion":"v1"}',
      'is of the kind "Pod", and no EncryptionConfiguration',
    ],
    [
      "another version",
      '{"kind":"EncryptionConfiguration","apiVersion":"v9"}',
      'no kind "EncryptionConfiguration" is registered for version "v9"',
    ],
    ["no YAML", "a: [", "yaml: line 1: did not find expected node content"],
    ["a text", "x", "is no EncryptionConfiguration"],
    ["no resources", file(), "resources: Required value: at least one resources is required"],
    [
      "no names",
      named(),
      "resources[0].resources: Required value: at least one resources[0].resources is required",
    ],
    [
      "no providers",
      one(),
      "resources[0].providers: Required value: at least one resources[0].providers is required",
    ],
    [
      "no provider",
      one({ rot13: {} }),
      'resources[0].providers[0]: Invalid value: "": provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    ],
    [
      "two in one",
      one({ identity: {}, aescbc: keys("a") }),
      'resources[0].providers[0]: Invalid value: "": more than one provider specified in a single element, should split into different list elements',
    ],
    [
      "a plugin",
      one({ kms: { name: "a" } }),
      "resources[0].providers[0].kms: Forbidden: no plugins are asked for keys here",
    ],
    [
      "no keys",
      one({ aescbc: {} }),
      "resources[0].providers[0].aescbc.keys: Required value: at least one keys is required",
    ],
    [
      "a key without a name",
      one({ aescbc: keys("") }),
      "resources[0].providers[0].aescbc.keys[0].name: Required value: name is a mandatory field for a key",
    ],
    [
      "a key without a secret",
      one({ aescbc: { keys: [{ name: "a" }] } }),
      "resources[0].providers[0].aescbc.keys[0].secret: Required value: secret is a mandatory field for a key",
    ],
    [
      "no base64",
      one({ aescbc: { keys: [{ name: "a", secret: "ü" }] } }),
      'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    ],
    [
      "a short key",
      one({ aesgcm: keys("a", 1, 15) }),
      'resources[0].providers[0].aesgcm.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 15, expected one of [16 24 32]',
    ],
    [
      "a key of secretbox of 16 bytes",
      one({ secretbox: keys("a", 1, 16) }),
      'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]',
    ],
    [
      "capital letters",
      named("Secrets"),
      'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
    ],
    [
      "a star",
      named("*"),
      `resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
    ],
    [
      "one resource of all groups",
      named("a.*"),
      'resources[0].resources[0]: Invalid value: "a.*": encrypting the same resource across groups is not supported',
    ],
    [
      "what is no resource",
      named("servicenodeportallocations"),
      'resources[0].resources[0]: Invalid value: "servicenodeportallocations": resources which do not have REST API/s cannot be encrypted',
    ],
    [
      "a group that is gone",
      named("ingresses.extensions"),
      `resources[0].resources[0]: Invalid value: "ingresses.extensions": 'extensions' group has been removed and cannot be used for encryption`,
    ],
    ["events of their new group", named("events.events.k8s.io"), /Use 'events' instead in the config file$/],
    [
      "the same twice",
      named("a", "a"),
      'resources[0].resources: Invalid value: ["a","a"]: the same resource cannot be specified multiple times',
    ],
    [
      "what is masked by its group",
      named("a", "*."),
      /^resources\[0\]\.resources: Invalid value: \["a","\*\."\]: using overlapping resources/,
    ],
    ["what is masked by all", named("a.b", "*.*"), /using overlapping resources/],
  ])("%s", async (_what, text, message) => {
    const error: unknown = await read(text).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(EncryptionConfigError);
    expect((error as Error).message).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });
});

describe("a layout with it", async () => {
  const providers = [{ aesgcm: keys("k") }];
  const encryption = await read(file({ resources: ["secrets", "egressips.k8s.ovn.org"], providers }));
  const plain = createStorageLayout({ builtIn: BUILT_IN_RESOURCES });
  const layout = createStorageLayout({ builtIn: BUILT_IN_RESOURCES, prefix: "/kubernetes.io", encryption });
  const metadata = { name: "f", uid: "u", creationTimestamp: "2030-01-01T00:00:00Z" };
  const stored = (key: string, apiVersion: string, kind: string) => {
    const placed = key.includes("/shop/") ? { ...metadata, namespace: "shop" } : metadata;
    return encodeStored({ apiVersion, kind, metadata: placed }, undefined);
  };

  test.each([
    ["/registry/secrets/shop/f", "v1", "Secret"],
    ["/registry/k8s.ovn.org/egressips/f", "k8s.ovn.org/v1", "EgressIP"],
  ])("encrypts %s", (key, apiVersion, kind) => {
    const [value] = [plain.decode(key, plain.encode(key, stored(key, apiVersion, kind))).value];
    const bytes = layout.encode(key, value);
    expect(Buffer.from(bytes).toString("latin1")).toMatch(/^k8s:enc:aesgcm:v1:k:/);
    const decoded = layout.decode(layout.toEtcdKey(key), bytes);
    expect(Buffer.from(decoded.value)).toEqual(Buffer.from(value));
    expect(decoded.isStale).toBe(false);
    expect(() => plain.decode(key, bytes)).toThrow("identity transformer tried to read encrypted data");
    expect(() => layout.decode(layout.toEtcdKey(`${key}2`), bytes)).toThrow(LayoutError);
    expect(() => layout.decode(layout.toEtcdKey(key), plain.encode(key, value))).toThrow(
      "no matching prefix found",
    );
  });

  test.each([
    ["/registry/configmaps/shop/f", "v1", "ConfigMap"],
    ["/registry/k8s.ovn.org/egressqoses/shop/f", "k8s.ovn.org/v1", "EgressQoS"],
  ])("leaves %s as it is", (key, apiVersion, kind) => {
    const value = stored(key, apiVersion, kind);
    expect(Buffer.from(layout.encode(key, value))).toEqual(Buffer.from(plain.encode(key, value)));
  });
});
