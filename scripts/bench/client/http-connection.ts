// One keep-alive connection that sends prepared bytes and parses as little of the answer as possible: the client shares
// the machine with the measured server, so its own cost must be negligible.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { type ServerAccess, tlsOptions } from "./server-access.ts";

export interface Answer {
  readonly status: number;
  /** The bytes of the body as received, chunk marks included. */
  readonly bodyBytes: number;
  /** The body, chunk marks included, if `keepBody` was set. */
  readonly text: string;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");
const TAIL_BYTES = LAST_CHUNK.length;

export class HttpConnection {
  readonly #socket: Socket;
  /** The headers of every request, in wire format. */
  readonly #headers: string;
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  #bodyBytes = 0;
  /** Undefined while the body is chunked. */
  #bodyLength: number | undefined;
  #tail: Buffer = Buffer.alloc(0);
  #parts: Buffer[] | undefined;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket, headers: string) {
    this.#socket = socket;
    this.#headers = headers;
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("the server has closed the connection")));
  }

  static async open(access: ServerAccess): Promise<HttpConnection> {
    return new HttpConnection(await openSocket(access), headerLines(access));
  }

  /** One request at a time. */
  send(request: string, keepBody = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#status = 0;
      this.#bodyBytes = 0;
      this.#parts = keepBody ? [] : undefined;
      this.#socket.write(withHeaders(request, this.#headers));
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const body = this.#status === 0 ? this.#readHead(chunk) : chunk;
    if (body === undefined) return;
    this.#bodyBytes += body.length;
    this.#parts?.push(body);
    const ended =
      this.#bodyLength === undefined ? this.#endsChunks(body) : this.#bodyBytes >= this.#bodyLength;
    if (!ended) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const text = this.#parts ? Buffer.concat(this.#parts).toString("utf8") : "";
    waiting?.resolve({
      status: this.#status,
      bodyBytes: this.#bodyBytes,
      text,
    });
  }

  /** The part of the body that came with the end of the head; undefined while the head is incomplete. */
  #readHead(chunk: Buffer): Buffer | undefined {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = bytes;
      return undefined;
    }
    this.#head = Buffer.alloc(0);
    const text = bytes.toString("latin1", 0, end);
    this.#status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    this.#bodyLength = length === undefined ? undefined : Number(length);
    // An empty chunked body has no line end before its last chunk except the one that ends the head.
    this.#tail = bytes.subarray(end + 2, end + 4);
    return bytes.subarray(end + HEAD_END.length);
  }

  /** JSON contains no such bare line ends, so the last bytes show whether this was the last chunk. */
  #endsChunks(body: Buffer): boolean {
    const enough = body.length >= TAIL_BYTES ? body : Buffer.concat([this.#tail, body]);
    this.#tail = Buffer.from(enough.subarray(-TAIL_BYTES));
    return this.#tail.equals(LAST_CHUNK);
  }
}

/** Opens connections, passes them to `use` and always closes them. */
export async function withConnections<T>(
  access: ServerAccess,
  count: number,
  use: (connections: readonly HttpConnection[]) => Promise<T>,
): Promise<T> {
  const connections = await Promise.all(Array.from({ length: count }, () => HttpConnection.open(access)));
  try {
    return await use(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** The bytes of a request, without the headers that the server's access adds; built once, sent often. */
export function requestBytes(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === "" ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}${length}\r\n${body}`;
}

export async function openSocket(access: ServerAccess): Promise<Socket> {
  const { hostname, port, protocol } = new URL(access.url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "https:") {
    const servername = /^[\d.:]+$/.test(host) ? "" : host;
    const options = {
      host,
      port: Number(port || 443),
      servername,
      ALPNProtocols: ["http/1.1"],
    };
    const socket = connectSecurely({ ...options, ...tlsOptions(access) });
    await once(socket, "secureConnect");
    socket.setNoDelay(true);
    return socket;
  }
  const socket = connect({ host, port: Number(port || 80), noDelay: true });
  await once(socket, "connect");
  return socket;
}

export function headerLines({ url, headers }: ServerAccess): string {
  const all = { host: new URL(url).host, ...headers };
  return Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

/** Inserts the header lines after the request line. */
export function withHeaders(request: string, lines: string): string {
  const at = request.indexOf("\r\n") + 2;
  return request.slice(0, at) + lines + request.slice(at);
}
