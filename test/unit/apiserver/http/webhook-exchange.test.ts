// HTTP behavior of the webhook client: keep-alive connections, redirects, gzip answers, and retries.

import type { RequestListener } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { describeExchange } from "../../../../src/apimachinery/go/client-errors.ts";
import { systemClock } from "../../../../src/apimachinery/meta/clock.ts";
import { createWebhookClient } from "../../../../src/apiserver/http/webhook-client.ts";
import { makeCertificate } from "../../../support/certificates.ts";

const HOST = "127.0.0.1";
const ca = makeCertificate({ subject: "ca", ca: true });
const own = makeCertificate({ subject: "webhook", hosts: [HOST, "localhost"], issuer: ca });
const CERTIFICATE = { cert: own.pem, key: own.keyPem };

const servers: (Server | Http2SecureServer)[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server | Http2SecureServer): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener): Promise<number> => listen(createServer(CERTIFICATE, listener));

const postTo = (port: number, more: { timeoutMs?: number; body?: string; offersHttp2?: boolean } = {}) => ({
  ...{ host: HOST, port, path: "/x?timeout=2s", servername: HOST, authority: `${HOST}:${port}` },
  ...{ ca: ca.pem, body: "{}", keepsName: false, offersHttp2: true, timeoutMs: 20_000, ...more },
});
const textOf = async (answer: Promise<{ readonly body: Buffer }>) => (await answer).body.toString();
/** As an error of admission shows it, without ports. */
const failureOf = async (answer: Promise<unknown>) => {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return describeExchange("https://first/x", error).replaceAll(/127\.0\.0\.1:\d+/g, "HOST");
};

test("headers are those of a kube-apiserver", async () => {
  const seen: unknown[] = [];
  const port = await serve((request, response) => {
    const { host, connection, ...headers } = request.headers;
    seen.push(request.method, request.url, headers);
    response.end();
  });
  await createWebhookClient(systemClock)(postTo(port));
  expect(seen).toEqual([
    "POST",
    "/x?timeout=2s",
    {
      accept: "application/json, */*",
      "accept-encoding": "gzip",
      "content-type": "application/json",
      "content-length": "2",
      "user-agent": "kube-apiserver-admission",
    },
  ]);
});

describe("connections", () => {
  test("are kept for the next request", async () => {
    const ports = new Set<number | undefined>();
    const port = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("x");
    });
    const post = createWebhookClient(systemClock);
    for (let times = 0; times < 5; times++) expect(await textOf(post(postTo(port)))).toBe("x");
    expect(ports.size).toBe(1);
    await Promise.all(Array.from({ length: 4 }, () => post(postTo(port))));
    expect(ports.size).toBe(4);
  });

  test("that the server has closed meanwhile are not used", async () => {
    const port = await serve((_request, response) => {
      response.end("x", () => setImmediate(() => response.socket?.end()));
    });
    const post = createWebhookClient(systemClock);
    for (let times = 0; times < 20; times++) expect(await textOf(post(postTo(port)))).toBe("x");
  });

  test("a request is not repeated when its connection ends without an answer", async () => {
    let requests = 0;
    const port = await serve((request, response) => {
      requests++;
      if (requests === 1) response.end("x");
      else request.socket.destroy();
    });
    const post = createWebhookClient(systemClock);
    await post(postTo(port));
    expect(await failureOf(post(postTo(port)))).toBe('Post "https://first/x": EOF');
    expect(requests).toBe(2);
  });
});

describe("HTTP/2", () => {
  test("is spoken with a local server that offers it, over one connection", async () => {
    const versions: string[] = [];
    const sessions = new Set<unknown>();
    const server = createSecureServer({ ...CERTIFICATE, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      if (request.httpVersion === "2.0") sessions.add(request.stream.session);
      request.resume();
      response.writeHead(200, { "content-type": "a/b" });
      response.end("x");
    });
    const port = await listen(server);
    const post = createWebhookClient(systemClock);
    const answer = await post(postTo(port));
    expect([answer.status, answer.contentType, answer.body.toString()]).toEqual([200, "a/b", "x"]);
    expect(await textOf(post(postTo(port)))).toBe("x");
    expect(await textOf(post(postTo(port, { offersHttp2: false })))).toBe("x");
    expect([versions, sessions.size]).toEqual([["2.0", "2.0", "1.1"], 1]);
    for (const session of sessions) (session as { destroy(): void }).destroy();
  });
});

