// Shared by the attacks on one server: requests that violate a client's conventions, and open sockets that are not read.
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import type { BuiltServer, PolicyRule, Token } from "../built-server.ts";

const ANSWER_MS_MAX = 60_000;

export interface Attack {
  readonly name: string;
  /** Rights of the attacker without which the server would only reject the requests. */
  readonly rights?: readonly PolicyRule[];
  /** Creates objects as the administrator before the attack. */
  prepare?(server: BuiltServer): Promise<void>;
  strike(server: BuiltServer, token: Token): Promise<void>;
}

export interface Blow {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string | Buffer;
  /** Aborts the request after so long, whatever the server does. */
  readonly ms?: number;
}

const credentials = (token: Token): Record<string, string> =>
  token === "" ? {} : { authorization: `Bearer ${token}` };

/** The status of the answer, whose body is read and thrown away; 0 where the connection ended without one. */
export function blow(server: BuiltServer, token: Token, sent: Blow): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    const call = open(server, token, sent, (answer) => {
      status = answer.statusCode ?? 0;
      answer.resume();
    });
    call.on("close", () => resolve(status));
  });
}

/** Sends many at a time; a new one starts when one has ended. */
export async function blows(
  count: number,
  atOnce: number,
  strike: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await strike(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** A request whose answer is not read: the client's buffers fill, then the server's. */
export function unread(server: BuiltServer, token: Token, sent: Blow): ClientRequest {
  return open(server, token, sent, (answer) => answer.pause());
}

function open(
  { url }: BuiltServer,
  token: Token,
  { method = "GET", path, type = "application/json", accept = "*/*", body, ms = ANSWER_MS_MAX }: Blow,
  answered: (answer: IncomingMessage) => void,
): ClientRequest {
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  const headers = { ...credentials(token), accept, "content-type": type, ...length };
  const call = request(`${url}${path}`, { method, headers, agent: false });
  const timer = setTimeout(() => call.destroy(), ms);
  call.on("response", answered);
  call.on("error", () => {}); // a server may close the connection while it rejects a request
  call.on("close", () => clearTimeout(timer));
  call.end(body);
  return call;
}

/** Connections without any traffic. */
export async function idleSockets({ port }: BuiltServer, count: number): Promise<Socket[]> {
  const opened = Array.from({ length: count }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    return new Promise<Socket>((resolve) => {
      socket.once("connect", () => resolve(socket));
      socket.once("close", () => resolve(socket));
    });
  });
  return await Promise.all(opened);
}
