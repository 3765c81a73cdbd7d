// Watches as WebSocket, by a client that others keep: what a kube-apiserver sends, refuses and lets pass.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";
import {
  openWatchSocket,
  refusedWatchSocket,
  type WatchSocketOptions,
} from "../../support/sockets/watch-socket.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const EIPS = "/apis/k8s.ovn.org/v1/egressips";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

let server: Server;
beforeAll(async () => {
  server = await createServer({ ...MEMORY_SERVER, clock: "frozen", compactAtStart: true });
});
afterAll(() => server?.close());

const watch = (query: string, options?: WatchSocketOptions) =>
  openWatchSocket(`${server.url}${query}`, options);

async function send(method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(response.status, path).toBeLessThan(300);
  return await response.text();
}

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const post = (name: string) => send("POST", MAPS, configMap(name));
const nameOf = (text: string) => JSON.parse(text).object.metadata.name;

beforeEach(async () => {
  await send("DELETE", MAPS);
});

describe("what is sent", () => {
  test.each([
    ["a query", `${MAPS}?watch=1`],
    ["a path of old", "/api/v1/watch/namespaces/default/configmaps"],
    ["a path to one object", "/api/v1/watch/namespaces/default/configmaps/b"],
    ["a selector", `${MAPS}?watch=true&fieldSelector=metadata.name=b`],
  ])("is each event as a text with its line end, asked for by %s", async (_how, path) => {
    await using socket = await watch(path);
    await post("a");
    await post("b");
    await send("DELETE", `${MAPS}/b`);
    const isAll = path.endsWith("configmaps") || path.endsWith("watch=1");
    const texts = await socket.reached(isAll ? 3 : 2);
    expect(texts.map(nameOf)).toEqual(isAll ? ["a", "b", "b"] : ["b", "b"]);
    expect(texts.every((text) => text.indexOf("\n") === text.length - 1)).toBe(true);
    expect(socket.messages.every(({ isBinary }) => !isBinary)).toBe(true);
  });

  test("is as protobuf a binary message without a length", async () => {
    await post("a");
    await using socket = await watch(`${MAPS}?watch=1`, { headers: { accept: PROTOBUF } });
    await socket.reached(1);
    const [message] = socket.messages;
    expect(message?.isBinary).toBe(true);
    // Field 1 is the type, field 2 the object in its envelope.
    expect(message?.data.subarray(0, 8).toString("latin1")).toBe("\n\x05ADDED\x12");
    expect(message?.data.includes("k8s\0")).toBe(true);
  });

  test.each(["Table", "PartialObjectMetadata"])("is a %s when asked", async (as) => {
    await post("a");
    const accept = `application/json;as=${as};g=meta.k8s.io;v=v1`;
    await using socket = await watch(`${MAPS}?watch=1`, { headers: { accept } });
    const [text = ""] = await socket.reached(1);
    expect(JSON.parse(text)).toMatchObject({ type: "ADDED", object: { kind: as } });
  });

  test("are bookmarks, first the one after what is there", async () => {
    await post("a");
    const first = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    await using socket = await watch(`${MAPS}?watch=1&${first}`);
    await socket.reached(2);
    await send("POST", "/egret/v1/clock/advance", { duration: "61s" });
    const events = (await socket.reached(3)).map((text) => JSON.parse(text));
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK", "BOOKMARK"]);
    expect(events[1].object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  });

  test("is the loss of history as an event, and then the end", async () => {
    await using socket = await watch(`${EIPS}?watch=1&resourceVersion=1`);
    const [text = ""] = await socket.reached(1);
    expect(JSON.parse(text)).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(await socket.closed).toBe(1000);
  });

  test("ends in order when its time is over", async () => {
    await using socket = await watch(`${MAPS}?watch=1&timeoutSeconds=5`);
    await send("POST", "/egret/v1/clock/advance", { duration: "5s" });
    expect(await socket.closed).toBe(1000);
  });
});

describe("what clients send", () => {
  test("is not looked at; pings are answered", async () => {
    await using watching = await watch(`${MAPS}?watch=1`);
    const { socket } = watching;
    const pong = new Promise((resolve) => socket.once("pong", (data) => resolve(String(data))));
    socket.send("anything");
    socket.send(Buffer.alloc(1000), { binary: true });
    socket.ping(Buffer.from("there?"));
    expect(await pong).toBe("there?");
    await post("a");
    expect((await watching.reached(1)).map(nameOf)).toEqual(["a"]);
  });

  test("is bounded", async () => {
    await using watching = await watch(`${MAPS}?watch=1`);
    watching.socket.send(Buffer.alloc(65 * 1024));
    expect(await watching.closed).toBe(1009);
  });

  test("ends the watch when it is a close", async () => {
    const opened = async () => Number(/^egret_store_watches (\d+)/m.exec(await send("GET", "/metrics"))?.[1]);
    const before = await opened();
    await using watching = await watch(`${MAPS}?watch=1`);
    expect(await opened()).toBe(before + 1);
    watching.socket.close(1000);
    expect(await watching.closed).toBe(1000);
    await eventually(opened, (count) => count === before);
  });
});

const refusal = (path: string, options?: WatchSocketOptions) =>
  refusedWatchSocket(`${server.url}${path}`, options);

describe("what is refused", () => {
  test.each([
    ["an unknown kind", "/apis/k8s.ovn.org/v1/nests?watch=1", {}, 404, "404 page not found\n"],
    [
      "a selector that cannot be read",
      `${MAPS}?watch=1&labelSelector=a%3D%3D%3Db`,
      {},
      400,
      /"kind":"Status"/,
    ],
    ["a form that is no stream", `${MAPS}?watch=1`, { accept: "application/yaml" }, 406, /NotAcceptable|406/],
    ["a right that is missing", `${MAPS}?watch=1`, { "impersonate-group": "a" }, 400, /"kind":"Status"/],
  ])("is %s, before anything begins", async (_what, path, headers, status, body) => {
    const matching = typeof body === "string" ? body : expect.stringMatching(body);
    expect(await refusal(path, { headers: headers as WatchSocketOptions["headers"] & {} })).toMatchObject({
      status,
      body: matching,
      headers: { connection: "close" },
    });
  });

  test("is a version of the protocol that nobody speaks any more", async () => {
    expect(await refusal(`${MAPS}?watch=1`, { version: 8 })).toMatchObject({
      status: 400,
      headers: { "sec-websocket-version": "13" },
      body: "missing or bad WebSocket Version",
    });
  });

  test.each([
    ["who does not say where he comes from", { origin: undefined }, ""],
    ["another web page", { origin: "http://example.com" }, /"kind":"Status".*other web pages/],
    ["a page of another port", { origin: "http://127.0.0.1:1" }, /other web pages/],
    ["a page that hides where it comes from", { origin: "null" }, /other web pages/],
    ["another Host", { headers: { host: "example.com" } }, /another machine/],
  ])("is %s", async (_who, options, body) => {
    const matching = typeof body === "string" ? body : expect.stringMatching(body);
    expect(await refusal(`${MAPS}?watch=1`, options)).toMatchObject({ status: 403, body: matching });
  });

  test("leaves no watch behind", async () => {
    const before = /^egret_store_watches (\d+)/m.exec(await send("GET", "/metrics"))?.[1];
    await refusal(`${MAPS}?watch=1`, { origin: undefined });
    expect(/^egret_store_watches (\d+)/m.exec(await send("GET", "/metrics"))?.[1]).toBe(before);
  });
});

describe("protocols", () => {
  test("one is agreed to, whatever it is called", async () => {
    await using socket = await watch(`${MAPS}?watch=1`, { protocols: ["base64.binary.k8s.io"] });
    expect(socket.protocol).toBe("base64.binary.k8s.io");
    await post("a");
    expect((await socket.reached(1)).map(nameOf)).toEqual(["a"]); // and has no effect
  });

  test("among several nobody chooses", async () => {
    expect(await refusal(`${MAPS}?watch=1`, { protocols: ["a", "b"] })).toMatchObject({
      status: 400,
      body: "",
    });
  });
});

describe("a watch like any other", () => {
  test("is in the log of requests and among the metrics", async () => {
    await send("DELETE", "/egret/v1/requests");
    const socket = await watch(`${EIPS}?watch=1`, { headers: { "user-agent": "page/1" } });
    const figure = /^apiserver_longrunning_requests\{verb="WATCH",.*"egressips".*\} 1$/m;
    expect(await send("GET", "/metrics")).toMatch(figure);
    await socket[Symbol.asyncDispose]();
    const log = async () => JSON.parse(await send("GET", "/egret/v1/requests?resource=egressips")).items;
    expect(await eventually(log, (items) => items.length === 2)).toMatchObject([
      { stage: "started", verb: "watch", status: 101, userAgent: "page/1" },
      { stage: "ended", verb: "watch", status: 101 },
    ]);
  });

  test.each([
    ["expired", { how: "expired" }, 1000, ["ADDED", "ERROR"]],
    ["at its end", { how: "end" }, 1000, ["ADDED"]],
    ["cut in the middle of an event", { how: "cut" }, 1006, ["ADDED"]],
    ["reset", { how: "reset" }, 1006, ["ADDED"]],
  ])("ends by a fault: %s", async (_how, watchEnd, code, types) => {
    await post("a");
    const fault = { match: { verb: "watch" }, count: 1, watchEnd: { ...watchEnd, afterEvents: 1 } };
    const { id } = JSON.parse(await send("POST", "/egret/v1/faults", fault));
    await using socket = await watch(`${MAPS}?watch=1`);
    await socket.reached(1);
    if (code === 1006) await post("b"); // what is cut needs an event
    expect(await socket.closed).toBe(code);
    expect(socket.messages.map(({ data }) => JSON.parse(data.toString()).type)).toEqual(types);
    await send("DELETE", `/egret/v1/faults/${id}`);
  });

  test("gets its events twice by a fault, as messages of their own", async () => {
    await send("POST", "/egret/v1/faults", { match: { verb: "watch" }, count: 1, duplicateEvents: {} });
    await using socket = await watch(`${MAPS}?watch=1`);
    await post("a");
    expect((await socket.reached(2)).map(nameOf)).toEqual(["a", "a"]);
    await send("DELETE", "/egret/v1/faults");
  });

  test("is refused by a fault before it begins", async () => {
    const fault = { match: { verb: "watch" }, count: 1, error: { code: 503 } };
    await send("POST", "/egret/v1/faults", fault);
    expect(await refusal(`${MAPS}?watch=1`)).toMatchObject({
      status: 503,
      body: expect.stringMatching('"kind":"Status"'),
    });
    await send("DELETE", "/egret/v1/faults");
  });
});

test("a server that stops ends them in order, and waits for nobody who does not read", async () => {
  const stopping = await createServer(MEMORY_SERVER);
  const reader = await openWatchSocket(`${stopping.url}${MAPS}?watch=1`);
  const sleeper = await openWatchSocket(`${stopping.url}${MAPS}?watch=1`);
  sleeper.socket.pause();
  await stopping.close();
  expect(await reader.closed).toBe(1000);
  await sleeper[Symbol.asyncDispose]();
});
