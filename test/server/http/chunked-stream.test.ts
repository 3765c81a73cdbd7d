// Chunks of a stream go past Node's answer: the client must read what it would have read, whatever their lengths.
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyReply } from "fastify";
import { afterEach, expect, test } from "vitest";
import { answerOutlet } from "../../../src/apiserver/http/streams.ts";

const SAME = Buffer.from("the same\n");
let server: Server | undefined;
afterEach(() => server?.close());

/** The body that a client reads of these chunks, on a connection that is used twice. */
async function readBack(chunks: readonly Uint8Array[]): Promise<Buffer> {
  server = createServer(async (_request, raw) => {
    const response = { status: 200, headers: { "content-type": "text/plain" }, body: undefined };
    const outlet = answerOutlet({ raw } as unknown as FastifyReply, response);
    const sink = outlet.open(() => {});
    for (const chunk of chunks) await sink.write(chunk);
    outlet.end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const read = () =>
    new Promise<Buffer>((resolve, reject) => {
      get({ port, host: "127.0.0.1", agent: false }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part)).on("error", reject);
        answer.on("end", () => resolve(Buffer.concat(parts)));
      }).on("error", reject);
    });
  await read();
  return read();
}

test.each([
  ["one short chunk twice", [Buffer.from("a\n"), Buffer.from("a\n")]],
  ["the same bytes again and again", Array.from({ length: 50 }, () => SAME)],
  ["nothing between two chunks", [Buffer.from("a"), Buffer.alloc(0), Buffer.from("b")]],
  [
    "long ones among short ones",
    Array.from({ length: 60 }, (_, at) => Buffer.from(`${at} ${"x".repeat(at % 5 === 0 ? 20_000 : 50)}\n`)),
  ],
  ["short and long ones in turns", [Buffer.alloc(70_000, "x"), SAME, Buffer.alloc(2_500_000, "y"), SAME]],
])("%s", async (_name, chunks) => {
  expect((await readBack(chunks)).equals(Buffer.concat(chunks))).toBe(true);
});
