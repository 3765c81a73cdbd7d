// Upgrade requests. A watch may switch to WebSocket. Any other upgrade request is answered as if it had no Upgrade
// header, as by a Go server; Node does that by itself only without an "upgrade" listener.
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { withProtocolToken } from "../../authentication/protocol-token.ts";
import { parseRequestInfo, Query } from "../../endpoints/request/request-info.ts";
import { splitUrl } from "../../endpoints/request/url.ts";
import { hasBody } from "../request-bodies.ts";

/** A connection that may switch to WebSocket. */
export interface Upgrade {
  readonly socket: Duplex;
  /** Bytes after the request that have been read already. */
  readonly head: Buffer;
  /** A subprotocol carries a bearer token that cannot be decoded. */
  readonly hasWrongToken: boolean;
}

export class Upgrades {
  readonly #asked = new WeakMap<IncomingMessage, Upgrade>();
  /** Most servers never receive an upgrade request. */
  #anybody = false;
  /** Sockets of upgrade requests: the server does not close sockets that it has handed over. */
  readonly #open = new Set<Duplex>();

  constructor(fastify: FastifyInstance, encrypted: boolean) {
    const arrival = encrypted ? "secureConnection" : "connection";
    // Since 24.9 Node asks this callback; before, it hands over all upgrade requests.
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

  /** undefined: the request may not switch to WebSocket. */
  of(request: IncomingMessage): Upgrade | undefined {
    return this.#anybody ? this.#asked.get(request) : undefined;
  }

  /** Routes the request like all others. An ordinary response closes the connection. */
  #answer(fastify: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    socket.on("error", () => socket.destroy()); // the client has disconnected; writers learn that by "close"
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.once("finish", () => endSoon(socket));
    try {
      response.assignSocket(request.socket);
    } catch {
      socket.destroy(); // the response to the preceding request is incomplete
      return;
    }
    const headers = withProtocolToken(request.headers);
    if (headers) request.headers = headers;
    this.#anybody = true;
    this.#asked.set(request, { socket, head, hasWrongToken: headers === undefined });
    fastify.routing(request, response);
  }
}

/** Closes a connection after all bytes are sent. */
export function endSoon(socket: Duplex): void {
  socket.end(() => socket.destroy());
}

function isWebSocketWatch(request: IncomingMessage): boolean {
  const { method = "", url = "", headers } = request;
  if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket" || hasBody(request)) return false;
  const [path, query] = splitUrl(url);
  return parseRequestInfo(method, path, new Query(query)).verb === "watch";
}

/** The head of a request as received, without the header that asks for an upgrade. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.toLowerCase() !== "upgrade") lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
