// Limits of one HTTP/2 connection: as many concurrent requests as a kube-apiserver allows, and no flood of requests that
// are reset at once.
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Besieged, CONFIG_MAPS } from "./besieged.ts";

const LIMITS = { requestMs: 1500, headersMs: 3000, idleMs: 1000, lingerMs: 200 };
const LARGE = 2_900_000;

let server: Besieged;
beforeAll(async () => {
  server = await Besieged.start({ secure: true }, { limits: LIMITS });
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function open(): Promise<ClientHttp2Session> {
  const session = connect(server.url, { rejectUnauthorized: false });
  session.on("error", () => {});
  await once(session, "remoteSettings");
  return session;
}

const post = (session: ClientHttp2Session, token: string): ClientHttp2Stream =>
  session.request({
    ":method": "POST",
    ":path": CONFIG_MAPS,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": LARGE,
  });

async function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  const [headers] = await once(stream, "response");
  return headers[":status"];
}

test("the server allows 100 requests at a time", async () => {
  const session = await open();
  expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
  session.destroy();
});

test.each([
  ["wrong", 401],
  ["see", 403],
  ["root", 504],
])("a body that does not come, of who shows the token %s, is answered with %i", async (token, status) => {
  const session = await open();
  const stream = post(session, token);
  stream.on("error", () => {});
  stream.write(Buffer.alloc(1000, 0x20));
  const closed = once(stream, "close");
  expect(await statusOf(stream)).toBe(status);
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  await closed;
  expect(JSON.parse(text)).toMatchObject({ kind: "Status", code: status });
  expect(session.closed).toBe(false);
  session.destroy();
});

test("a connection on which nothing is asked is closed, one with a watch is not", async () => {
  const [idle, watching] = [await open(), await open()];
  const watch = watching.request({ ":path": `${CONFIG_MAPS}?watch=1`, authorization: "Bearer root" });
  expect(await statusOf(watch)).toBe(200);
  await once(idle, "close");
  await statusOf(post(await open(), "root").on("error", () => {})); // as long as requests may take
  expect([watching.closed, watch.closed]).toEqual([false, false]);
  watching.destroy();
});

test("who does not go on after the TLS handshake is let go", async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connectTls({
    host: hostname,
    port: Number(port),
    ALPNProtocols: ["h2"],
    rejectUnauthorized: false,
  });
  socket.on("error", () => {}).resume();
  await once(socket, "secureConnect");
  await once(socket, "close");
});

test("requests that are taken back as soon as they are made end the connection, and others are served", async () => {
  const session = await open();
  const ended = new Promise((resolve) => session.once("close", resolve)); // with or without an error
  const flood = async () => {
    for (let round = 0; round < 200 && !session.destroyed && !session.closed; round++) {
      for (let index = 0; index < 90; index++) {
        const stream = session.request({ ":path": CONFIG_MAPS, authorization: "Bearer root" });
        stream.on("error", () => {});
        stream.close(8); // CANCEL
      }
      await sleep(1); // lets the server, which runs in this process, receive them
    }
  };
  await Promise.all([flood(), server.expectWell()]);
  await ended;
  await eventually(
    async () => (await server.ask("GET", "/metrics")).text,
    (text) => /apiserver_current_inflight_requests{request_kind="readOnly"} [01]\n/.test(text),
  );
});
