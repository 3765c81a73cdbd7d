// Connections to webhooks, kept for further requests as by Go's transport.
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Clock, Timer } from "../../../apimachinery/meta/clock.ts";
import { connectVerified, type Peer } from "./verified-socket.ts";

/** As in client-go's transports. */
const IDLE_PER_PEER_MAX = 25;
const IDLE_MS = 90_000;
const SESSIONS_MAX = 100;

const keyOf = ({ host, port, servername, ca = "", offersHttp2 }: Peer): string =>
  JSON.stringify([host, port, servername, offersHttp2, ca]);

/** The new connection has negotiated HTTP/2. Its session is kept. */
export class Http2Negotiated extends Error {
  readonly session: ClientHttp2Session;

  constructor(session: ClientHttp2Session) {
    super("HTTP/2 was negotiated");
    this.session = session;
  }
}

interface KeptSession {
  readonly session: ClientHttp2Session;
  /** Closes the session when it is idle for IDLE_MS. */
  idle: Timer;
}

export class Connections {
  /** For HTTP/1.1. */
  readonly agent: Agent;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, KeptSession>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.agent = new PeerAgent((peer, socket) => this.#keepSession(peer, socket));
  }

  /** The open HTTP/2 session with a peer. */
  sessionWith(peer: Peer): ClientHttp2Session | undefined {
    const kept = this.#sessions.get(keyOf(peer));
    if (kept === undefined || kept.session.closed || kept.session.destroyed) return undefined;
    kept.idle.cancel();
    kept.idle = this.#closeLater(kept.session);
    return kept.session;
  }

  #closeLater(session: ClientHttp2Session): Timer {
    return this.#clock.after(IDLE_MS, () => session.close());
  }

  #keepSession(peer: Peer, socket: TLSSocket): ClientHttp2Session {
    const key = keyOf(peer);
    const session = connectHttp2(`https://${peer.servername}:${peer.port}`, {
      createConnection: () => socket,
    });
    const forget = (): void => {
      const kept = this.#sessions.get(key);
      if (kept?.session !== session) return;
      kept.idle.cancel();
      this.#sessions.delete(key);
    };
    session.on("error", forget).on("close", forget).on("goaway", forget);
    session.unref();
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= SESSIONS_MAX) this.#sessions.delete(oldest);
    this.#sessions.set(key, { session, idle: this.#closeLater(session) });
    return session;
  }
}

/** Request options for the agent. */
export interface PeerOptions {
  readonly peer: Peer;
  /** Aborts connecting. */
  readonly ended: AbortSignal;
}

class PeerAgent extends Agent {
  readonly #openSession: (peer: Peer, socket: TLSSocket) => ClientHttp2Session;

  constructor(openSession: (peer: Peer, socket: TLSSocket) => ClientHttp2Session) {
    super({ keepAlive: true, maxFreeSockets: IDLE_PER_PEER_MAX, scheduling: "lifo", timeout: IDLE_MS });
    this.#openSession = openSession;
  }

  override getName(options?: object): string {
    return keyOf((options as PeerOptions).peer); // only this file's callers use the agent
  }

  override createConnection(
    options: object,
    done: (error: Error | null, stream: Duplex) => void = () => {},
  ): undefined {
    const { peer, ended } = options as PeerOptions;
    const fail = done as (error: Error) => void; // Node's callback accepts an error without a connection
    connectVerified(peer, ended, (error, socket) => {
      if (error !== undefined || socket === undefined) fail(error ?? new Error("EOF"));
      else if (socket.alpnProtocol === "h2") fail(new Http2Negotiated(this.#openSession(peer, socket)));
      else done(null, socket);
    });
    return undefined;
  }
}
