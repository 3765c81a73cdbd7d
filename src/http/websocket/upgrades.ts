// Requests that ask for another protocol on their connection. A watch may go on as WebSocket; whatever else is asked for
// is answered as if it had not been, as a Go server does, which Node by itself does only where nobody wants upgrades at all.
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { parseRequestInfo, Query } from "../../apiserver/request/request-info.ts";
import { splitUrl } from "../../apiserver/request/url.ts";
import { withProtocolToken } from "../authentication/protocol-token.ts";
import { hasBody } from "../request-bodies.ts";

/** A connection on which a WebSocket may begin. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What has been read already of what comes after the request. */
  readonly head: Buffer;
  /** A protocol was named that stands for a token, and nobody can make sense of it. */
  readonly hasWrongToken: boolean;
}

export class Upgrades {
  readonly #asked = new WeakMap<IncomingMessage, Upgrade>();
  /** Most servers are never asked. */
  #anybody = false;
  /** Node does not close connections any more that it has handed over. */
  readonly #open = new Set<Duplex>();

  constructor(fastify: FastifyInstance, encrypted: boolean) {
    const arrival = encrypted ? "secureConnection" : "connection";
    // Since 24.9 Node asks which requests are wanted; before, all of them are handed over.
    Object.assign(fastify.server, { shouldUpgradeCallback: isWebSocketWatch });
    fastify.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (isWebSocketWatch(request)) this.#answer(fastify, request, socket, head);
      else {
        socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
        fastify.server.emit(arrival, socket);
      }
    });
    fastify.addHook("preClose", async () => {
      for (const socket of this.#open) socket.destroy();
    });
  }

  /** undefined: the request is none that may go on as WebSocket. */
  of(request: IncomingMessage): Upgrade | undefined {
    return this.#anybody ? this.#asked.get(request) : undefined;
  }

  /** The request goes the way of all others. If its answer is an ordinary one the connection ends with it. */
  #answer(fastify: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    socket.on("error", () => socket.destroy()); // the client has gone; who sends to it learns that by "close"
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.once("finish", () => endSoon(socket));
    try {
      response.assignSocket(request.socket);
    } catch {
      socket.destroy(); // the answer to the request before this one is on its way still
      return;
    }
    const headers = withProtocolToken(request.headers);
    if (headers) request.headers = headers;
    this.#anybody = true;
    this.#asked.set(request, { socket, head, hasWrongToken: headers === undefined });
    fastify.routing(request, response);
  }
}

/** Closes a connection once everything is sent. */
export function endSoon(socket: Duplex): void {
  socket.end(() => socket.destroy());
}

function isWebSocketWatch(request: IncomingMessage): boolean {
  const { method = "", url = "", headers } = request;
  if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket" || hasBody(request)) return false;
  const [path, query] = splitUrl(url);
  return parseRequestInfo(method, path, new Query(query)).verb === "watch";
}

/** The head of a request as it came, but for the header that asks for another protocol. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.toLowerCase() !== "upgrade") lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
