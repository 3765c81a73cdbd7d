// Upgrade requests over plain TCP and TLS: a watch may upgrade to WebSocket, a client may send its token as a subprotocol,
// and any other protocol is ignored as if the request had not named one.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";
import {
  openWatchSocket,
  refusedWatchSocket,
  type WatchSocketOptions,
} from "../../support/sockets/watch-socket.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const TOKENS = 'root,admin,1,"system:masters"\nsee,viewer,2,viewers\n';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-upgrades-"));
  await writeFile(join(folder, "tokens.csv"), TOKENS);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const inProtocol = (token: string) =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;

describe.each([
  ["plain TCP", false],
  ["TLS", true],
])("over %s", (_how, secure) => {
  let server: Server;
  beforeAll(async () => {
    server = await createServer({ ...MEMORY_SERVER, secure, tokenAuthFile: join(folder, "tokens.csv") });
  });
  afterAll(() => server?.close());

  const url = () => `${server.url}${MAPS}?watch=1&resourceVersion=0`;
  const trusting = (options: WatchSocketOptions): WatchSocketOptions => {
    const { authority } = server.kubeconfig;
    return { ...options, ...(authority === undefined ? {} : { ca: authority }) };
  };

  test.each([
    ["as a protocol", { protocols: [inProtocol("root"), "k8s"] }, "k8s"],
    ["as a protocol behind another", { protocols: ["k8s", inProtocol("root")] }, "k8s"],
    ["as a header", { headers: { authorization: "Bearer root" } }, ""],
  ])("a token is shown %s", async (_how, options, protocol) => {
    await using socket = await openWatchSocket(url(), trusting(options));
    expect(socket.protocol).toBe(protocol);
  });

  test.each([
    ["nobody knows", [inProtocol("wrong"), "k8s"], 401],
    ["that is not base64", ["base64url.bearer.authorization.k8s.io.r$", "k8s"], 401],
    ["that is no text", ["base64url.bearer.authorization.k8s.io._w", "k8s"], 401],
    ["with another", [inProtocol("root"), inProtocol("see"), "k8s"], 401],
    ["without another protocol", [inProtocol("root")], 401],
    ["of somebody who may not watch", [inProtocol("see"), "k8s"], 403],
    ["that is empty", [inProtocol(""), "k8s"], 403],
  ])("a token %s is refused", async (_which, protocols, status) => {
    expect(await refusedWatchSocket(url(), trusting({ protocols }))).toMatchObject({
      status,
      body: expect.stringContaining('"kind":"Status"'),
    });
  });

  /** Sends requests on one connection, each when the one before is answered, and gives the answers' first lines. */
  async function talk(requests: readonly string[]): Promise<string[]> {
    const { hostname: host, port } = new URL(server.url);
    const ca = server.kubeconfig.authority ?? "";
    const socket: Socket = secure
      ? connectTls({ host, port: Number(port), ca, ALPNProtocols: ["http/1.1"] })
      : connect({ host, port: Number(port) });
    let received = "";
    let onData = () => {};
    const ended = new Promise<never>((_resolve, reject) => {
      socket.on("close", () => reject(new Error(`closed after ${received}`)));
      socket.on("error", reject);
    });
    socket.on("data", (data) => {
      received += data.toString("latin1");
      onData();
    });
    const answers: string[] = [];
    for (const request of requests) {
      socket.write(`${request.replace("HOST", `${host}:${port}`)}`);
      const answered = new Promise<void>((resolve) => {
        onData = () => {
          const head = received.indexOf("\r\n\r\n");
          const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
          if (head >= 0 && received.length >= head + 4 + length) resolve();
        };
      });
      await Promise.race([answered, ended]);
      answers.push(received.split("\r\n", 1)[0] ?? "");
      received = "";
    }
    ended.catch(() => {});
    socket.destroy();
    return answers;
  }

  const head = (method: string, path: string, headers: readonly string[]) =>
    [`${method} ${path} HTTP/1.1`, "Host: HOST", "Authorization: Bearer root", ...headers, "", ""].join(
      "\r\n",
    );

  test("what asks for HTTP/2 is answered by HTTP/1.1, its body is read, and the connection stays", async () => {
    const h2c = [
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
    ];
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "a-" } });
    const json = ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const write = head("POST", MAPS, [...h2c, ...json]) + body;
    const read = head("GET", `${MAPS}?limit=1`, h2c);
    // More than the listeners that Node thinks much on one socket.
    const requests = Array.from({ length: 24 }, (_, index) => (index % 2 ? read : write));
    const answers = await talk(requests);
    expect(answers).toEqual(
      requests.map((request) => `HTTP/1.1 ${request === write ? "201 Created" : "200 OK"}`),
    );
  });

  test("what is no watch is answered as if WebSocket had not been asked for", async () => {
    const webSocket = ["Connection: upgrade", "Upgrade: WebSocket", "Sec-WebSocket-Version: 13"];
    expect(
      await talk([
        head("GET", `${MAPS}?limit=1`, webSocket),
        head("GET", "/healthz", webSocket),
        head("GET", "/nosuch", webSocket),
      ]),
    ).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found"]);
  });
});
