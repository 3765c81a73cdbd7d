// A watch over WebSocket: each event is one message with the bytes of the HTTP stream. Client messages are ignored,
// except close; pings are answered.
import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { ApiResponse } from "../../endpoints/api-request.ts";
import { PROTOBUF_TYPE } from "../../endpoints/protobuf/codec.ts";
import { createBodySink, type ResponseWriter, UNREAD_BYTES_MAX } from "../streams.ts";
import { lengthMessages, lineMessages } from "./messages.ts";
import { endSoon, type Upgrade } from "./upgrades.ts";

/** Clients need not send messages. A longer message closes the connection. */
const MESSAGE_BYTES_MAX = 64 * 1024;
const NORMAL_CLOSURE = 1000;

let server: WebSocketServer | undefined;

/** Loads the library on the first WebSocket, so that watches over HTTP do not wait for it. */
const theServer = (): WebSocketServer =>
  (server ??= new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MESSAGE_BYTES_MAX,
  }));

/** For a request whose handshake is valid. */
export function socketOutlet(
  request: IncomingMessage,
  { socket, head }: Upgrade,
  { headers }: ApiResponse,
): ResponseWriter {
  let client: WebSocket | undefined;
  const isBinary = String(headers["content-type"]).startsWith(PROTOBUF_TYPE);
  const messages = isBinary ? lengthMessages : lineMessages;
  const write = messages((part, isLast) => client?.send(part, { binary: isBinary, fin: isLast }));
  return {
    open(gone) {
      if (socket.destroyed) gone();
      else socket.once("close", gone);
      theServer().handleUpgrade(request, socket, head, (begun) => {
        client = begun;
        begun.on("error", () => {}); // the socket closes after an error
        begun.on("close", gone);
        begun.on("ping", (data: Buffer) => {
          // Bounds the memory of a client that sends pings and does not read the pongs.
          if (socket.writableLength < UNREAD_BYTES_MAX) begun.pong(data);
        });
      });
      return createBodySink(socket, (chunk) => {
        socket.cork();
        write(chunk);
        socket.uncork();
      });
    },
    end() {
      client?.close(NORMAL_CLOSURE);
      endSoon(socket);
    },
    cut: () => socket.destroy(),
  };
}
