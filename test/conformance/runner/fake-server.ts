// A minimal server with objects, revisions and watches, for tests of the runner itself.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface FakeObject {
  metadata: { name: string } & Record<string, unknown>;
  [member: string]: unknown;
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface FakeServer extends AsyncDisposable {
  readonly url: string;
  /** Paths of the objects that exist. */
  readonly paths: () => string[];
  readonly seen: readonly SeenRequest[];
}

export async function startFakeServer(): Promise<FakeServer> {
  const objects = new Map<string, FakeObject>();
  const watchers = new Set<ServerResponse>();
  const seen: SeenRequest[] = [];
  let revision = 100;

  const publish = (type: string, object: unknown) => {
    for (const watcher of watchers) watcher.write(`${JSON.stringify({ type, object })}\n`);
  };
  const write = (path: string, object: FakeObject, type: "ADDED" | "MODIFIED") => {
    revision += 1;
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    objects.set(path, written);
    publish(type, written);
    return written;
  };
  const create = (collection: string, body: FakeObject) => {
    const { generateName } = body.metadata as { generateName?: string }; // what the test sent
    const name = generateName === undefined ? body.metadata.name : `${generateName}bcdfg`;
    const creationTimestamp = new Date().toISOString().replace(/\.\d+/, "");
    const metadata = { ...body.metadata, name, uid: randomUUID(), creationTimestamp };
    return write(`${collection}/${name}`, { ...body, metadata }, "ADDED");
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://fake");
    const path = url.pathname;
    const body = await text(request);
    seen.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    const found = objects.get(path);
    const answer = (status: number, value: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (path === "/plain") return void response.writeHead(200, { "content-type": "text/plain" }).end("ok");
    if (url.searchParams.has("watch")) {
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      watchers.add(response);
      response.on("close", () => watchers.delete(response));
      return;
    }
    const decoded = body === "" ? {} : JSON.parse(body);
    if (request.method === "POST") return answer(201, create(path, decoded));
    if (!found) return answer(404, { kind: "Status", code: 404, message: `${path} not found` });
    if (request.method === "PATCH")
      return answer(200, write(path, { ...found, ...decoded, metadata: found.metadata }, "MODIFIED"));
    if (request.method === "DELETE") {
      objects.delete(path);
      publish("DELETED", found);
    }
    answer(200, found);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens

  return {
    url: `http://127.0.0.1:${port}`,
    paths: () => [...objects.keys()],
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
