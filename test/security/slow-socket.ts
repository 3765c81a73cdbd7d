// A client that sends what it likes when it likes, and keeps what comes back: over TCP, or over TLS when the URL says so.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export class SlowSocket implements Disposable {
  readonly socket: Socket;
  /** All that has come so far. */
  received = "";
  /** Resolves when the server has closed the connection, or broken it. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => (this.received += chunk));
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
  }

  static async open(
    url: string,
    { handshake = true }: { readonly handshake?: boolean } = {},
  ): Promise<SlowSocket> {
    const { hostname, port, protocol } = new URL(url);
    const encrypted = protocol === "https:" && handshake;
    const socket = encrypted
      ? connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false })
      : connect(Number(port), hostname);
    const client = new SlowSocket(socket);
    await once(socket, encrypted ? "secureConnect" : "connect");
    return client;
  }

  /** The head of a request; the body is up to the caller. */
  head(method: string, path: string, headers: Readonly<Record<string, string | number>>): void {
    const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    this.socket.write(`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Resolves when so much has been received that it matches. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.received)) await once(this.socket, "data");
  }

  /** Of the first answer; 0 before there is one. */
  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1] ?? 0);
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
