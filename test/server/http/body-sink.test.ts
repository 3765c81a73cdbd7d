import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BodySink } from "../../../src/apiserver/endpoints/api-request.ts";
import { createBodySink } from "../../../src/apiserver/http/streams.ts";

const CHUNK = Buffer.alloc(256 * 1024);

let server: Server;
let onSink: (sink: BodySink) => void;
beforeEach(async () => {
  server = createServer((_request, response) => onSink(createBodySink(response)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** The sink for a client that reads nothing. */
async function sinkForIdler() {
  const given = new Promise<BodySink>((resolve) => {
    onSink = resolve;
  });
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  return { sink: await given, socket };
}

/** Until the client's and the system's buffers are full. */
async function writeUntilWaiting(sink: BodySink): Promise<{ readonly drained: Promise<void> }> {
  for (;;) {
    const waiting = sink.write(CHUNK);
    if (waiting === undefined) continue;
    const turn = new Promise<"still">((resolve) => setTimeout(resolve, 50, "still"));
    if ((await Promise.race([waiting, turn])) === "still") return { drained: waiting };
  }
}

test("a client that reads nothing is waited for until it is cut off", async () => {
  const { sink, socket } = await sinkForIdler();
  const { drained } = await writeUntilWaiting(sink);
  sink.cut?.();
  await drained;
  expect(sink.write(CHUNK)).toBeUndefined();
  socket.destroy();
});

test("a client that is not waited for is not cut off", async () => {
  const { sink, socket } = await sinkForIdler();
  expect(sink.write(Buffer.from("a"))).toBeUndefined();
  sink.cut?.();
  socket.resume();
  const read = new Promise<string>((resolve) => socket.on("data", (chunk) => resolve(chunk.toString())));
  expect(await read).toContain("200 OK");
  socket.destroy();
});
