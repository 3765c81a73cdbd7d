// The connections below requests, for faults that break them: by the hand of the server, but in the ways in which networks
// do it. Below TLS and HTTP/2 lies a TCP connection of which neither lets go, so those are kept by their addresses.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Connection } from "../apiserver/api-request.ts";
import type { Clock } from "../meta/clock.ts";
import { noteNewcomer } from "../meta/turns.ts";
import { hasAnswer } from "./request-head.ts";

type Peer = Pick<Socket, "remoteAddress" | "remotePort">;

const peerOf = ({ remoteAddress, remotePort }: Peer): string => `${remoteAddress} ${remotePort}`;

export class Connections {
  /** Those that somebody may be waiting for. */
  readonly #watched = new Set<AbortController>();
  /** Only what is encrypted. */
  readonly #byPeer = new Map<string, Socket>();

  constructor({ server }: FastifyInstance, encrypted: boolean) {
    server.on("connection", noteNewcomer);
    if (!encrypted) return;
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      this.#byPeer.set(peer, socket);
      socket.once("close", () => this.#byPeer.delete(peer));
    });
  }

  /** The server stops: nobody need wait for clients any more. */
  stop(): void {
    for (const gone of this.#watched) gone.abort();
  }

  /** The connection by which a request came. */
  of({ raw: request }: FastifyRequest, { raw: response }: FastifyReply): Connection {
    const tcp = this.#byPeer.get(peerOf(request.socket)) ?? request.socket;
    return {
      reset: () => afterWrites(response, () => tcp.resetAndDestroy()),
      close: () => afterWrites(response, () => tcp.destroySoon()),
      halfClose: () => afterWrites(response, () => tcp.end()),
      gone: this.#watch(request, response),
    };
  }

  /** A signal that aborts when the connection closes, the answer has been sent, or the server stops. */
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

/** Runs once what has been written is on its way. HTTP/2 does not tell when that is: one turn later it has been handed over. */
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
/** Nobody is told that he was too slow, and who has gone hears nothing. */
const UNANSWERED = new Set(["ERR_HTTP_REQUEST_TIMEOUT", "ECONNRESET"]);

/**
 * Answers what is no request as Go's net/http does, and closes the connection. What the client still sends is read for a
 * while: had it not been, the connection would break, and the answer with it.
 */
export function refuseUnreadable(
  lingerMs: number,
  clock: Clock,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const answered = new WeakSet<Socket>();
  return (error, socket) => {
    if (answered.has(socket)) return; // what comes after is no request either
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
