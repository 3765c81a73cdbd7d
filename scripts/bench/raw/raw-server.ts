// A bare fastify server in a process of its own that answers with prepared bytes: an upper bound for any server on
// fastify. GET and POST /bytes/SIZE return that many bytes. POST /commit/SIZE first syncs that many to the disk. GET
// /watch stays open, and POST /emit/SIZE/SEQ writes one event to each watch. Its argument is the folder for its data.
import type { ServerResponse } from "node:http";
import Fastify from "fastify";
import { SEQ_LABEL, seqValue } from "../client/seq-mark.ts";
import { RawLevel } from "./raw-level.ts";

const app = Fastify({ logger: false });
const buffers = new Map<number, Buffer>();
const watchers = new Set<ServerResponse>();

function bytesOf(size: number): Buffer {
  let buffer = buffers.get(size);
  if (buffer === undefined) {
    buffer = Buffer.alloc(size, "x");
    buffers.set(size, buffer);
  }
  return buffer;
}

app.get<{ Params: { size: string } }>("/bytes/:size", (request, reply) => {
  reply.type("application/json").send(bytesOf(Number(request.params.size)));
});

app.post<{ Params: { size: string } }>("/bytes/:size", (request, reply) => {
  reply.type("application/json").send(bytesOf(Number(request.params.size)));
});

let commits = 0;
app.post<{ Params: { size: string } }>("/commit/:size", async (request, reply) => {
  const bytes = bytesOf(Number(request.params.size));
  await level.put(commits++, bytes);
  return reply.code(201).type("application/json").send(bytes);
});

app.get("/watch", (_request, reply) => {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(200, { "content-type": "application/json" });
  raw.flushHeaders();
  watchers.add(raw);
  raw.on("close", () => watchers.delete(raw));
});

app.post<{ Params: { size: string; seq: string } }>("/emit/:size/:seq", (request, reply) => {
  const mark = `{"${SEQ_LABEL}":"${seqValue(Number(request.params.seq))}"}`;
  const event = Buffer.from(mark.padEnd(Number(request.params.size) - 1, " ").concat("\n"));
  for (const watcher of watchers) watcher.write(event);
  reply.send("{}");
});

const level = await RawLevel.open(process.argv[2] ?? "");
process.on("disconnect", () => process.exit(0)); // the bench has ended
process.send?.(await app.listen({ host: "127.0.0.1", port: 0 }));
