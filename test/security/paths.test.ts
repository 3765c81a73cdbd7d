// Paths, headers and methods that might bypass authorization.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getRaw, sendRaw } from "../support/sockets/raw-socket.ts";
import { Besieged, CONFIG_MAPS } from "./besieged.ts";

let server: Besieged;
beforeAll(async () => {
  server = await Besieged.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe("paths", () => {
  const viewer = ["Authorization: Bearer see"];

  test("the viewer may read what he may", async () => {
    const { status, body } = await getRaw(server.url, "/api/v1/namespaces/a/secrets/s", viewer);
    expect(status).toBe(200);
    expect(body).toContain(Buffer.from("a-secret").toString("base64"));
  });

  test.each([
    "/api/v1/namespaces/b/secrets/s",
    "/api/v1/namespaces/a/../b/secrets/s",
    "/api/v1/namespaces/a/%2e%2e/b/secrets/s",
    "/api/v1/namespaces/a%2f..%2fb/secrets/s",
    "/api/v1/namespaces/a/secrets/..%2f..%2fb%2fsecrets%2fs",
    "/api/v1/namespaces/a/secrets/../../b/secrets/s",
    "/api/v1/namespaces/a/secrets/%252e%252e%252fb%252fs",
    "/api/v1/namespaces/a//secrets/../../b/secrets",
    "//api/v1/namespaces/b/secrets/s",
    "/api//v1/namespaces/b/secrets/s",
    "/api/v1/namespaces//secrets",
    "/api/v1/./namespaces/b/secrets/s",
    "/api/v1/namespaces/b%00/secrets/s",
    "/api/v1/namespaces/a/secrets/%00../b/s",
    "/api/v1/namespaces/a%00/../b/secrets",
    "/api/v1/namespaces/a/secrets/s%00",
    "/api/v1/watch/namespaces/b/secrets/s",
    "/api/v1/namespaces/a/secrets/s/../../../b/secrets/s",
    "/api/v1/secrets?fieldSelector=metadata.namespace=a",
    "/api/v1/secrets?fieldSelector=metadata.name=s",
    "/api/v1/namespaces/a/../../../apis",
    "/%61pi/v1/namespaces/b/secrets/s",
    "http://127.0.0.1/api/v1/namespaces/b/secrets/s",
    "/api/v1/namespaces/a/secrets/s#/../../b",
    "/%",
    "/api/v1/namespaces/%c0%ae%c0%ae/secrets",
  ])("%s leads the viewer to nothing of others", async (path) => {
    const { status, body } = await getRaw(server.url, path, viewer);
    expect([301, 400, 403, 404]).toContain(status);
    expect(body).not.toContain(Buffer.from("b-secret").toString("base64"));
    expect(body).not.toContain(Buffer.from("a-secret").toString("base64"));
  });

  test.each([
    "/api/v1/namespaces/%00",
    "/api/v1/namespaces/a/secrets/..",
    "/api/v1/namespaces/a/secrets/a%2525",
    "/apis/__proto__",
    "/apis/constructor/v1/toString",
    "/api/__proto__/namespaces",
    "/api/v1/__proto__/constructor",
    "/apis/apps/constructor/deployments",
    "/api/v1/namespaces/a/pods/p/__proto__",
    "/openapi/v3/__proto__",
    "/openapi/v3/apis/constructor/v1",
    "/healthz/constructor",
    `/api/v1/namespaces/${"a".repeat(8000)}`,
    `/${"a/".repeat(5000)}`,
  ])("%s is a path to nothing for the admin too", async (path) => {
    const { status } = await getRaw(server.url, path, ["Authorization: Bearer root"]);
    expect([400, 404]).toContain(status);
  });

  test.each([
    [
      "two lengths",
      "POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    ],
    [
      "a length and chunks",
      "POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["no HTTP", "\u0016\u0003\u0001 hello\r\n\r\n"],
    ["a NUL in the path", "GET /api/\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a method that there is not", "BREW /api HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a very large header", `GET /api HTTP/1.1\r\nHost: localhost\r\nX-A: ${"a".repeat(1_100_000)}\r\n\r\n`],
  ])("%s is refused", async (_what, text) => {
    expect([400, 431]).toContain((await sendRaw(server.url, text)).status);
    await server.expectWell();
  });

  test.each(["TRACE", "PROPFIND"])("%s is a method that means nothing here", async (method) => {
    const head = `${method} ${CONFIG_MAPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer root\r\nConnection: close`;
    const { status, body } = await sendRaw(server.url, `${head}\r\n\r\n`);
    expect(status).toBe(405);
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", reason: "MethodNotAllowed" });
  });
});

describe("web pages", () => {
  test.each([
    ["another machine's name", ["Host: egret.example.com"], 403],
    ["a name that begins like this machine's", ["Host: localhost.example.com"], 403],
    ["an address that is not this machine's", ["Host: 128.0.0.1"], 403],
    ["this machine's name", ["Host: LOCALHOST:1"], 200],
    ["this machine's address", ["Host: [::1]:1"], 200],
  ])("a request to %s", async (_what, headers, status) => {
    const lines = ["GET /version HTTP/1.1", "Connection: close", ...headers, "", ""];
    expect((await sendRaw(server.url, lines.join("\r\n"))).status).toBe(status);
  });

  test.each([
    ["another site", "https://example.com", 403],
    ["another port of this machine", "http://127.0.0.1:1", 403],
    ["a page without a site", "null", 403],
    ["something empty", "", 403],
  ])("a request from %s", async (_what, origin, status) => {
    expect((await getRaw(server.url, "/version", [`Origin: ${origin}`])).status).toBe(status);
  });
});
