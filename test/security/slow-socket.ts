// A client over TCP, or TLS for an https URL, that sends bytes at any time and keeps the received ones.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export class SlowSocket implements Disposable {
  readonly socket: Socket;
  /** Everything received so far. */
  received = "";
  /** Resolves when the server has closed or reset the connection. */
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

  /** Sends the head of a request; the caller sends the body. */
  head(method: string, path: string, headers: Readonly<Record<string, string | number>>): void {
    const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    this.socket.write(`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Resolves when the received text matches. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.received)) await once(this.socket, "data");
  }

  /** The status of the first answer; 0 before it arrives. */
  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1] ?? 0);
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
