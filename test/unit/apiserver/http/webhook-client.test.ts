import { createServer, type Server } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { createWebhookClient } from "../../../../src/apiserver/http/webhook-client.ts";
import { makeCertificate } from "../../../support/certificates.ts";

const HOST = "127.0.0.1";
const LIMIT = 8 * 1024 * 1024;
const ca = makeCertificate({ subject: "ca", ca: true });
const own = makeCertificate({ subject: "webhook", hosts: [HOST, "hook.default.svc"], issuer: ca });
const post = createWebhookClient(systemClock);

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Answers each request with so many bytes. Returns what a client needs. */
async function serve(bytes: number, seen: { host?: string | undefined } = {}) {
  server = createServer({ cert: own.pem, key: own.keyPem }, (request, response) => {
    seen.host = request.headers.host;
    request.resume();
    response.on("error", () => {});
    request.on("end", () => response.end(Buffer.alloc(bytes, "x")));
  });
  await new Promise<void>((resolve) => server?.listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo;
  return postTo(port);
}

const postTo = (port: number, more: { readonly timeoutMs?: number } = {}) => ({
  ...{ host: HOST, port, path: "/", servername: HOST, authority: `${HOST}:${port}`, ca: ca.pem, body: "{}" },
  ...{ keepsName: false, offersHttp2: true, timeoutMs: 20_000, ...more },
});

test("an answer may be as long as the limit", async () => {
  const answer = await post(await serve(LIMIT));
  expect([answer.status, answer.body.length]).toEqual([200, LIMIT]);
});

test("a longer answer is not read to its end", async () => {
  await expect(post(await serve(60_000_000))).rejects.toThrow(/^the answer is larger than 8388616 bytes$/);
});

test("the answer to a long request may be longer", async () => {
  const body = "x".repeat(1024 * 1024);
  const answer = await post({ ...(await serve(LIMIT + 4 * body.length)), body });
  expect(answer.body.length).toBe(LIMIT + 4 * body.length);
  await expect(post({ ...(await serve(LIMIT + 4 * body.length + 1)), body })).rejects.toThrow(
    "is larger than",
  );
});

test("a Service is verified, and addressed, by its own name", async () => {
  const seen: { host?: string } = {};
  const to = await serve(1, seen);
  const service = { ...to, servername: "hook.default.svc", authority: `hook.default.svc:${to.port}` };
  expect(await post(service)).toMatchObject({ status: 200 });
  expect(seen.host).toBe(`hook.default.svc:${to.port}`);
  await expect(post({ ...to, servername: "other.default.svc" })).rejects.toThrow(
    `tls: failed to verify certificate: x509: certificate is valid for hook.default.svc, not other.default.svc`,
  );
});

test("the time for an answer includes the handshake", async () => {
  const silent = createTcpServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(0, HOST, resolve));
  const { port } = silent.address() as AddressInfo;
  await expect(post(postTo(port, { timeoutMs: 100 }))).rejects.toThrow("context deadline exceeded");
  silent.close();
});
