// A way between a client and a server that can be cut and mended.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

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
      socket.pipe(onward).pipe(socket);
      socket.on("close", () => onward.destroy());
      onward.on("close", () => socket.destroy());
    });
  }

  /** To host:port. */
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

  /** Connections break, and new ones do as soon as they are made. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {}); // a broken connection is what it is for
  }
}
