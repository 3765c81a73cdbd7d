// A client that knows of this server only its protobuf messages.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { Messages } from "./messages.ts";

const messages = new Messages(`
message Status {
  optional string status = 2;
  optional string message = 3;
  optional string reason = 4;
  optional int32 code = 6;
}
message Time { optional int64 seconds = 1; optional int32 nanos = 2; }
message ObjectMeta {
  optional string name = 1;
  optional string namespace = 3;
  optional string uid = 5;
  optional string resourceVersion = 6;
  optional Time creationTimestamp = 8;
  map<string, string> labels = 11;
}
message ListMeta { optional string resourceVersion = 2; }
message IntOrString { optional int64 type = 1; optional int32 intVal = 2; optional string strVal = 3; }
message ServicePort {
  optional string name = 1;
  optional string protocol = 2;
  optional int32 port = 3;
  optional IntOrString targetPort = 4;
}
message ServiceSpec {
  repeated ServicePort ports = 1;
  map<string, string> selector = 2;
  optional string clusterIP = 3;
  optional string type = 4;
}
message Service { optional ObjectMeta metadata = 1; optional ServiceSpec spec = 2; }
message ServiceList { optional ListMeta metadata = 1; repeated Service items = 2; }
`);

const TYPE = "application/vnd.kubernetes.protobuf";
const SERVICES = "/api/v1/namespaces/default/services";

type Message = Record<string, unknown>;

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

async function request(method: string, path: string, body?: Buffer) {
  const headers = { accept: TYPE, ...(body ? { "content-type": TYPE } : {}) };
  const response = await fetch(server.url + path, { method, headers, ...(body ? { body } : {}) });
  expect(response.headers.get("content-type")).toBe(TYPE);
  return { status: response.status, ...messages.open<Message>(new Uint8Array(await response.arrayBuffer())) };
}

const service = (name: string) =>
  messages.seal("Service", {
    metadata: { name, labels: { app: name } },
    spec: {
      ports: [{ name: "web", port: 80, targetPort: { type: 1, strVal: "http" } }],
      selector: { app: name },
    },
  });

test("creates, lists, watches and deletes Services", async () => {
  const made = await request("POST", SERVICES, service("a"));
  expect(made).toMatchObject({
    status: 201,
    kind: "Service",
    value: {
      metadata: { name: "a", namespace: "default", uid: expect.any(String), labels: { app: "a" } },
      spec: {
        type: "ClusterIP",
        clusterIP: expect.stringMatching(/^10\.96\./),
        ports: [{ name: "web", protocol: "TCP", port: 80, targetPort: { type: 1, strVal: "http" } }],
        selector: { app: "a" },
      },
    },
  });

  const list = await request("GET", `${SERVICES}?labelSelector=app`);
  expect(list).toMatchObject({ status: 200, kind: "ServiceList", value: { items: [made.value] } });

  const { resourceVersion } = list.value["metadata"] as { resourceVersion: string }; // as the message says
  const stop = new AbortController();
  const watch = await fetch(
    `${server.url}${SERVICES}?watch=true&labelSelector=app&resourceVersion=${resourceVersion}`,
    { headers: { accept: TYPE }, signal: stop.signal },
  );
  expect(watch.headers.get("content-type")).toBe(`${TYPE};stream=watch`);
  expect(await request("POST", SERVICES, service("b"))).toMatchObject({ status: 201 });
  expect(await request("DELETE", `${SERVICES}/a`)).toMatchObject({ status: 200 });
  const seen: unknown[] = [];
  for await (const { type, value } of messages.events<Message>(watch.body)) {
    seen.push([type, (value["metadata"] as { name: string }).name]); // likewise
    if (seen.length === 2) break;
  }
  stop.abort();
  expect(seen).toEqual([
    ["ADDED", "b"],
    ["DELETED", "a"],
  ]);
});

test("is told what is wrong in protobuf", async () => {
  expect(
    await request("POST", SERVICES, messages.seal("Service", { metadata: { name: "1.2" } })),
  ).toMatchObject({
    status: 422,
    kind: "Status",
    value: { status: "Failure", reason: "Invalid", code: 422 },
  });
});
