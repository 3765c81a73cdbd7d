import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import {
  decodeProtobuf,
  encodeProtobuf,
  encodeWatchFrame,
  hasProtobuf,
  openEnvelope,
} from "../../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { ProtobufDecodeError } from "../../../../../src/apiserver/endpoints/protobuf/value-types.ts";

/** What kubectl sends for its create commands, byte for byte. */
const CLIENT_BODIES = JSON.parse(
  readFileSync(new URL("./client-bodies.json", import.meta.url), "utf8"),
) as Record<string, string>; // our own file

const bodyOf = (kind: string): Buffer => Buffer.from(CLIENT_BODIES[kind]!, "base64");
const NOTHING = { apiVersion: "", kind: "" };
const EMPTY_META = { generateName: "", selfLink: "", uid: "", resourceVersion: "", generation: 0 };

describe("bodies of a Go client", () => {
  const complete = Object.keys(CLIENT_BODIES).filter((kind) => kind !== "Pod");

  test.each(complete)("a %s is written with the bytes with which it came", (kind) => {
    const { apiVersion, value } = decodeProtobuf(bodyOf(kind), NOTHING);
    expect(encodeProtobuf(apiVersion, kind, value).toString("hex")).toBe(bodyOf(kind).toString("hex"));
  });

  test("so is the spec of a Pod with all its fields", () => {
    const { value } = decodeProtobuf(bodyOf("Pod"), NOTHING);
    const theirs = Buffer.from(openEnvelope(bodyOf("Pod"), NOTHING).raw);
    const ours = Buffer.from(openEnvelope(encodeProtobuf("v1", "Pod", value), NOTHING).raw);
    const status = theirs.lastIndexOf(Buffer.from([0x1a, 0x10])); // field 3, sixteen bytes
    expect(ours.subarray(0, status).toString("hex")).toBe(theirs.subarray(0, status).toString("hex"));
  });

  const read: [kind: string, value: JsonObject][] = [
    [
      "ConfigMap",
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { ...EMPTY_META, name: "c", namespace: "hello", creationTimestamp: null },
        data: { a: "b" },
      },
    ],
    [
      "TokenRequest",
      {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: { ...EMPTY_META, name: "", namespace: "", creationTimestamp: null },
        spec: { expirationSeconds: 600 },
        status: { token: "", expirationTimestamp: null },
      },
    ],
  ];

  test.each(read)("a %s is read into its JSON form", (kind, value) => {
    expect(decodeProtobuf(bodyOf(kind), NOTHING).value).toEqual(value);
  });

  test("bytes, numbers or names, and members of inline structs are read into their places", () => {
    expect(decodeProtobuf(bodyOf("Secret"), NOTHING).value["data"]).toEqual({ a: "Yg==" });
    expect(decodeProtobuf(bodyOf("Service"), NOTHING).value).toMatchObject({
      spec: {
        type: "NodePort",
        ports: [{ port: 80, targetPort: "http", nodePort: 30_000, protocol: "TCP" }],
      },
    });
    expect(decodeProtobuf(bodyOf("Ingress"), NOTHING).value).toMatchObject({
      spec: { rules: [{ host: "foo.com", http: { paths: [{ path: "/bar", pathType: "Exact" }] } }] },
    });
  });
});

