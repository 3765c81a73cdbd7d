// A client may go while its answer is being made. What was to be streamed to it must end nevertheless.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect, type Server } from "node:net";
import type { FastifyReply } from "fastify";
import { expect, test } from "vitest";
import { answerOutlet, Streams } from "../../../src/apiserver/http/streams.ts";

const RESPONSE = { status: 200, headers: { "content-type": "text/plain" }, body: undefined };

/** Sends a stream that lasts as long as its client. */
async function streamTo(raw: unknown): Promise<void> {
  const outlet = answerOutlet({ raw } as FastifyReply, RESPONSE);
  await new Streams().send(outlet, async (sink, signal) => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await sink.write(Buffer.from("nobody reads it\n"));
  });
}

/** What a server would answer with to a client that has gone since it asked. */
async function answerTo(server: Server, ask: (port: number) => { destroy(): void }): Promise<unknown> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = ask((server.address() as AddressInfo).port);
  const [, raw] = await once(server, "request");
  client.destroy();
  await once(raw, "close");
  server.close();
  return raw;
}

test("over HTTP/1.1", async () => {
  const raw = await answerTo(createServer(), (port) => {
    const client = connect(port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    return client;
  });
  expect(await streamTo(raw)).toBeUndefined();
});

test("over HTTP/2", async () => {
  const raw = await answerTo(createHttp2Server(), (port) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.request({ ":path": "/" }).on("error", () => {});
    return session;
  });
  expect(await streamTo(raw)).toBeUndefined();
});
