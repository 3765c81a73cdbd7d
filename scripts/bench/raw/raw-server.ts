// A bare fastify server in a process of its own, which answers with prepared bytes: what no server built on fastify
// can pass. GET /bytes/SIZE.
import Fastify from "fastify";

const app = Fastify({ logger: false });
const buffers = new Map<number, Buffer>();

app.get<{ Params: { size: string } }>("/bytes/:size", (request, reply) => {
  const size = Number(request.params.size);
  let buffer = buffers.get(size);
  if (buffer === undefined) {
    buffer = Buffer.alloc(size, "x");
    buffers.set(size, buffer);
  }
  reply.type("application/json").send(buffer);
});

process.on("disconnect", () => process.exit(0)); // the bench has gone
process.send?.(await app.listen({ host: "127.0.0.1", port: 0 }));