describe("an envelope", () => {
  const bytes = (...parts: (string | readonly number[])[]): Buffer =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

  test("says what it holds, and has no encoding of its own", () => {
    expect(encodeProtobuf("v1", "DeleteOptions", {}).toString("latin1")).toBe(
      "k8s\0\x0a\x13\x0a\x02v1\x12\x0dDeleteOptions\x12\x00\x1a\x00\x22\x00",
    );
  });

  test("that does not say what it holds is of the kind that the URL names", () => {
    const body = bytes("k8s\0", [0x12, 0x05, 0x0a, 0x03, 0x0a, 0x01], "x");
    const decoded = decodeProtobuf(body, { apiVersion: "v1", kind: "Namespace" });
    expect(decoded).toEqual({
      apiVersion: "v1",
      kind: "Namespace",
      value: { apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } },
    });
  });

  const refused: [why: string, body: Buffer, message: string, known: boolean][] = [
    ["without bytes", Buffer.alloc(0), "empty data", false],
    [
      "of something else",
      bytes("{}"),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
      false,
    ],
    ["that ends with its magic bytes", bytes("k8s\0"), "empty body", false],
    ["that is cut", bytes("k8s\0", [0x12, 0x05]), "unexpected EOF", false],
    [
      "of an unknown kind",
      bytes("k8s\0", [0x0a, 0x09, 0x0a, 0x02], "v1", [0x12, 0x03], "Foo"),
      'no kind "Foo" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
      true,
    ],
    ["with a member that is cut", bytes("k8s\0", [0x12, 0x02, 0x0a, 0x05]), "unexpected EOF", true],
    [
      "with a member of another form",
      bytes("k8s\0", [0x12, 0x02, 0x08, 0x01]),
      "proto: wrong wireType = 0 for field Metadata",
      true,
    ],
    [
      "with the end of a group that did not begin",
      bytes("k8s\0", [0x12, 0x01, 0x0c]),
      "proto: Namespace: wiretype end group for non-group",
      true,
    ],
    [
      "with a field that has no number",
      bytes("k8s\0", [0x12, 0x01, 0x00]),
      "proto: Namespace: illegal tag 0 (wire type 0)",
      true,
    ],
    [
      "with a form that does not exist",
      bytes("k8s\0", [0x12, 0x01, 0x57]),
      "proto: illegal wireType 7",
      true,
    ],
  ];

  test.each(refused)("%s is refused", (_why, body, message, known) => {
    let error: unknown;
    try {
      decodeProtobuf(body, { apiVersion: "v1", kind: "Namespace" });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ProtobufDecodeError);
    expect(error).toMatchObject({ message });
    expect((error as ProtobufDecodeError).identity !== undefined).toBe(known);
  });
});

describe("reading", () => {
  const readPod = (raw: readonly number[]): JsonObject =>
    decodeProtobuf(Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x12, raw.length, ...raw])]), {
      apiVersion: "v1",
      kind: "Pod",
    }).value;

  test("skips fields that it does not know", () => {
    const unknown = [0xf8, 0x07, 0x01, 0xfa, 0x07, 0x01, 0x00, 0xfd, 0x07, 1, 2, 3, 4];
    expect(readPod([...unknown, 0x0a, 0x02, 0x0a, 0x00])).toMatchObject({ metadata: { name: "" } });
  });

  test("takes a struct that comes twice as one", () => {
    expect(readPod([0x0a, 0x03, 0x0a, 0x01, 0x61, 0x0a, 0x03, 0x1a, 0x01, 0x62])).toMatchObject({
      metadata: { name: "a", namespace: "b" },
    });
  });

  test("takes numbers that are packed", () => {
    // spec (2), securityContext (14), supplementalGroups (4)
    expect(readPod([0x12, 0x06, 0x72, 0x04, 0x22, 0x02, 0x01, 0x02])).toMatchObject({
      spec: { securityContext: { supplementalGroups: [1, 2] } },
    });
  });
});

describe("kinds", () => {
  test.each([
    ["v1", "Pod", true],
    ["v1", "PodList", true],
    ["apps/v1", "Deployment", true],
    ["rbac.authorization.k8s.io/v1", "RoleBindingList", true],
    ["v1", "Status", true],
    ["apps/v1", "DeleteOptions", true],
    ["", "APIVersions", true],
    ["meta.k8s.io/v1", "PartialObjectMetadata", true],
    ["meta.k8s.io/v1beta1", "PartialObjectMetadataList", true],
    ["meta.k8s.io/v1", "Table", false],
    ["k8s.ovn.org/v1", "EgressIP", false],
    ["v1", "toString", false],
  ])("%s %s has a message: %s", (apiVersion, kind, has) => {
    expect(hasProtobuf(apiVersion, kind)).toBe(has);
  });

  test("the list of metadata has other numbers in v1beta1", () => {
    const list = { metadata: { resourceVersion: "5" }, items: [{ metadata: { name: "a" } }] };
    const raw = (version: string) => {
      const bytes = encodeProtobuf(`meta.k8s.io/${version}`, "PartialObjectMetadataList", list);
      return openEnvelope(bytes, NOTHING).raw;
    };
    expect(Buffer.from(raw("v1")).subarray(0, 9).toString("hex")).toBe("0a070a001201351a00");
    expect(Buffer.from(raw("v1beta1")).subarray(-9).toString("hex")).toBe("12070a001201351a00");
  });
});

test("a watch frame is an event behind its length in four bytes, and the object in it an envelope", () => {
  const envelope = encodeProtobuf("v1", "Namespace", { metadata: { name: "a" } });
  const frame = encodeWatchFrame("ADDED", envelope);
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  const head = Buffer.from([0x0a, 0x05, ...Buffer.from("ADDED"), 0x12, envelope.length + 2]);
  expect(frame.subarray(4)).toEqual(Buffer.concat([head, Buffer.from([0x0a, envelope.length]), envelope]));
});
