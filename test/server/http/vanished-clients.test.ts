// A client may go while its answer is being made. What was to be streamed to it must end nevertheless.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import type { FastifyReply } from "fastify";
import { expect, test } from "vitest";
import { answerOutlet, Streams } from "../../../src/http/streams.ts";

const RESPONSE = { status: 200, headers: { "content-type": "text/plain" }, body: undefined };

/** Sends a stream that lasts as long as its client. */
async function streamTo(raw: unknown): Promise<void> {
  const outlet = answerOutlet({ raw } as FastifyReply, RESPONSE);
  await new Streams().send(outlet, async (sink, signal) => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await sink.write(Buffer.from("nobody reads it\n"));
  });
}

test("over HTTP/1.1", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  const [, raw] = await once(server, "request");
  client.destroy();
  await once(raw, "close");
  expect(await streamTo(raw)).toBeUndefined();
  server.close();
});

test("over HTTP/2", async () => {
  const server = createHttp2Server().listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.request({ ":path": "/" }).on("error", () => {});
  const [, raw] = await once(server, "request");
  session.destroy();
  await once(raw, "close");
  expect(await streamTo(raw)).toBeUndefined();
  server.close();
});
