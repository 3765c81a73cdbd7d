// Cheap requests, sent again and again.
import { once } from "node:events";
import { createServer, get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cpuMs } from "../support/cpu-time.ts";
import { Besieged } from "./besieged.ts";

let server: Besieged;
beforeAll(async () => {
  server = await Besieged.start();
});
afterAll(() => server?.[Symbol.asyncDispose]());

test("invented names do not fill the metrics", async () => {
  const long = "x".repeat(2000);
  for (let index = 0; index < 300; index++) {
    await server.ask("GET", `/apis/${long}-${index}/v1/${long}`);
    await server.ask("GET", `/api/v1/namespaces/default/pods/p/${long}-${index}`);
  }
  await server.ask("GET", "/api/v1/namespaces/default/pods/p");
  const { text } = await server.ask("GET", "/metrics");
  expect(text.length).toBeLessThan(200_000);
  expect(text).not.toContain("xxx");
  expect(text).toContain(
    'apiserver_request_total{verb="GET",group="",version="",resource="",subresource="",code="404"} ',
  );
  expect(text).toContain(
    'apiserver_request_total{verb="GET",group="",version="v1",resource="pods",subresource="",code="404"} 1\n',
  );
});

test.each([
  ["/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"],
  ["/openapi/v3/api/v1", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"],
  ["/openapi/v2", "application/json"],
])("%s as %s costs little more than to send its bytes, until the kinds change", async (path, accept) => {
  const headers = { authorization: "Bearer root", accept };
  const { headers: sent, body: first } = await undecoded(server.url + path, headers);
  expect(first.length).toBeGreaterThan(100_000);
  await using plain = await plainServer(sent, first);
  const roundMs = async (url: string) => {
    const before = cpuMs();
    for (let index = 0; index < 10; index++) {
      const { body } = await undecoded(url, headers);
      expect(body.equals(first)).toBe(true);
    }
    return cpuMs() - before;
  };
  // This process also runs the client and other tests, whose cost is part of the rounds of both servers.
  const egretMs: number[] = [];
  const plainMs: number[] = [];
  for (let round = 0; round < 4; round++) {
    plainMs.push(await roundMs(plain.url));
    egretMs.push(await roundMs(server.url + path));
  }
  expect(Math.min(...egretMs)).toBeLessThan(3 * Math.min(...plainMs) + 50);
});

/** Returns the answer in wire format, compressed or not. */
async function undecoded(url: string, headers: Record<string, string>) {
  const asked = get(url, { headers: { ...headers, "accept-encoding": "gzip" } });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { headers: answer.headers, body: Buffer.concat(chunks) };
}

/** A plain Node server that answers every request with the same bytes. */
async function plainServer({ "content-encoding": encoding }: IncomingHttpHeaders, body: Buffer) {
  const plain = createServer((_request, response) => {
    if (encoding !== undefined) response.setHeader("content-encoding", encoding);
    response.end(body);
  });
  await once(plain.listen(0, "127.0.0.1"), "listening");
  const { port } = plain.address() as AddressInfo;
  const stop = async () => {
    plain.closeAllConnections();
    await once(plain.close(), "close");
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}
