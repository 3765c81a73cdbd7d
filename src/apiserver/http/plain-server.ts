// A small HTTP server for processes that serve a few fixed documents and load none of the API server's code.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface PlainAnswer {
  readonly code: number;
  readonly type: "application/json" | "text/plain; charset=utf-8";
  readonly text: string;
}

/** The response to a GET of a path, without its query. */
export type PlainRoutes = (path: string) => PlainAnswer;

export interface PlainServer extends AsyncDisposable {
  /** The listening port; a free one where 0 was given. */
  readonly port: number;
}

const METHODS = ["GET", "HEAD"];

/** Rejects where it cannot listen on the address. Disposal ends open connections. */
export async function listenPlainly(host: string, port: number, routes: PlainRoutes): Promise<PlainServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const isRead = METHODS.includes(request.method ?? "");
    const { code, type, text } = isRead ? routes(path) : METHOD_NOT_ALLOWED;
    response.writeHead(code, { "content-type": type }).end(request.method === "HEAD" ? undefined : text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  return { port: portOf(server), [Symbol.asyncDispose]: () => close(server) };
}

const METHOD_NOT_ALLOWED: PlainAnswer = {
  code: 405,
  type: "text/plain; charset=utf-8",
  text: "Method Not Allowed\n",
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port; // it listens on a port

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
