// Clients that send a part of a request and then nothing, or read nothing: the server answers with the text of a
// kube-apiserver and closes the connection after a time limit. The limits are short here to keep the tests fast.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Besieged, CONFIG_MAPS, configMap } from "./besieged.ts";
import { SlowSocket } from "./slow-socket.ts";

const MEBIBYTE = 1024 * 1024;
const LIMITS = {
  requestMs: 1500,
  headersMs: 3000,
  idleMs: 1000,
  lingerMs: 200,
  bodiesBytesMax: 6 * MEBIBYTE,
};
const LARGE = 2_900_000;
const part = Buffer.alloc(MEBIBYTE, 0x20);
const root = { authorization: "Bearer root" };
const nobody = { authorization: "Bearer wrong" };
const json = { "content-type": "application/json" };

describe.each([
  ["over plain TCP", false],
  ["over TLS", true],
])("%s", (_how, secure) => {
  let server: Besieged;
  beforeAll(async () => {
    server = await Besieged.start({ secure }, { limits: LIMITS });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const open = () => SlowSocket.open(server.url);

  test("150 whose token is wrong get 401 before their bodies have come, and are let go", async () => {
    const begin = async () => {
      const client = await open();
      client.head("POST", CONFIG_MAPS, { ...json, ...nobody, "content-length": LARGE });
      client.send(part);
      return client;
    };
    const clients = await Promise.all(Array.from({ length: 150 }, begin));
    await Promise.all(clients.map(({ closed }) => closed));
    expect(new Set(clients.map(({ status }) => status))).toEqual(new Set([401]));
    expect(clients[0]?.received).toContain('"reason":"Unauthorized"');
  });

  test.each([
    ["is known", { authorization: "Bearer see" }],
    ["shows nothing", {}],
  ])("who %s and may not write gets 403 before his body has come", async (_who, shown) => {
    using client = await open();
    client.head("POST", CONFIG_MAPS, { ...json, ...shown, "content-length": LARGE });
    await client.closed;
    expect(client.status).toBe(403);
    expect(client.received).toContain("cannot create resource");
  });

  test.each([
    ["an object", CONFIG_MAPS],
    ["a call of the control surface", "/egret/v1/import"],
  ])("a body that does not come to its end is a 504: %s", async (_what, path) => {
    using client = await open();
    client.head("POST", path, { ...json, ...root, "content-length": LARGE });
    client.send(part);
    await client.closed;
    expect(client.status).toBe(504);
    expect(JSON.parse(client.received.split("\r\n\r\n")[1] ?? "")).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Timeout: request did not complete within the allotted timeout",
      reason: "Timeout",
      details: {},
      code: 504,
    });
  });

  test("a client may ask for less time", async () => {
    using client = await open();
    const started = Date.now();
    client.head("POST", `${CONFIG_MAPS}?timeout=100ms`, { ...json, ...root, "content-length": LARGE });
    await client.until(/ 504 /);
    expect(Date.now() - started).toBeLessThan(LIMITS.requestMs - 100);
  });

  test("a body that is late but comes to its end is taken, and the connection stays", async () => {
    using client = await open();
    const body = configMap(`late-${secure}`);
    client.head("POST", CONFIG_MAPS, { ...json, ...root, "content-length": body.length });
    client.send(body.slice(0, 10));
    await server.expectWell();
    client.send(body.slice(10));
    await client.until(/ 201 [\s\S]*"kind":"ConfigMap"/);
    client.head("GET", `${CONFIG_MAPS}/late-${secure}`, root);
    await client.until(/ 200 /);
  });

  test("when too many bytes are on their way, those that have been for the longest time get 429", async () => {
    const clients = await Promise.all(Array.from({ length: 3 }, open));
    for (const client of clients) {
      client.head("POST", CONFIG_MAPS, { ...json, ...root, "content-length": LARGE });
      client.send(Buffer.alloc(LARGE - 1, 0x20));
      await server.expectWell(); // they are sent in sequence
    }
    await Promise.race(clients.map((client) => client.until(/ 429 /)));
    const [refused] = clients.filter(({ status }) => status === 429);
    expect(refused?.received).toMatch(/retry-after: 1\r\n/i);
    expect(refused?.received).toContain('"reason":"TooManyRequests"');
    expect((await server.ask("POST", CONFIG_MAPS, configMap(`quick-${secure}`))).status).toBe(201);
    await Promise.all(clients.map(({ closed }) => closed));
    expect(clients.map(({ status }) => status).sort()).toEqual([429, 504, 504]);
  });

  test("who asks before he sends a body is told to go on only when it is wanted", async () => {
    const body = configMap(`asked-${secure}`);
    const head = { ...json, "content-length": body.length, expect: "100-continue" };
    using stranger = await open();
    stranger.head("POST", CONFIG_MAPS, { ...head, ...nobody });
    await stranger.closed;
    expect(stranger.status).toBe(401);
    expect(stranger.received).toMatch(/connection: close/i);
    using known = await open();
    known.head("POST", CONFIG_MAPS, { ...head, ...root });
    await known.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    known.send(body);
    await known.until(/ 201 /);
  });

  test.each([
    ["no request", ""],
    ["a part of a head", "GET /version HTTP/1.1\r\nhost: 127.0.0.1\r\nx: "],
  ])("a connection with %s is closed", async (_what, text) => {
    using client = await open();
    client.send(text);
    await client.closed;
    expect(client.received).toBe("");
  });

  test("heads that grow letter by letter are cut off", async () => {
    using client = await open();
    client.send("GET /version HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ");
    const drip = setInterval(() => client.send("y"), 50);
    try {
      await client.closed;
    } finally {
      clearInterval(drip);
    }
  });

  test("a head of half a mebibyte is read, one of more than one is not", async () => {
    using client = await open();
    client.head("GET", "/version", { ...root, x: "y".repeat(MEBIBYTE / 2) });
    await client.until(/ 200 /);
    using other = await open();
    other.head("GET", "/version", { ...root, x: "y".repeat(MEBIBYTE * 1.5) });
    await other.closed;
    expect(other.received).toMatch(/^HTTP\/1\.1 431 [\s\S]*\r\n\r\n431 Request Header Fields Too Large$/);
  });

  test("who sends what is no request is told so, however much it is", async () => {
    using client = await open();
    client.send(`no request\r\n\r\n${"z".repeat(4 * MEBIBYTE)}`);
    await client.closed;
    expect(client.received).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*connection: close\r\n\r\n400 Bad Request$/,
    );
  });

  test("a connection on which nothing more is asked is closed", async () => {
    using client = await open();
    client.head("GET", "/version", root);
    await client.until(/ 200 /);
    await client.closed;
  });

  /** Resolves when a request that started now would have timed out. */
  const timePasses = async () => {
    using client = await open();
    client.head("POST", CONFIG_MAPS, { ...json, ...root, "content-length": LARGE });
    await client.until(/ 504 /);
  };

  test("an answer that nobody reads is cut off", async () => {
    const data = { large: "x".repeat(900_000) };
    for (let index = 0; index < 12; index++) {
      await server.ask("POST", CONFIG_MAPS, configMap(`large-${index}`, JSON.stringify(data)));
    }
    using client = await open();
    client.head("GET", CONFIG_MAPS, root);
    await client.until(/ 200 /);
    client.socket.pause();
    await timePasses();
    client.socket.resume();
    await client.closed;
    const length = Number(/content-length: (\d+)/i.exec(client.received)?.[1]);
    expect(length).toBeGreaterThan(10_000_000);
    expect(client.received.length).toBeLessThan(length);
  });

  test("watches and waits take longer than requests may", async () => {
    const name = `watched-${secure}`;
    using watch = await open();
    watch.head("GET", `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3D${name}`, root);
    await watch.until(/ 200 /);
    using wait = await open();
    const query = { kind: "v1/ConfigMap", name };
    const body = JSON.stringify({ query, condition: "object != null", timeout: "1m" });
    wait.head("POST", "/egret/v1/wait", { ...json, ...root, "content-length": body.length });
    wait.send(body);
    await timePasses();
    await timePasses();
    expect([watch.socket.closed, wait.received]).toEqual([false, ""]);
    await server.ask("POST", CONFIG_MAPS, configMap(name));
    await wait.until(/ 200 /);
    await watch.until(new RegExp(`"ADDED".*${name}`));
  });
});
