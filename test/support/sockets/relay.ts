// A TCP relay between a client and a server that can cut, hang or delay its connections.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";

export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #delayMs = 0;
  /** Resolves when held data is forwarded. */
  #held: Promise<void> | undefined;
  #release = (): void => {};

  private constructor(target: string) {
    const { hostname, port } = new URL(`tcp://${target}`);
    this.#server = createServer((socket) => {
      this.#keep(socket);
      if (this.#isCut) {
        socket.destroy();
        return;
      }
      const onward = connect(Number(port), hostname);
      this.#keep(onward);
      socket.pipe(this.#way()).pipe(onward).pipe(this.#way()).pipe(socket);
      socket.on("close", () => onward.destroy());
      onward.on("close", () => socket.destroy());
    });
  }

  /** Relays to host:port. */
  static async to(target: string): Promise<Relay> {
    const relay = new Relay(target);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  /** host:port of this end. */
  get endpoint(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on TCP
    return `127.0.0.1:${port}`;
  }

  /** Breaks the connections, and each new one at once. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Forwards nothing and closes no connection. */
  hang(): void {
    this.#held ??= new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Delays all data by this time, in each direction. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  mend(): void {
    this.#isCut = false;
    this.#delayMs = 0;
    this.#held = undefined;
    this.#release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mend();
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** One direction of a connection. */
  #way(): Transform {
    return new Transform({
      transform: async (chunk, _encoding, done) => {
        if (this.#delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#delayMs));
        while (this.#held !== undefined) await this.#held;
        done(null, chunk);
      },
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {}); // broken connections are the purpose of the relay
  }
}
