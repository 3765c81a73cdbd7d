// The connections below requests, for injected faults that break them as networks do. A TCP connection is not
// reachable through TLS or HTTP/2, so the TCP sockets of encrypted connections are kept by peer address.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import { noteNewRequest } from "../../apimachinery/scheduling/event-loop.ts";
import type { Connection } from "../endpoints/api-request.ts";
import { hasAnswer } from "./request-head.ts";

type Peer = Pick<Socket, "remoteAddress" | "remotePort">;

const peerOf = ({ remoteAddress, remotePort }: Peer): string => `${remoteAddress} ${remotePort}`;

export class Connections {
  /** Signals of requests whose handlers may be waiting. */
  readonly #watched = new Set<AbortController>();
  /** TCP sockets of encrypted connections only. */
  readonly #byPeer = new Map<string, Socket>();

  constructor({ server }: FastifyInstance, encrypted: boolean) {
    server.on("connection", noteNewRequest);
    if (!encrypted) return;
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      this.#byPeer.set(peer, socket);
      socket.once("close", () => this.#byPeer.delete(peer));
    });
  }

  /** The server stops: handlers no longer wait for clients. */
  stop(): void {
    for (const gone of this.#watched) gone.abort();
  }

  /** The connection of a request. */
  of({ raw: request }: FastifyRequest, { raw: response }: FastifyReply): Connection {
    const tcp = this.#byPeer.get(peerOf(request.socket)) ?? request.socket;
    return {
      reset: () => afterWrites(response, () => tcp.resetAndDestroy()),
      close: () => afterWrites(response, () => tcp.destroySoon()),
      halfClose: () => afterWrites(response, () => tcp.end()),
      gone: this.#watch(request, response),
    };
  }

  /** Aborts when the connection closes, the response has been sent, or the server stops. */
  #watch(request: IncomingMessage, response: ServerResponse): AbortSignal {
    const gone = new AbortController();
    if (request.socket.destroyed) gone.abort();
    else {
      this.#watched.add(gone);
      response.once("close", () => {
        this.#watched.delete(gone);
        gone.abort();
      });
    }
    return gone.signal;
  }
}

/**
 * Runs `act` after the written bytes have been handed to the socket. HTTP/2 does not report that; there one
 * event-loop turn is enough.
 */
function afterWrites({ socket, req }: ServerResponse, act: () => void): void {
  setImmediate(() => {
    if (socket === null || socket.destroyed || req.httpVersionMajor > 1) act();
    else socket.write("", () => act());
  });
}

const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
]);
const BAD_REQUEST = "400 Bad Request";
/** Errors without a response: the client was too slow, or has disconnected. */
const UNANSWERED = new Set(["ERR_HTTP_REQUEST_TIMEOUT", "ECONNRESET"]);

/**
 * Answers a malformed request as Go's net/http does, and closes the connection. Bytes that the client still sends
 * are read for `lingerMs`: closing with unread bytes would reset the connection and lose the response.
 */
export function refuseUnreadable(
  lingerMs: number,
  clock: Clock,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const answered = new WeakSet<Socket>();
  return (error, socket) => {
    if (answered.has(socket)) return; // bytes after a malformed request are no request either
    if (UNANSWERED.has(error.code ?? "") || !socket.writable) {
      socket.destroy();
      return;
    }
    answered.add(socket);
    if (hasAnswer(socket)) {
      socket.destroySoon();
      return;
    }
    const text = UNREADABLE.get(error.code ?? "") ?? BAD_REQUEST;
    const head = ["content-type: text/plain; charset=utf-8", "connection: close"];
    socket.end([`HTTP/1.1 ${text}`, ...head, "", text].join("\r\n"));
    clock.after(lingerMs, () => socket.destroy());
  };
}