describe("redirects", () => {
  test.each([
    [301, "GET", ""],
    [302, "GET", ""],
    [303, "GET", ""],
    [307, "POST", "{}"],
    [308, "POST", "{}"],
  ])("%i is followed with %s", async (status, method, sent) => {
    const port = await serve(async (request, response) => {
      if (request.url === "/x?timeout=2s") {
        response.writeHead(status, { location: "/y?z=1" });
        response.end();
        return;
      }
      let text = "";
      for await (const chunk of request) text += chunk;
      response.end(`${request.method} ${request.url} ${text}`);
    });
    expect(await textOf(createWebhookClient(systemClock)(postTo(port)))).toBe(`${method} /y?z=1 ${sent}`);
  });

  test("without a location are the answer", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(302);
      response.end("x");
    });
    expect(await createWebhookClient(systemClock)(postTo(port))).toMatchObject({ status: 302 });
  });

  test("end after ten", async () => {
    let requests = 0;
    const port = await serve((_request, response) => {
      requests++;
      response.writeHead(307, { location: "/again" });
      response.end();
    });
    const post = createWebhookClient(systemClock);
    expect(await failureOf(post(postTo(port)))).toBe('Post "/again": stopped after 10 redirects');
    expect(requests).toBe(10);
  });

  test("an error names where it happened", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(302, { location: "https://127.0.0.1:1/z" });
      response.end();
    });
    expect(await failureOf(createWebhookClient(systemClock)(postTo(port)))).toBe(
      'Post "https://HOST/z": dial tcp HOST: connect: connection refused',
    );
  });
});

describe("answers", () => {
  test("are unzipped, within the limit", async () => {
    const port = await serve((request, response) => {
      const large = request.url === "/large";
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(large ? Buffer.alloc(20_000_000) : "zipped"));
    });
    const post = createWebhookClient(systemClock);
    expect(await textOf(post(postTo(port)))).toBe("zipped");
    expect(await failureOf(post({ ...postTo(port), path: "/large" }))).toMatch(
      /the answer is larger than 8388616 bytes$/,
    );
  });

  test.each<[string, RequestListener, string]>([
    [
      "that end early",
      (_request, response) => {
        response.writeHead(200, { "content-length": 10 });
        response.write("half", () => setTimeout(() => response.socket?.destroy(), 20));
      },
      "unexpected EOF",
    ],
    [
      "that are no gzip",
      (_request, response) => {
        response.writeHead(200, { "content-encoding": "gzip" });
        response.end("plain");
      },
      "gzip: invalid header",
    ],
    ["that take too long", (_request, response) => void response.write("half"), "context deadline exceeded"],
  ])("%s are not the answer", async (_what, listener, why) => {
    const port = await serve(listener);
    expect(await failureOf(createWebhookClient(systemClock)(postTo(port, { timeoutMs: 1000 })))).toBe(
      `unexpected error when reading response body. Please retry. Original error: ${why}`,
    );
  });

  test("that say when to ask again are asked for again", async () => {
    let requests = 0;
    const port = await serve((_request, response) => {
      requests++;
      if (requests < 3) response.writeHead(requests === 1 ? 429 : 503, { "retry-after": "0" });
      response.end(`${requests}`);
    });
    expect(await textOf(createWebhookClient(systemClock)(postTo(port)))).toBe("3");
  });

  test("are waited for no longer than the whole time allows", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(503, { "retry-after": "5" });
      response.end();
    });
    expect(await failureOf(createWebhookClient(systemClock)(postTo(port, { timeoutMs: 200 })))).toBe(
      'Post "https://first/x": context deadline exceeded',
    );
  });
});
