// Content negotiation of protobuf over HTTP: which requests and answers support it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import {
  decodeProtobuf,
  encodeProtobuf,
  PROTOBUF_TYPE,
} from "../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { createServer, type Server } from "../../../../src/server/server.ts";

const NOTHING = { apiVersion: "", kind: "" };
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";
const METADATA = "g=meta.k8s.io;v=v1";

let server: Server;

beforeAll(async () => {
  server = await createServer({
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: undefined,
    controllers: "",
  });
});

afterAll(() => server?.close());

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
  /** The decoded value, from protobuf or JSON. */
  readonly value: JsonObject;
}

async function send(method: string, path: string, headers: object, body?: Uint8Array): Promise<Answer> {
  const init = {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  };
  const response = await fetch(server.url + path, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get("content-type") ?? "";
  const value = type === PROTOBUF_TYPE ? decodeProtobuf(bytes, NOTHING).value : JSON.parse(String(bytes));
  return { status: response.status, type, bytes, value: value as JsonObject }; // every answer is an object
}

const get = (path: string, accept: string) => send("GET", path, { accept });
const sendProtobuf = (method: string, path: string, body: Uint8Array, accept: string = PROTOBUF_TYPE) =>
  send(method, path, { "content-type": PROTOBUF_TYPE, accept }, body);
const configMap = (name: string, data: JsonObject = {}) =>
  encodeProtobuf("v1", "ConfigMap", { metadata: { name }, data });

beforeEach(async () => {
  await send("DELETE", CONFIG_MAPS, {});
  await sendProtobuf("POST", CONFIG_MAPS, configMap("a", { x: "1" }));
});

describe("a built-in kind", () => {
  test("is made from protobuf as from JSON", async () => {
    const made = await sendProtobuf("POST", CONFIG_MAPS, configMap("b", { x: "1" }));
    expect(made).toMatchObject({ status: 201, type: PROTOBUF_TYPE });
    const read = await get(`${CONFIG_MAPS}/b`, "application/json");
    expect(read.value).toMatchObject({ data: { x: "1" }, metadata: { name: "b", namespace: "default" } });
    expect(Object.keys(read.value["metadata"] as object).sort()).toEqual([
      ...["creationTimestamp", "managedFields", "name", "namespace", "resourceVersion", "uid"],
    ]);
  });

  test("is replaced by protobuf", async () => {
    const replaced = await sendProtobuf("PUT", `${CONFIG_MAPS}/a`, configMap("a", { y: "2" }));
    expect(replaced).toMatchObject({ status: 200, value: { data: { y: "2" } } });
  });

  test.each<[kind: string, resource: string, content: JsonObject]>([
    ["ConfigMap", "configmaps", { data: { a: "1" }, binaryData: { b: "AAE=" }, immutable: false }],
    ["Secret", "secrets", { data: { a: "YQ==" } }],
    ["Service", "services", { spec: { ports: [{ port: 80 }], selector: { app: "a" } } }],
    ["Endpoints", "endpoints", { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] }],
    [
      "Pod",
      "pods",
      {
        spec: {
          containers: [{ name: "c", image: "i", livenessProbe: { httpGet: { port: "http", path: "/" } } }],
        },
      },
    ],
  ])("%s that is sent back as it came is not changed", async (kind, resource, content) => {
    const path = `/api/v1/namespaces/default/${resource}`;
    const object = { apiVersion: "v1", kind, metadata: { name: "same" }, ...content };
    const made = await send("POST", path, { accept: PROTOBUF_TYPE }, Buffer.from(JSON.stringify(object)));
    expect(made).toMatchObject({ status: 201, type: PROTOBUF_TYPE });
    const kept = await sendProtobuf("PUT", `${path}/same`, made.bytes);
    expect(kept).toMatchObject({ status: 200, value: made.value });
  });

  test("is answered as it is, in a list, and as metadata", async () => {
    const one = await get(`${CONFIG_MAPS}/a`, PROTOBUF_TYPE);
    expect(one).toMatchObject({ status: 200, value: { kind: "ConfigMap", data: { x: "1" } } });
    const list = await get(CONFIG_MAPS, PROTOBUF_TYPE);
    expect(list).toMatchObject({
      status: 200,
      value: { kind: "ConfigMapList", items: [{ data: { x: "1" } }] },
    });
    const metadata = await get(CONFIG_MAPS, `${PROTOBUF_TYPE};as=PartialObjectMetadataList;${METADATA}`);
    expect(metadata.value).toMatchObject({
      apiVersion: "meta.k8s.io/v1",
      items: [{ metadata: { name: "a" } }],
    });
    expect(metadata.value["items"]).not.toHaveProperty("0.data");
  });

  test("has no Table in protobuf", async () => {
    const table = `;as=Table;${METADATA}`;
    expect(await get(CONFIG_MAPS, PROTOBUF_TYPE + table)).toMatchObject({ status: 406 });
    const fallback = await get(CONFIG_MAPS, `${PROTOBUF_TYPE}${table},application/json${table}`);
    expect(fallback).toMatchObject({ status: 200, type: "application/json", value: { kind: "Table" } });
  });

  test("is deleted with options in protobuf, from any group", async () => {
    const options = encodeProtobuf("apps/v1", "DeleteOptions", { preconditions: { uid: "other" } });
    expect(await sendProtobuf("DELETE", `${CONFIG_MAPS}/a`, options)).toMatchObject({ status: 409 });
    const none = encodeProtobuf("v1", "DeleteOptions", {});
    expect(await sendProtobuf("DELETE", `${CONFIG_MAPS}/a`, none)).toMatchObject({
      status: 200,
      value: { kind: "Status", status: "Success", details: { name: "a", kind: "configmaps" } },
    });
  });

  test("is watched in frames behind their lengths", async () => {
    const path = `${CONFIG_MAPS}?watch=true&timeoutSeconds=1&resourceVersion=0`;
    const response = await fetch(server.url + path, { headers: { accept: PROTOBUF_TYPE } });
    expect(response.headers.get("content-type")).toBe(`${PROTOBUF_TYPE};stream=watch`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const frame = bytes.subarray(4, 4 + bytes.readUInt32BE(0));
    expect(frame.subarray(0, 8).toString("latin1")).toBe("\x0a\x05ADDED\x12");
    const envelope = frame.subarray(frame.indexOf("k8s\0"));
    expect(decodeProtobuf(envelope, NOTHING)).toMatchObject({
      kind: "ConfigMap",
      value: { data: { x: "1" } },
    });
  });

  test("that is missing is told in protobuf", async () => {
    expect(await get(`${CONFIG_MAPS}/none`, PROTOBUF_TYPE)).toMatchObject({
      status: 404,
      type: PROTOBUF_TYPE,
      value: { kind: "Status", reason: "NotFound", code: 404, message: 'configmaps "none" not found' },
    });
  });

  test.each<[what: string, body: Buffer, message: string]>([
    [
      "another kind",
      encodeProtobuf("v1", "Secret", {}),
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      "another group",
      encodeProtobuf("apps/v1", "Deployment", {}),
      'Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    ],
    [
      "something else",
      Buffer.from("{}"),
      "the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})",
    ],
    [
      "half an object",
      configMap("c").subarray(0, -6),
      "the object provided is unrecognized (must be of type ConfigMap): unexpected EOF",
    ],
  ])("is not made from %s", async (_what, body, message) => {
    const answer = await sendProtobuf("POST", CONFIG_MAPS, body);
    expect(answer.status).toBe(400);
    expect(answer.value["message"]).toContain(message);
  });
});

describe("a custom resource", () => {
  test("is not answered in protobuf, but in the next form that is accepted", async () => {
    expect(await get(EGRESS_IPS, PROTOBUF_TYPE)).toMatchObject({ status: 406, type: PROTOBUF_TYPE });
    const fallback = await get(EGRESS_IPS, `${PROTOBUF_TYPE},application/json`);
    expect(fallback).toMatchObject({ status: 200, type: "application/json" });
  });

  test("has metadata in protobuf", async () => {
    const accept = `${PROTOBUF_TYPE};as=PartialObjectMetadataList;${METADATA}`;
    expect(await get(EGRESS_IPS, accept)).toMatchObject({ status: 200, type: PROTOBUF_TYPE });
  });

  test("is not read from protobuf", async () => {
    const body = encodeProtobuf("v1", "ConfigMap", {});
    const answer = await sendProtobuf("POST", EGRESS_IPS, body, "application/json");
    expect(answer).toMatchObject({ status: 400, type: "application/json" });
    expect(answer.value["message"]).toMatch(/: Object 'Kind' is missing in 'object has no kind field '$/);
  });

  test("is deleted with options in protobuf", async () => {
    const options = encodeProtobuf("k8s.ovn.org/v1", "DeleteOptions", { propagationPolicy: "Background" });
    const answer = await sendProtobuf("DELETE", `${EGRESS_IPS}/none`, options, "application/json");
    expect(answer).toMatchObject({ status: 404, value: { reason: "NotFound" } });
  });
});

test("discovery is answered in protobuf, and what is no kind of the API is not", async () => {
  expect(await get("/api/v1", PROTOBUF_TYPE)).toMatchObject({ value: { kind: "APIResourceList" } });
  expect(await get("/apis", PROTOBUF_TYPE)).toMatchObject({ value: { kind: "APIGroupList" } });
  expect(await get("/", PROTOBUF_TYPE)).toMatchObject({ status: 200, type: "application/json" });
  expect(await get("/version", PROTOBUF_TYPE)).toMatchObject({ status: 406 });
});
