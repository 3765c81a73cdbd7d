// One open watch that reports the sequence number of every event it receives.
import { once } from "node:events";
import type { Socket } from "node:net";
import { headerLines, openSocket, requestBytes, withHeaders } from "./http-connection.ts";
import { readSeqs } from "./seq-mark.ts";
import type { ServerAccess } from "./server-access.ts";

export class WatchStream {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Resolves when the server has started its answer; from then on the watch receives every event. */
  static async open(access: ServerAccess, path: string, onSeq: (seq: number) => void): Promise<WatchStream> {
    const socket = await openSocket(access);
    socket.write(withHeaders(requestBytes("GET", path), headerLines(access)));
    const [first] = await once(socket, "data");
    const status = String(first).slice(9, 12);
    if (status !== "200") throw new Error(`the watch ${path} was answered with ${status}`);
    let rest: Buffer = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      rest = readSeqs(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), onSeq);
    };
    read(first);
    socket.on("data", read);
    socket.on("error", () => {}); // counting shows the events that are lost then
    return new WatchStream(socket);
  }

  close(): void {
    this.#socket.destroy();
  }
}
