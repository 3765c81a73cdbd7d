// Open connections, bounded in total and per address. A connection above a limit closes the one that has been idle
// for the longest time; without an idle one, the oldest connection of a user with a large share; otherwise it is
// rejected. Thus idle clients cannot exhaust the file descriptors that the store and late-loaded modules need.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, ServerHttp2Session } from "node:http2";
import { isIPv6, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { isPrivileged } from "../authorization/access-check.ts";
import type { ConnectionLimits } from "./descriptors.ts";

interface Tracked {
  readonly socket: Socket;
  readonly address: Address;
  /** Requests in flight, including watches. */
  requests: number;
  /** Of HTTP/2. */
  session?: ServerHttp2Session;
  /**
   * The user of the last request; undefined: no request yet, or a user with full permissions, whose connections are
   * never closed for others.
   */
  user: Holder | undefined;
}

interface Address {
  readonly key: string;
  readonly connections: Set<Tracked>;
  /** Connections without requests, the one idle for the longest time first. */
  readonly idle: Set<Tracked>;
}

interface Holder {
  readonly name: string;
  /** Connections with requests, the oldest first. */
  readonly busy: Set<Tracked>;
}

/** A user with more than this fraction of all connections loses the oldest one to a new client. */
const LARGE_SHARE = 4;
/** Idle connections that are closed when the process has no free descriptor. */
const RELIEVED_AT_ONCE = 16;

type Peer = Pick<Socket, "remoteAddress" | "remotePort">;
const peerOf = ({ remoteAddress, remotePort }: Peer): string => `${remoteAddress} ${remotePort}`;

type User = Parameters<typeof isPrivileged>[0] & { readonly name: string };

export class OpenConnections {
  readonly #limits: ConnectionLimits;
  readonly #addresses = new Map<string, Address>();
  readonly #users = new Map<string, Holder>();
  /** By socket or HTTP/2 session. */
  readonly #tracked = new WeakMap<object, Tracked>();
  /** Encrypted connections only: a TLS socket does not expose its TCP socket. */
  readonly #byPeer = new Map<string, Tracked>();
  readonly #encrypted: boolean;
  #count = 0;
  /** Called when a connection has no request any more, or is closed. */
  #onLess: (() => void) | undefined;

  constructor({ server }: Pick<FastifyInstance, "server">, limits: ConnectionLimits, encrypted: boolean) {
    this.#limits = limits;
    this.#encrypted = encrypted;
    server.on("connection", (socket: Socket) => this.#add(socket));
    if (!encrypted) return;
    server.on("secureConnection", (socket: Socket) => this.#link(socket, socket));
    server.on("session", (session: ServerHttp2Session) => this.#link(session, session.socket, session));
  }

  get count(): number {
    return this.#count;
  }

  /** Marks the connection as in use until the response has been sent or has failed. */
  use(request: IncomingMessage, response: ServerResponse, user: User): void {
    const tracked = this.#tracked.get(sessionOf(request) ?? request.socket);
    if (tracked === undefined) return; // closed already
    if (tracked.requests++ === 0) tracked.address.idle.delete(tracked);
    this.#assign(tracked, user);
    response.once("close", () => this.#release(tracked));
  }

  /** Closes some idle connections: the process has no free descriptor. */
  relieve(): void {
    for (let closed = 0; closed < RELIEVED_AT_ONCE; closed++) if (!this.#closeIdle()) return;
  }

  /** Sends GOAWAY: an HTTP/2 connection then accepts no further request, and closes after its last response. */
  goAway(): void {
    for (const { session } of this.#all()) if (session?.closed === false) session.close();
  }

  /** Resolves when no connection has a request. For one caller at a time. */
  unused(): Promise<void> {
    return this.#until(() => this.#all().every(({ requests }) => requests === 0));
  }

  /** Resolves when no connection is open. For one caller at a time. */
  closed(): Promise<void> {
    return this.#until(() => this.#count === 0);
  }

  /** Closes all connections at once, whatever has been sent on them. */
  destroy(): void {
    for (const { socket, session } of this.#all()) {
      session?.destroy();
      socket.destroy();
    }
  }

  #all(): Tracked[] {
    return [...this.#addresses.values()].flatMap(({ connections }) => [...connections]);
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onLess = () => {
        if (isSo()) resolve();
      };
      this.#onLess();
    });
  }

  #add(socket: Socket): void {
    if (this.#tracked.has(socket)) return; // handed back after a rejected upgrade
    const { connectionsMax, connectionsPerAddressMax } = this.#limits;
    const address = this.#addressOf(socket);
    const isTooMany =
      (address.connections.size >= connectionsPerAddressMax && !this.#closeFor(address)) ||
      (this.#count >= connectionsMax && !this.#closeFor(undefined));
    if (isTooMany) {
      if (address.connections.size === 0) this.#addresses.delete(address.key);
      socket.destroy();
      return;
    }
    const tracked: Tracked = { socket, address, requests: 0, user: undefined };
    this.#addresses.set(address.key, address);
    address.connections.add(tracked);
    address.idle.add(tracked);
    this.#tracked.set(socket, tracked);
    this.#count++;
    const peer = this.#encrypted ? peerOf(socket) : undefined;
    if (peer !== undefined) this.#byPeer.set(peer, tracked);
    socket.once("close", () => {
      this.#remove(tracked);
      if (peer !== undefined && this.#byPeer.get(peer) === tracked) this.#byPeer.delete(peer);
    });
  }

  #link(key: object, socket: Peer, session?: ServerHttp2Session): void {
    const tracked = this.#byPeer.get(peerOf(socket));
    if (tracked === undefined) return;
    this.#tracked.set(key, tracked);
    if (session !== undefined) tracked.session = session;
  }

  #addressOf({ remoteAddress }: Peer): Address {
    const key = addressKey(remoteAddress);
    return this.#addresses.get(key) ?? { key, connections: new Set(), idle: new Set() };
  }

  #release(tracked: Tracked): void {
    if (--tracked.requests > 0 || !tracked.address.connections.has(tracked)) return;
    tracked.address.idle.add(tracked);
    this.#leaveUser(tracked);
    this.#onLess?.();
  }

  #assign(tracked: Tracked, user: User): void {
    if (tracked.user?.name === user.name) return;
    this.#leaveUser(tracked);
    if (isPrivileged(user)) return;
    const { name } = user;
    const holder = this.#users.get(name) ?? { name, busy: new Set() };
    if (holder.busy.size === 0) this.#users.set(name, holder);
    holder.busy.add(tracked);
    tracked.user = holder;
  }

  #leaveUser(tracked: Tracked): void {
    const { user } = tracked;
    if (user === undefined) return;
    tracked.user = undefined;
    user.busy.delete(tracked);
    if (user.busy.size === 0) this.#users.delete(user.name);
  }

  /** Idempotent: a connection that is closed for another is removed at once, and again when its socket has closed. */
  #remove(tracked: Tracked): void {
    const { address } = tracked;
    if (!address.connections.delete(tracked)) return;
    address.idle.delete(tracked);
    if (address.connections.size === 0) this.#addresses.delete(address.key);
    this.#leaveUser(tracked);
    this.#count--;
    this.#onLess?.();
  }

  /** Closes a connection, of the address or of any, for a new one. False when none may be closed. */
  #closeFor(address: Address | undefined): boolean {
    if (this.#closeIdle(address)) return true;
    const holder = largest(this.#users.values(), ({ busy }) => busy.size);
    if (holder === undefined || holder.busy.size * LARGE_SHARE <= this.#limits.connectionsMax) return false;
    for (const tracked of holder.busy) {
      if (address === undefined || tracked.address === address) return this.#close(tracked);
    }
    return false;
  }

  /** Closes the oldest idle connection of the address, or of the address with most idle ones. */
  #closeIdle(of?: Address): boolean {
    const address = of ?? largest(this.#addresses.values(), ({ idle }) => idle.size);
    const [oldest] = address?.idle ?? [];
    return oldest !== undefined && this.#close(oldest);
  }

  #close(tracked: Tracked): true {
    this.#remove(tracked);
    tracked.socket.destroy(); // its descriptor is free at once
    return true;
  }
}

/** The item with the greatest size; undefined when all are 0. */
function largest<T>(items: Iterable<T>, sizeOf: (item: T) => number): T | undefined {
  let found: T | undefined;
  let most = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (size <= most) continue;
    most = size;
    found = item;
  }
  return found;
}

const sessionOf = (request: IncomingMessage): object | undefined =>
  "stream" in request ? (request.stream as Http2ServerRequest["stream"]).session : undefined;

const MAPPED = "::ffff:";
/** 16-bit groups of the IPv6 network prefix; the client chooses the rest. */
const NETWORK_GROUPS = 4;

/** An IPv4 address, or the /64 network of an IPv6 address, because a client can use all addresses of such a network. */
export function addressKey(address = ""): string {
  if (!isIPv6(address)) return address;
  if (address.startsWith(MAPPED)) return address.slice(MAPPED.length);
  const [start = "", end] = address.replace(/%.*$/, "").split("::");
  const groups = start === "" ? [] : start.split(":");
  const after = end === undefined || end === "" ? [] : end.split(":");
  while (end !== undefined && groups.length + after.length < 2 * NETWORK_GROUPS) groups.push("0");
  return [...groups, ...after].slice(0, NETWORK_GROUPS).join(":");
}
