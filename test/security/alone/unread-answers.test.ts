// Answers that clients do not read, in every media type, on a small heap: the server rejects further requests with 429,
// keeps running, and answers administrators meanwhile.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type BuiltServer, SMALL_HEAP_MEGABYTES, startBuiltServer, type Token } from "../built-server.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const OBJECTS = 60;
const OBJECT_BYTES = 700_000;
const CLIENTS = 200;
/** Heap, code, the store and outgoing data: buffers are not part of the heap. */
const RESIDENT_MEGABYTES_MAX = 1100;

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer([], { heapMegabytes: SMALL_HEAP_MEGABYTES });
  await server.grant([
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create"] },
  ]);
  for (let index = 0; index < OBJECTS; index++) {
    const body = { metadata: { name: `large-${index}` }, data: { text: "x".repeat(OBJECT_BYTES) } };
    expect((await server.send("POST", CONFIG_MAPS, body)).status).toBe(201);
  }
});
afterAll(() => server?.[Symbol.asyncDispose]());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends the request and reads only the beginning of the answer. Returns its status. */
async function unread(path: string, accept: string, token: Token = "low"): Promise<number> {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  sockets.push(socket);
  const lines = [`GET ${path} HTTP/1.1`, "host: 127.0.0.1", `authorization: Bearer ${token}`];
  socket.write([...lines, `accept: ${accept}`, "", ""].join("\r\n"));
  const [chunk] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer?];
  socket.pause();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(chunk))?.[1] ?? 0);
}

/** 0 where /proc is not available. */
function residentMegabytes(): number {
  const path = `/proc/${server.process.pid}/status`;
  const [, kilobytes] = existsSync(path) ? (/VmRSS:\s+(\d+)/.exec(readFileSync(path, "latin1")) ?? []) : [];
  return Number(kilobytes ?? 0) / 1024;
}

async function expectAdministratorServed(): Promise<void> {
  expect((await server.send("GET", "/readyz")).text).toBe("ok");
  const list = await server.send("GET", `${CONFIG_MAPS}?limit=6`, undefined, { accept: "application/yaml" });
  expect(list.status).toBe(200);
  expect(list.text.length).toBeGreaterThan(5 * OBJECT_BYTES);
}

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
describe("200 clients do not read", () => {
  test.each([
    ["a list as YAML", CONFIG_MAPS, "application/yaml"],
    ["a list as JSON", CONFIG_MAPS, "application/json"],
    ["a list as indented JSON", `${CONFIG_MAPS}?pretty=1`, "application/json"],
    ["a list as protobuf", CONFIG_MAPS, "application/vnd.kubernetes.protobuf"],
    ["a Table with its objects", `${CONFIG_MAPS}?includeObject=Object`, TABLE],
    ["an object as YAML", `${CONFIG_MAPS}/large-1`, "application/yaml"],
    ["an object as JSON", `${CONFIG_MAPS}/large-1`, "application/json"],
    ["a watch that begins with all objects", `${CONFIG_MAPS}?watch=1&resourceVersion=0`, "application/json"],
  ])("%s", async (_what, path, accept) => {
    const statuses: number[] = [];
    for (let from = 0; from < CLIENTS; from += 25) {
      statuses.push(...(await Promise.all(Array.from({ length: 25 }, () => unread(path, accept)))));
    }
    for (const status of statuses) expect([200, 429, 0]).toContain(status);
    expect(statuses).toContain(200);
    await sleep(500);
    expect(residentMegabytes()).toBeLessThan(RESIDENT_MEGABYTES_MAX);
    await expectAdministratorServed();
  });
});

test("what was reserved is given back when clients have gone", async () => {
  await Promise.all(Array.from({ length: 100 }, () => unread(CONFIG_MAPS, "application/yaml")));
  for (const socket of sockets.splice(0)) socket.destroy();
  await sleep(1000);
  for (let index = 0; index < 20; index++) {
    const { status } = await server.send("GET", `${CONFIG_MAPS}?limit=2`, undefined, {
      ...{ accept: "application/yaml", token: "low" },
    });
    expect(status).toBe(200);
  }
});

test("50 bodies of 2.9 MB with very many members at once", async () => {
  const members = Array.from({ length: 240_000 }, (_, index) => `"${index.toString(36)}":"v"`);
  const body = `{"metadata":{"name":"many"},"data":{${members.join(",")}}}`;
  const posts = Array.from({ length: 50 }, () =>
    server.send("POST", CONFIG_MAPS, body, { token: "low" }).then(({ status }) => status),
  );
  const own = { metadata: { name: "beside" }, data: { key: "value" } };
  expect((await server.send("POST", CONFIG_MAPS, own)).status).toBe(201);
  // 500: etcdserver: request is too large
  for (const status of await Promise.all(posts)) expect([422, 429, 500, 504]).toContain(status);
  await expectAdministratorServed();
}, 120_000);
